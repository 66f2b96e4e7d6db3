import { createHash } from 'node:crypto';
import { HistoryRecorder } from './recorder';

const BASE = 'https://files.example/api/v2/storage';
const etag = createHash('md5').update('text').digest('hex');

function answer(status: number, body: object): Promise<Response> {
  return Promise.resolve(new Response(JSON.stringify(body), { status }));
}

function world(...answers: (() => Promise<Response>)[]) {
  const recorder = new HistoryRecorder();
  const send = recorder.recording('w', () => (answers.shift() as () => Promise<Response>)());
  return { recorder, send };
}

const put = { method: 'PUT', body: 'text' };
const lost = () => Promise.reject(new TypeError('fetch failed'));

test('an acknowledged write has a return, its etag and its cursor', async () => {
  const { recorder, send } = world(() => answer(201, { key: 'a/b', etag, cursor: 7, version: 1 }));
  await send(`${BASE}/objects/photos/a/b`, { ...put, headers: { 'If-None-Match': '*' } });
  expect(recorder.operations).toEqual([
    expect.objectContaining({
      kind: 'put',
      key: 'a/b',
      etag,
      call: 1,
      return: 2,
      if_none_match: true,
    }),
    expect.objectContaining({ kind: 'commit', bucket: 'photos', from: 7, to: 7, return: 2 }),
  ]);
});

test('a write without a response has an unknown outcome', async () => {
  const { recorder, send } = world(lost);
  await expect(send(`${BASE}/objects/photos/k`, put)).rejects.toThrow('fetch failed');
  expect(recorder.operations[0]).toMatchObject({ kind: 'put', key: 'k' });
  expect(recorder.operations[0]?.return).toBeUndefined();
});

test('attempts under one idempotency key are one operation', async () => {
  const { recorder, send } = world(lost, () =>
    answer(201, { key: 'k', etag, cursor: 1, version: 1 }),
  );
  const request = { ...put, headers: { 'Idempotency-Key': 'once' } };
  await send(`${BASE}/objects/photos/k`, request).catch(() => undefined);
  await send(`${BASE}/objects/photos/k`, request);
  expect(recorder.operations).toHaveLength(2);
  expect(recorder.operations[0]).toMatchObject({ kind: 'put', call: 1, return: 3 });
});

test('a refused write is no operation but a read of what it met', async () => {
  const refusal = { error: { code: 'precondition_failed', details: { etag: 'other' } } };
  const { recorder, send } = world(() => answer(412, refusal));
  await send(`${BASE}/objects/photos/k`, { ...put, headers: { 'If-Match': '"mine"' } });
  expect(recorder.operations).toMatchObject([{ kind: 'read', key: 'k', etag: 'other' }]);
});

test('a refused write stays unknown after an attempt without a response', async () => {
  const { recorder, send } = world(lost, () => answer(412, { error: { code: 'conflict' } }));
  const request = { ...put, headers: { 'Idempotency-Key': 'once' } };
  await send(`${BASE}/objects/photos/k`, request).catch(() => undefined);
  await send(`${BASE}/objects/photos/k`, request);
  expect(recorder.operations).toMatchObject([{ kind: 'put' }, { kind: 'commit' }]);
});

test('a commit is one write for each of its keys, and one of the bucket', async () => {
  const changes = [
    { op: 'put', key: 'a', content: Buffer.from('text').toString('base64') },
    { op: 'delete', key: 'b', if_exists: true },
    { op: 'move', key: 'c', from: { key: 'd' } },
  ];
  const made = [
    { key: 'a', etag, cursor: 4, version: 1 },
    { key: 'c', etag: 'moved', cursor: 5, version: 1 },
    { key: 'd', cursor: 6, version: 2 },
  ];
  const { recorder, send } = world(() => answer(201, { from: 4, to: 6, changes: made }));
  const body = JSON.stringify({ bucket: 'photos', changes, if_cursor: 3 });
  await send(`${BASE}/commits`, { method: 'POST', body });
  expect(recorder.operations).toMatchObject([
    { kind: 'put', key: 'a', etag, return: 2 },
    // It did not exist.
    { kind: 'read', key: 'b', etag: '', return: 2 },
    { kind: 'put', key: 'c', etag: 'moved', return: 2 },
    { kind: 'delete', key: 'd', return: 2 },
    { kind: 'commit', from: 4, to: 6, if_cursor: 3, return: 2 },
  ]);
});

test('what may change several keys later has an unknown outcome', async () => {
  const { recorder, send } = world(
    () => answer(200, { restored: 1 }),
    () => answer(200, { deleted: 1 }),
    () => answer(201, { url: '' }),
  );
  const restore = JSON.stringify({ bucket: 'photos', prefix: 'a/', as_of: 1 });
  await send(`${BASE}/restore`, { method: 'POST', body: restore });
  await send(`${BASE}/objects/photos?prefix=b/`, { method: 'DELETE' });
  const signed = JSON.stringify({ bucket: 'photos', key: 'k', method: 'PUT' });
  await send(`${BASE}/signed-url`, { method: 'POST', body: signed });
  expect(recorder.operations).toMatchObject([
    { kind: 'any', prefix: 'a/' },
    { kind: 'delete', prefix: 'b/' },
    { kind: 'put', key: 'k', etag: '?' },
  ]);
  expect(recorder.operations.every((one) => one.return === undefined)).toBe(true);
});

test('a line has the fields that the checker knows', async () => {
  const { recorder, send } = world(() => answer(404, { error: { code: 'not_found' } }));
  await send(`${BASE}/objects/photos/k`, { method: 'GET' });
  expect(recorder.lines()).toBe(
    '{"client":"w","bucket":"photos","kind":"read","key":"k","call":1,"etag":"","return":3}\n',
  );
});
