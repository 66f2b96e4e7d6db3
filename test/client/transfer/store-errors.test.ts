/** What the client makes of the responses of S3 to a part. */
import { openAsBlob, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StowageError } from '../../../client';
import { ExpiredUrl, etagOf, partSender, storeError } from '../../../client/transfer/send-part';
import { useTemporaryFolder } from '../../support/temporary-folder';

const coded = (code: string) => `<Error><Code>${code}</Code><Message>no</Message></Error>`;

test.each<[number, string, string, number, boolean]>([
  [403, '', 'forbidden', 403, false],
  [403, coded('AccessDenied'), 'forbidden', 403, false],
  [400, coded('ExpiredToken'), 'forbidden', 403, false],
  [404, coded('NoSuchUpload'), 'not_found', 404, false],
  [400, coded('InvalidPart'), 'invalid_request', 400, false],
  [400, coded('RequestTimeout'), 'unavailable', 503, true],
  [408, '', 'unavailable', 503, true],
  [409, '', 'invalid_request', 409, false],
  [429, '', 'unavailable', 503, true],
  [499, '', 'invalid_request', 499, false],
  [500, coded('InternalError'), 'unavailable', 503, true],
  [503, coded('SlowDown'), 'unavailable', 503, true],
])('status %i of S3 with %j is the error %s', (of, body, code, status, isTemporary) => {
  const error = storeError(of, body);
  expect(error).toMatchObject({ code, status, isTemporary });
  expect(error instanceof ExpiredUrl).toBe(code === 'forbidden');
  const head = { status: of, headers: new Headers({ etag: '"e"' }) };
  expect(() => etagOf(head, body)).toThrow(StowageError);
});

test.each([
  [coded('InvalidPart'), 'InvalidPart'],
  ['<Code></Code>', 'status 400'],
  ['', 'status 400'],
])('the error of S3 with %j names %s', (body, named) => {
  expect(storeError(400, body).message).toContain(named);
});

test.each([200, 204, 299])('a part has the ETag of its response of status %i', (status) => {
  expect(etagOf({ status, headers: new Headers({ etag: '"e"' }) }, '')).toBe('"e"');
});

test.each([199, 300])('a response of status %i is none to a part', (status) => {
  const headers = new Headers({ etag: '"e"' });
  expect(() => etagOf({ status, headers }, '')).toThrow(StowageError);
});

test('a response without an ETag that can be read is an error that stays', () => {
  const head = { status: 200, headers: new Headers() };
  expect(() => etagOf(head, '')).toThrow(
    expect.objectContaining({ code: 'invalid_request', isTemporary: false }),
  );
});

const PART = { from: 2, to: 4 };
const options = (signal = new AbortController().signal) => ({
  onProgress: () => undefined,
  signal,
});

test('a part is sent as the bytes of its range', async () => {
  const sent: unknown[] = [];
  const send = partSender(
    async (url, { method, body }) => {
      sent.push([url, method, await new Response(body).text()]);
      return new Response(null, { headers: { etag: '"e"' } });
    },
    new Blob(['abcdef']),
  );
  expect(await send('https://s3.example/1', PART, options())).toBe('"e"');
  expect(sent).toEqual([['https://s3.example/1', 'PUT', 'cd']]);
});

test('a part that S3 refuses has its error, and no timer stays', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const refuse = async () => new Response(coded('AccessDenied'), { status: 403 });
  const send = partSender(refuse, new Blob(['abcdef']));
  await expect(send('https://s3.example/1', PART, options())).rejects.toBeInstanceOf(ExpiredUrl);
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test('a part whose connection is lost may be sent again, unless the signal ends it', async () => {
  const stop = new AbortController();
  const signals: AbortSignal[] = [];
  const lose = async (_: string, { signal }: RequestInit) => {
    if (signal) signals.push(signal);
    throw new TypeError('fetch failed');
  };
  const send = partSender(lose, new Blob(['abcdef']));
  await expect(send('https://s3.example/1', PART, options(stop.signal))).rejects.toMatchObject({
    ...{ code: 'network', isTemporary: true, cause: new TypeError('fetch failed') },
  });
  stop.abort(new Error('enough'));
  expect(signals[0]?.aborted).toBe(false);
  await expect(send('https://s3.example/1', PART, options(stop.signal))).rejects.toThrow('enough');
  expect(signals[1]?.aborted).toBe(true);
});

const folder = useTemporaryFolder('store-errors');

/** Sends a part of a file that changes on the way. */
async function sentWhileChanging(answer: () => Promise<Response>) {
  const file = path.join(folder, 'file');
  writeFileSync(file, 'before');
  const send = partSender(
    () => {
      writeFileSync(file, 'changed');
      return answer();
    },
    await openAsBlob(file),
  );
  return send('https://s3.example/1', { from: 3, to: 6 }, options()).catch(
    (error: unknown) => error,
  );
}

test('a file that changes is a conflict when the connection is lost, and not when S3 refuses', async () => {
  const lost = await sentWhileChanging(() => Promise.reject(new TypeError('fetch failed')));
  expect(lost).toMatchObject({ code: 'conflict' });
  const refused = async () => new Response(coded('InvalidPart'), { status: 400 });
  expect(await sentWhileChanging(refused)).toMatchObject({ code: 'invalid_request' });
});
