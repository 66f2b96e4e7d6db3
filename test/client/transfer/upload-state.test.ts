/** What an upload becomes, and how long the client waits for it. */
import { StowageError } from '../../../client';
import { Http } from '../../../client/http';
import {
  type AwaitedUpload,
  committedUpload,
  waitForCommit,
} from '../../../client/transfer/upload-state';

const OBJECT = { bucket: 'a', key: 'k', version: 1, cursor: 2 };
const { signal } = new AbortController();

/**
 * A service that says this of every upload; the last answer is repeated. Its responses are read
 * without the event loop, which the clock of the test does not wait for.
 */
function saying(...answers: readonly (object | Error)[]) {
  const asked: number[] = [];
  const fetch = async () => {
    asked.push(Date.now());
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    const status = answer instanceof StowageError ? answer.status : 200;
    const text = async () => JSON.stringify(answer);
    return { status, ok: status === 200, headers: new Headers(), text } as Response;
  };
  return { http: new Http({ baseUrl: 'https://files.example', fetch }), asked };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Waits with the clock of the test, and returns the times at which the service was asked. */
async function waited(
  upload: Omit<AwaitedUpload, 'uploadId'>,
  answers: readonly (object | Error)[],
) {
  const begun = Date.now();
  const { http, asked } = saying(...answers);
  let outcome: unknown;
  void waitForCommit(http, { uploadId: 'u', ...upload }, signal).then(
    (object) => {
      outcome = object;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  while (outcome === undefined) await jest.advanceTimersByTimeAsync(50);
  return { outcome, times: asked.map((at) => at - begun) };
}

test.each([
  [undefined, 'conflict'],
  ['toString', 'conflict'],
  ['size_mismatch', 'conflict'],
  ['precondition_failed', 'precondition_failed'],
  ['forbidden', 'forbidden'],
  ['bucket_deleted', 'not_found'],
  ['source_deleted', 'not_found'],
])('an upload that is discarded because of %s is the error %s', async (reason, code) => {
  const { outcome } = await waited({ isCompleted: true }, [{ state: 'discarded', reason }]);
  expect(outcome).toMatchObject({ code, details: { upload_id: 'u', reason: reason ?? 'unknown' } });
});

test('a completed upload is asked for at growing intervals, for two minutes', async () => {
  const { outcome, times } = await waited({ isCompleted: true }, [{ state: 'pending' }]);
  expect(times.slice(0, 8)).toEqual([0, 50, 150, 350, 750, 1550, 3150, 5150]);
  expect(times.at(-1)).toBe(121_150);
  expect(outcome).toMatchObject({ code: 'unavailable', details: { upload_id: 'u' } });
});

test('an upload that S3 does not know is waited for 15 seconds, and is then not found', async () => {
  const { outcome, times } = await waited({ isCompleted: false }, [{ state: 'pending' }]);
  expect(times.at(-1)).toBe(15_150);
  expect(outcome).toMatchObject({ code: 'not_found', details: {} });
});

test('a copy is asked for every 15 seconds, through failures', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  const pending = { state: 'pending' };
  const down = new StowageError('unavailable', 'down');
  const answers = [...Array(11).fill(pending), down, pending, { state: 'committed' }, pending];
  const withinMs = 100_000;
  const { outcome, times } = await waited({ isCompleted: true, withinMs }, answers);
  expect(times.slice(8, 11)).toEqual([12_750, 25_550, 40_550]);
  expect(times.slice(11, 14)).toEqual([55_550, 55_800, 70_800]);
  expect(times.at(-1)).toBe(100_800);
  expect(outcome).toMatchObject({ code: 'unavailable' });
});

test('a failure of the service ends the wait for an upload', async () => {
  const { outcome, times } = await waited({ isCompleted: true }, [
    new StowageError('unavailable', 'down'),
  ]);
  expect(outcome).toMatchObject({ code: 'unavailable', status: 503 });
  expect(times).toEqual([0]);
});

test('an upload is committed once the service names its object', async () => {
  const { outcome, times } = await waited({ isCompleted: true }, [
    ...[{ state: 'committed' }, { state: 'staged', object: OBJECT }],
    { state: 'committed', object: OBJECT },
  ]);
  expect(outcome).toEqual(OBJECT);
  expect(times).toHaveLength(3);
});

test.each([
  [{ state: 'committed', object: OBJECT }, OBJECT],
  [{ state: 'pending', object: OBJECT }, undefined],
  [new StowageError('not_found', 'gone'), undefined],
])('of an earlier upload with %j, the object is %j', async (answer, object) => {
  expect(await committedUpload(saying(answer).http, 'u', signal)).toEqual(object);
});

test('a failure to ask for an earlier upload is thrown', async () => {
  const { http } = saying(new StowageError('forbidden', 'no'));
  await expect(committedUpload(http, 'u', signal)).rejects.toMatchObject({ code: 'forbidden' });
});
