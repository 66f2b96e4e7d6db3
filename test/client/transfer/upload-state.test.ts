/** The outcome of an upload, and how long the client waits for it. */
import { StowageError } from '../../../client';
import { Http } from '../../../client/http';
import {
  type AwaitedUpload,
  committedUpload,
  waitForCommit,
} from '../../../client/transfer/upload-state';

const OBJECT = { bucket: 'a', key: 'k', version: 1, cursor: 2 };
const PENDING = { state: 'pending' };
const DOWN = new StowageError('unavailable', 'down');
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

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Waits on the clock of the test. Returns the outcome, and the seconds after which it asked. */
async function waited(
  upload: Omit<AwaitedUpload, 'uploadId'>,
  ...answers: readonly (object | Error)[]
) {
  const begun = Date.now();
  const { http, asked } = saying(...answers);
  let outcome: unknown;
  void waitForCommit(http, { uploadId: 'u', ...upload }, signal).then(
    (object) => (outcome = object),
    (error: unknown) => (outcome = error),
  );
  while (outcome === undefined) await jest.advanceTimersByTimeAsync(50);
  return { outcome, seconds: asked.map((at) => (at - begun) / 1000) };
}

test.each([
  [undefined, 'conflict'],
  ['toString', 'conflict'],
  ['size_mismatch', 'conflict'],
  ['precondition_failed', 'precondition_failed'],
  ['forbidden', 'forbidden'],
  ['bucket_deleted', 'not_found'],
  ['source_deleted', 'not_found'],
])('an upload that is discarded because of %s throws %s', async (reason, code) => {
  const { outcome } = await waited({ isCompleted: true }, { state: 'discarded', reason });
  expect(outcome).toMatchObject({ code, details: { upload_id: 'u', reason: reason ?? 'unknown' } });
});

test('the client asks at once for a completed upload, then less often, for two minutes', async () => {
  const { outcome, seconds } = await waited({ isCompleted: true }, PENDING);
  expect(outcome).toMatchObject({ code: 'unavailable', details: { upload_id: 'u' } });
  expect(seconds.filter((at) => at <= 1).length).toBeGreaterThan(2);
  expect(seconds.length).toBeLessThan(90);
  expect(Math.round((seconds.at(-1) ?? 0) / 60)).toBe(2);
});

test('an upload that S3 does not know is not found after some seconds', async () => {
  const { outcome, seconds } = await waited({ isCompleted: false }, PENDING);
  expect(outcome).toMatchObject({ code: 'not_found', details: {} });
  expect(seconds.at(-1)).toBeGreaterThan(10);
  expect(seconds.at(-1)).toBeLessThan(20);
});

test('the client asks for a copy a few times a minute, through failures, for as long as told', async () => {
  const answers = [...Array(11).fill(PENDING), DOWN, PENDING, { state: 'committed' }, PENDING];
  const { outcome, seconds } = await waited({ isCompleted: true, withinMs: 600_000 }, ...answers);
  expect(outcome).toMatchObject({ code: 'unavailable' });
  expect(seconds.at(-1)).toBeGreaterThan(600);
  expect(seconds.filter((at) => at > 300 && at <= 600).length / 5).toBeLessThanOrEqual(5);
});

test('a failure of the service ends the wait for an upload', async () => {
  const { outcome, seconds } = await waited({ isCompleted: true }, DOWN);
  expect(outcome).toMatchObject({ code: 'unavailable', status: 503 });
  expect(seconds).toHaveLength(1);
});

test('an upload is committed once the service names its object', async () => {
  const early = [{ state: 'committed' }, { state: 'staged', object: OBJECT }];
  const { outcome } = await waited(
    { isCompleted: true },
    ...early,
    ...[{ state: 'committed', object: OBJECT }],
  );
  expect(outcome).toEqual(OBJECT);
});

test.each([
  [{ state: 'committed', object: OBJECT }, OBJECT],
  [{ state: 'pending', object: OBJECT }, undefined],
  [new StowageError('not_found', 'gone'), undefined],
])('an earlier upload with the state %j has the object %j', async (answer, object) => {
  expect(await committedUpload(saying(answer).http, 'u', signal)).toEqual(object);
});

test('a failure to ask for an earlier upload is thrown', async () => {
  const { http } = saying(new StowageError('forbidden', 'no'));
  await expect(committedUpload(http, 'u', signal)).rejects.toMatchObject({ code: 'forbidden' });
});
