/** The operations on buckets, on the fakes. */
import type { ApiKeyRecord, Permission } from '../../../core/access/ports';
import { createApi } from '../../../service/storage-api';
import { put, setUp } from '../../lambdas/api/world';
import { send, type TestRequest } from '../../support/requests';
import { newKey } from '../../support/samples';

const PHOTOS = '/buckets/photos';
const only = (actions: Permission['actions'], prefix?: string): Permission[] => [
  { buckets: ['photos'], actions, ...(prefix !== undefined && { prefix }) },
];

async function open() {
  const world = await setUp();
  const { ask, deps } = world;
  const { id = '' } = (await deps.buckets.get('photos')) ?? {};
  const patch = (lifecycle: unknown, more: Partial<TestRequest> = {}) =>
    ask({ method: 'PATCH', path: PHOTOS, body: JSON.stringify({ lifecycle }), ...more });
  const empty = {
    ...{ name: 'photos', bucket_id: id, created_at: deps.clock.iso(), cursor: 0 },
    ...{ object_count: 0, total_size: 0 },
  };
  return { ...world, id, patch, empty };
}

interface Page {
  readonly buckets: readonly { readonly name: string }[];
  readonly next_page_token?: string;
}

test('a new bucket is returned with its address, and as it is read later', async () => {
  const { ask, deps } = await open();
  const made = await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
  expect(made.status).toBe(201);
  expect(made.headers).toMatchObject({
    location: '/api/v2/storage/buckets/music',
    'x-object-cursor': '0',
  });
  expect(made.json()).toEqual({
    ...{ name: 'music', created_at: deps.clock.iso(), cursor: 0, object_count: 0, total_size: 0 },
    bucket_id: (await deps.buckets.get('music'))?.id,
  });
  const read = await ask({ path: '/buckets/music' });
  expect([read.status, read.json()]).toEqual([200, made.json()]);
  const again = await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
  expect(again.status).toBe(409);
});

test.each<[string, string, string]>([
  ['an unknown field', '{"name":"music","id":"x"}', 'id'],
  ['a name that is no text', '{"name":1}', 'name'],
])('a new bucket with %s is refused', async (_what, body, field) => {
  const { ask } = await open();
  const response = await ask({ method: 'POST', path: '/buckets', body });
  expect([response.status, response.json()]).toMatchObject([
    400,
    { error: { details: { field } } },
  ]);
});

test.each<[string, TestRequest, string]>([
  ['created', { method: 'POST', path: '/buckets', body: '{"name":"photos-2"}' }, 'create_bucket'],
  ['deleted', { method: 'DELETE', path: PHOTOS }, 'delete_bucket'],
])('a bucket is %s only with the permission for it', async (_what, request, action) => {
  const { ask } = await open();
  const others = ['read', 'write', 'delete', 'list', 'sync', 'sign'] as const;
  const permissions = [{ buckets: ['*'], actions: others }];
  const refused = await ask({ ...request, permissions });
  expect(refused.status).toBe(403);
  expect(refused.json()).toMatchObject({ error: { details: { action } } });
  const prefixed = [{ buckets: ['*'], actions: [action], prefix: 'a' }] as Permission[];
  expect((await ask({ ...request, permissions: prefixed })).status).toBe(403);
  const granted = [{ buckets: ['*'], actions: [action] }] as Permission[];
  expect((await ask({ ...request, permissions: granted })).status).toBeLessThan(300);
});

test('buckets are listed by name, page by page, to the key that began', async () => {
  const { ask, empty } = await open();
  for (const name of ['music', 'video']) {
    await ask({ method: 'POST', path: '/buckets', body: JSON.stringify({ name }) });
  }
  const list = async (query: Record<string, string>, keyId = 'key-1') =>
    (await ask({ path: '/buckets', query, keyId })).json<Page>();
  const first = await list({ limit: '2' });
  expect(first).toEqual({
    buckets: [expect.objectContaining({ name: 'music' }), empty],
    next_page_token: expect.any(String),
  });
  const page_token = first.next_page_token ?? '';
  const rest = await list({ limit: '2', page_token });
  expect(rest).toEqual({ buckets: [expect.objectContaining({ name: 'video' })] });
  expect(await list({ page_token }, 'another')).toMatchObject({
    error: { details: { field: 'page_token' } },
  });
  expect((await list({})).buckets).toHaveLength(3);
});

test('a list of buckets has those that the key may see, and no others', async () => {
  const { ask } = await open();
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
  const page = await ask({ path: '/buckets', permissions: only(['read']) });
  expect(page.json<Page>().buckets.map(({ name }) => name)).toEqual(['photos']);
});

test('a bucket has the cursor of its last change, and 404 when there is none', async () => {
  const { ask } = await open();
  await ask(put);
  const { headers, body } = await ask({ path: PHOTOS });
  expect(headers['x-object-cursor']).toBe('1');
  expect(JSON.parse(body.toString())).toMatchObject({ name: 'photos', cursor: 1 });
  const none = await ask({ path: '/buckets/none' });
  expect([none.status, none.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
});

describe('the lifecycle of a bucket', () => {
  const RULES = [{ expire_after_days: 3 }, { prefix: 'tmp/', expire_after_days: 1 }];

  test('is replaced as a whole, and shown to keys that see the whole bucket', async () => {
    const { ask, patch, empty } = await open();
    const changed = await patch(RULES);
    expect(changed.status).toBe(200);
    expect(changed.headers['x-object-cursor']).toBe('0');
    expect(changed.json()).toEqual({ ...empty, lifecycle: RULES });
    expect((await ask({ path: PHOTOS })).json()).toEqual(changed.json());
    const { object_count: _, total_size: __, ...confined } = empty;
    const permissions = only(['read'], 'a/');
    expect((await ask({ path: PHOTOS, permissions })).json()).toEqual(confined);
    expect((await patch([])).json()).toEqual(empty);
    expect((await ask({ path: PHOTOS })).json()).toEqual(empty);
  });

  test('needs delete for the whole bucket', async () => {
    const { patch } = await open();
    const most = ['read', 'write', 'list', 'sync', 'sign', 'delete_bucket'] as const;
    for (const permissions of [only(most), only(['delete'], 'tmp/')]) {
      const refused = await patch(RULES, { permissions });
      expect([refused.status, refused.json()]).toMatchObject([
        403,
        { error: { details: { action: 'delete', bucket: 'photos' } } },
      ]);
    }
    expect((await patch(RULES, { permissions: only(['delete']) })).status).toBe(200);
  });

  test('of a bucket that does not exist, or is deleted meanwhile, is 404', async () => {
    const { ask, patch, deps } = await open();
    const body = '{"lifecycle":[]}';
    expect((await ask({ method: 'PATCH', path: '/buckets/none', body })).status).toBe(404);
    const buckets = Object.assign(Object.create(deps.buckets), {
      setLifecycle: async () => 'missing',
    });
    const request = { method: 'PATCH', path: PHOTOS, body };
    expect((await send(createApi({ ...deps, buckets }), request)).status).toBe(404);
    expect((await patch('none')).status).toBe(400);
  });
});

test('a deleted bucket leaves its last cursor, and 404', async () => {
  const { ask } = await open();
  await ask(put);
  expect((await ask({ method: 'DELETE', path: PHOTOS })).status).toBe(409);
  await ask({ ...put, method: 'DELETE' });
  const deleted = await ask({ method: 'DELETE', path: PHOTOS });
  expect([deleted.status, deleted.headers['x-object-cursor'], deleted.body.length]).toEqual([
    204,
    '2',
    0,
  ]);
  expect((await ask({ path: PHOTOS })).status).toBe(404);
  expect((await ask({ method: 'DELETE', path: PHOTOS })).status).toBe(404);
});

const session = (more: object) => newKey({ id: 'key-1', name: 's', kind: 'session', ...more });

test.each<[string, ApiKeyRecord | undefined, object]>([
  ['of a key that is gone', undefined, { actor: 'key-1', actorId: 'key-1' }],
  ['of an API key', newKey({ id: 'key-1', name: 'app' }), { actor: 'app', actorId: 'key-1' }],
  [
    'of a session',
    session({ createdBy: 'ada', actorId: 'sub-ada' }),
    { actor: 'ada', actorId: 'sub-ada' },
  ],
  ['of a session without a person', session({}), { actor: 's', actorId: 'key-1' }],
])('the audit record of a deletion names the holder %s', async (_what, key, holder) => {
  const { ask, deps } = await open();
  if (key) deps.state.apiKeys.set(key.id, key);
  expect((await ask({ method: 'DELETE', path: PHOTOS })).status).toBe(204);
  const { records } = await deps.audit.list(10);
  expect(records).toMatchObject([{ action: 'delete_bucket', keyId: 'key-1', ...holder }]);
});
