/** GET /sync as an HTTP request, without an upgrade to a WebSocket. On the fakes. */

import { BUCKET, put, remove } from '../../support/bucket-world';
import { setUp } from './world';

test('pages cover all changes from any cursor to the head', async () => {
  const { deps, bucket, ask } = await setUp();
  for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
  await remove(deps, 'a');
  const first = await ask({ cursor: '0', limit: '3' });
  expect(first.status).toBe(200);
  expect(first.json()).toMatchObject({
    bucket: BUCKET,
    bucket_id: bucket.id,
    from: 0,
    to: 3,
    head: 3,
    has_more: true,
    changes: [{ cursor: 1 }, { cursor: 2 }, { cursor: 3 }],
  });
  const last = await ask({ cursor: '3' });
  expect(last.json()).toMatchObject({ from: 3, to: 4, head: 4, has_more: false });
  expect(last.json<{ changes: unknown }>().changes).toEqual([
    {
      cursor: 4,
      type: 'delete',
      object: expect.objectContaining({ key: 'a', version: 2, cursor: 4 }),
    },
  ]);
  expect((await ask({ cursor: '4' })).json()).toMatchObject({ from: 4, to: 4, changes: [] });
  expect((await ask({})).json()).toMatchObject({ from: 4, to: 4, head: 4, changes: [] });
});

test('a page with a prefix covers the whole range of cursors', async () => {
  const { deps, ask } = await setUp();
  for (const key of ['a/1', 'b/1', 'b/2']) await put(deps, key, 'x');
  const page = await ask({ cursor: '0', prefix: 'a/' });
  expect(page.json()).toMatchObject({ from: 0, to: 3, changes: [{ cursor: 1 }] });
});

test('a page ends before the cursor of a pending writer', async () => {
  const { deps, bucket, ask } = await setUp();
  await put(deps, 'a', '1');
  await deps.commits.allocate(bucket);
  await put(deps, 'b', '2');
  const page = await ask({ cursor: '0' });
  expect(page.json()).toMatchObject({ to: 1, head: 1, has_more: false });
  deps.clock.advance(2_000);
  expect((await ask({ cursor: '1' })).json()).toMatchObject({
    from: 1,
    to: 3,
    changes: [{ cursor: 3 }],
  });
});

test('the ETag is the head, and If-None-Match returns 304 until there is a new change', async () => {
  const { deps, ask } = await setUp();
  await put(deps, 'a', '1');
  const page = await ask({ cursor: '1' });
  expect(page.headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-store' });
  const headers = { 'If-None-Match': '"1"' };
  const unchanged = await ask({ cursor: '1' }, { headers });
  expect(unchanged).toMatchObject({ status: 304, body: Buffer.from('') });
  expect(unchanged.headers.etag).toBe('"1"');
  await put(deps, 'a', '2');
  expect((await ask({ cursor: '1' }, { headers })).status).toBe(200);
});

test.each<[string, Record<string, string>, number, object]>([
  ['no bucket', { bucket: '' }, 400, { field: 'bucket' }],
  ['a cursor ahead of the bucket', { cursor: '2' }, 400, { field: 'cursor', head: 1 }],
  ['a cursor that is no number', { cursor: 'one' }, 400, { field: 'cursor' }],
  ['a limit of 0', { limit: '0' }, 400, { field: 'limit' }],
  ['a limit of 1001', { limit: '1001' }, 400, { field: 'limit' }],
  ['a wait of 21 s', { wait: '21' }, 400, { field: 'wait' }],
  ['a wait of 1.5 s', { wait: '1.5' }, 400, { field: 'wait' }],
  [
    'the id of another incarnation',
    { cursor: '0', bucket_id: 'b99999999999' },
    410,
    { reason: 'bucket_replaced' },
  ],
  ['an unknown bucket', { bucket: 'none' }, 404, { bucket: 'none' }],
])('a request with %s is refused', async (_name, query, status, details) => {
  const { deps, ask } = await setUp();
  await put(deps, 'a', '1');
  const response = await ask(query);
  expect(response.status).toBe(status);
  expect(response.json()).toMatchObject({ error: { details } });
});

test('a cursor of a trimmed entry returns 410 with the oldest cursor', async () => {
  const { deps, bucket, ask } = await setUp();
  for (let n = 0; n < 4; n++) await put(deps, 'a', String(n));
  await deps.buckets.movePublished(bucket, { from: 0, to: 4, objects: 1, bytes: 1 });
  await deps.buckets.raiseOldest(bucket, 3);
  const response = await ask({ cursor: '1' });
  expect(response.status).toBe(410);
  expect(response.json()).toMatchObject({
    error: { code: 'cursor_expired', details: { oldest: 3, head: 4 } },
  });
  expect((await ask({ cursor: '2' })).json()).toMatchObject({ from: 2, to: 4 });
});

test('a caller without sync for the whole prefix gets 403, whether the bucket exists or not', async () => {
  const { ask } = await setUp();
  const permissions = [{ buckets: ['*'], prefix: 'a/', actions: ['sync' as const] }];
  expect((await ask({ prefix: 'a/b' }, { permissions })).status).toBe(200);
  for (const bucket of [BUCKET, 'none']) {
    expect((await ask({ bucket }, { permissions })).status).toBe(403);
  }
  const others = [{ buckets: ['*'], actions: ['read' as const, 'list' as const] }];
  expect((await ask({}, { permissions: others })).status).toBe(403);
});
