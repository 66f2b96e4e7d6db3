/** Named consumers over HTTP, on the fakes. */
import type { Permission } from '../../../core/access/ports';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { NEVER_STOP } from '../../../core/stop-signal';
import { setUp } from './world';

const LIST = '/buckets/photos/consumers';
const ONE = `${LIST}/indexer`;

interface ConsumerJson {
  readonly name: string;
  readonly cursor: number;
  readonly bucket_id: string;
}

async function open() {
  const world = await setUp();
  const { ask, deps } = world;
  const store = (body: object, path = ONE, more: object = {}) =>
    ask({ method: 'PUT', path, body: JSON.stringify(body), ...more });
  /** Makes so many changes, which are published. */
  const change = async (count: number) => {
    for (let n = 0; n < count; n++) {
      await ask({ method: 'PUT', path: '/objects/photos/a', body: String(n) });
    }
    await publishChanges(deps, 'photos');
  };
  const read = async () => (await ask({ path: ONE })).json<ConsumerJson>();
  const bucket = async () => {
    const record = await deps.buckets.get('photos');
    if (!record) throw new Error('no bucket');
    return record;
  };
  return { ...world, store, change, read, bucket };
}

test('a consumer is created with its cursor, and shows its lag', async () => {
  const { store, change, read, bucket, deps } = await open();
  await change(3);
  const made = await store({ cursor: 1 });
  expect(made.status).toBe(201);
  const stored = {
    ...{ bucket: 'photos', bucket_id: (await bucket()).id, name: 'indexer', cursor: 1 },
    updated_at: deps.clock.iso(),
  };
  expect(made.json()).toEqual(stored);
  deps.clock.advance(90_000);
  const behind = { lag: 2, lag_seconds: 90, behind_retention: false };
  expect(await read()).toEqual({ ...stored, ...behind });
  const moved = await store({ cursor: 3 });
  expect([moved.status, moved.json<ConsumerJson>().cursor]).toEqual([200, 3]);
  expect(await read()).toMatchObject({ cursor: 3, lag: 0, lag_seconds: 0 });
});

test('the age of a lag counts from the first change, not from a no-op entry', async () => {
  const { store, change, read, bucket, deps } = await open();
  await change(1);
  await store({ cursor: 1 });
  const record = await bucket();
  const cursor = await deps.commits.allocate(record);
  if (cursor === undefined) throw new Error('no cursor');
  await deps.changeLog.fill(record.id, {
    ...{ type: 'noop', bucket: 'photos', cursor, at: deps.clock.iso() },
  });
  await publishChanges(deps, 'photos');
  deps.clock.advance(60_000);
  expect(await read()).toMatchObject({ cursor: 1, lag: 1, lag_seconds: 0 });
  await change(1);
  deps.clock.advance(5_000);
  expect(await read()).toMatchObject({ cursor: 1, lag: 2, lag_seconds: 5 });
});

test('a cursor moves forward without a condition, and back only with if_cursor', async () => {
  const { store, change, read } = await open();
  await change(3);
  expect((await store({ cursor: 2, if_cursor: 1 })).status).toBe(412);
  expect((await store({ cursor: 2, if_cursor: null })).status).toBe(201);
  const exists = await store({ cursor: 3, if_cursor: null });
  expect(exists.status).toBe(412);
  expect(exists.json()).toMatchObject({ error: { details: { field: 'if_cursor', cursor: 2 } } });
  expect((await store({ cursor: 1 })).status).toBe(412);
  expect((await store({ cursor: 1, if_cursor: 3 })).status).toBe(412);
  expect(await read()).toMatchObject({ cursor: 2 });
  expect((await store({ cursor: 1, if_cursor: 2 })).status).toBe(200);
  expect((await store({ cursor: 1 })).status).toBe(200);
  expect(await read()).toMatchObject({ cursor: 1 });
});

test.each<[string, object, number]>([
  ['ahead of the bucket', { cursor: 4 }, 400],
  ['below 0', { cursor: -1 }, 400],
  ['that is no number', { cursor: '1' }, 400],
  ['beside an unknown field', { cursor: 1, bucket: 'photos' }, 400],
  ['beside a condition that is no number', { cursor: 1, if_cursor: '1' }, 400],
  ['beside a prefix that is no text', { cursor: 1, prefix: 1 }, 400],
  ['of another incarnation of the bucket', { cursor: 1, bucket_id: 'x'.repeat(12) }, 410],
])('a cursor %s is refused', async (_what, body, status) => {
  const { store, change } = await open();
  await change(3);
  expect((await store(body)).status).toBe(status);
});

test.each(['%2F', '.hidden', 'x'.repeat(65), 'a%20b'])('the name %s gets 400', async (name) => {
  const { store } = await open();
  expect((await store({ cursor: 0 }, `${LIST}/${name}`)).status).toBe(400);
});

test('a consumer behind the retention shows it, and cannot be moved to a trimmed cursor', async () => {
  const { store, change, read, bucket, deps } = await open();
  await change(2);
  await store({ cursor: 0 });
  deps.clock.advance(8 * 86_400_000);
  await change(1);
  const stats = await deps.buckets.stats('photos');
  if (!stats) throw new Error('no stats');
  const limits = { ...deps, retentionSeconds: 7 * 86_400 };
  await trimBucket(limits, await bucket(), stats, { entries: 100, signal: NEVER_STOP });
  deps.clock.advance(60_000);
  const lag = { lag: 3, lag_seconds: 8 * 86_400 + 60, behind_retention: true };
  expect(await read()).toMatchObject({ cursor: 0, ...lag });
  const refused = await store({ cursor: 1, if_cursor: 0 });
  expect(refused.status).toBe(410);
  expect(refused.json()).toMatchObject({ error: { details: { oldest: 3 } } });
});

test('a list has the consumers by name with their lags, page by page', async () => {
  const { ask, store, change } = await open();
  await change(2);
  for (const name of ['c', 'a', 'b']) {
    await store({ cursor: name === 'b' ? 2 : 1 }, `${LIST}/${name}`);
  }
  type Page = { consumers: ConsumerJson[]; next_page_token?: string };
  const first = (await ask({ path: LIST, query: { limit: '2' } })).json<Page>();
  expect(first.consumers).toMatchObject([
    { name: 'a', lag: 1 },
    { name: 'b', lag: 0 },
  ]);
  const query = { limit: '2', page_token: first.next_page_token ?? '' };
  const rest = (await ask({ path: LIST, query })).json<Page>();
  expect(rest).toEqual({ consumers: [expect.objectContaining({ name: 'c', lag: 1 })] });
  const other = await ask({ path: LIST, query, keyId: 'another' });
  expect(other.status).toBe(400);
});

test('a deleted consumer is 404, and so is one of a bucket that was created again', async () => {
  const { ask, store } = await open();
  await store({ cursor: 0 });
  const remove = { method: 'DELETE', path: ONE };
  expect((await ask(remove)).status).toBe(204);
  expect((await ask(remove)).status).toBe(404);
  expect((await ask({ path: ONE })).status).toBe(404);
  await store({ cursor: 0 });
  await ask({ method: 'DELETE', path: '/buckets/photos' });
  expect((await ask({ path: ONE })).status).toBe(404);
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  expect((await ask({ path: ONE })).status).toBe(404);
  expect((await ask({ path: LIST })).json()).toEqual({ consumers: [] });
});

test('a retry with the same Idempotency-Key gets the first response', async () => {
  const { ask, store, change, read } = await open();
  await change(3);
  const headers = { 'Idempotency-Key': 'k1' };
  const first = await store({ cursor: 1 }, ONE, { headers });
  await store({ cursor: 3 });
  const again = await store({ cursor: 1 }, ONE, { headers });
  expect([again.status, again.json()]).toEqual([201, first.json()]);
  expect(await read()).toMatchObject({ cursor: 3 });
  const remove = { method: 'DELETE', path: ONE, headers: { 'Idempotency-Key': 'k2' } };
  for (let n = 0; n < 2; n++) expect((await ask(remove)).status).toBe(204);
});

const only = (actions: Permission['actions'], prefix?: string): Permission[] => [
  { buckets: ['photos'], actions, ...(prefix !== undefined && { prefix }) },
];

test('a consumer needs sync for its prefix, and is 404 to a key without it', async () => {
  const { ask, store } = await open();
  const mine = { permissions: only(['sync'], 'a/') };
  const others = { permissions: only(['sync'], 'b/') };
  const none = { permissions: only(['read', 'write', 'list']) };
  expect((await store({ cursor: 0 }, ONE, mine)).status).toBe(403);
  expect((await store({ cursor: 0, prefix: 'a/' }, ONE, others)).status).toBe(403);
  expect((await store({ cursor: 0, prefix: 'a/' }, ONE, mine)).status).toBe(201);
  expect((await ask({ path: ONE, ...mine })).json()).toMatchObject({ prefix: 'a/' });
  for (const request of [{ path: ONE }, { path: ONE, method: 'DELETE' }]) {
    expect((await ask({ ...request, ...others })).status).toBe(404);
    expect((await ask({ ...request, ...none })).status).toBe(403);
  }
  for (const name of ['a', 'k', 'z']) await store({ cursor: 0 }, `${LIST}/${name}`);
  const one = { path: LIST, query: { limit: '1' } };
  expect((await ask({ ...one, ...others })).json()).toEqual({ consumers: [] });
  expect((await ask({ ...one, ...mine })).json()).toEqual({
    consumers: [expect.objectContaining({ name: 'indexer' })],
  });
  expect((await ask({ path: LIST, ...none })).status).toBe(403);
  expect((await store({ cursor: 0, prefix: 'b/' }, ONE, others)).status).toBe(409);
  expect((await ask({ path: ONE, method: 'DELETE', ...mine })).status).toBe(204);
});

test('a consumer whose cursor another request keeps moving is 503 in the end', async () => {
  const { store, deps } = await open();
  await store({ cursor: 0 });
  deps.clock.advance(1);
  const { consumers } = deps;
  consumers.put = async () => 'changed';
  const response = await store({ cursor: 0 });
  expect(response.status).toBe(503);
});
