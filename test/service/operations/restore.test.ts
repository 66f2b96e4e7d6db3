/** POST /restore and DELETE by prefix: what they take, and what they return. On the fakes. */
import type { Permission } from '../../../core/access/ports';
import { StaleBucketRef } from '../../../core/bucket-ref';
import { DEFAULT_RATES } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { createApi } from '../../../service/storage-api';
import { setUp } from '../../lambdas/api/world';
import { send } from '../../support/requests';

async function open() {
  const world = await setUp();
  const { ask, deps } = world;
  const store = (key: string, body: string) =>
    ask({ method: 'PUT', path: `/objects/photos/${key}`, body });
  await store('a', 'one');
  await store('b', 'one');
  await store('a', 'changed');
  await ask({ method: 'DELETE', path: '/objects/photos/b' });
  await store('c', 'new');
  await publishChanges(deps, 'photos');
  const restore = (body: object, more: object = {}) =>
    ask({
      ...{ method: 'POST', path: '/restore', ...more },
      body: JSON.stringify({ bucket: 'photos', as_of: 2, ...body }),
    });
  const sizes = async () => {
    const { objects } = (await ask({ path: '/objects/photos' })).json<{
      objects: readonly { key: string; size: number }[];
    }>();
    return Object.fromEntries(objects.map(({ key, size }) => [key, size]));
  };
  return { ...world, store, restore, sizes };
}

const COUNTS = { bucket: 'photos', as_of: 2, restored: 2, deleted: 1, unchanged: 0 };

test('a restore returns what it changed, and at which cursors', async () => {
  const { restore, sizes } = await open();
  const done = await restore({});
  expect([done.status, done.json()]).toEqual([200, { ...COUNTS, from: 6, to: 8, has_more: false }]);
  expect(await sizes()).toEqual({ a: 3, b: 3 });
  expect((await restore({})).json()).toEqual({
    ...{ ...COUNTS, restored: 0, deleted: 0, unchanged: 2, has_more: false },
  });
});

test('a dry run returns what a restore would change, and changes nothing', async () => {
  const { restore, sizes } = await open();
  const dry = await restore({ dry_run: true });
  expect([dry.status, dry.json()]).toEqual([
    200,
    {
      ...{ ...COUNTS, has_more: false, dry_run: true },
      changes: [
        { key: 'a', type: 'put', version: 1, size: 3 },
        { key: 'b', type: 'put', version: 1, size: 3 },
        { key: 'c', type: 'delete' },
      ],
    },
  ]);
  expect(await sizes()).toEqual({ a: 7, c: 3 });
  expect((await restore({ dry_run: false })).json()).not.toHaveProperty('dry_run');
});

test('a restore of a prefix leaves the others alone', async () => {
  const { restore, sizes } = await open();
  expect((await restore({ prefix: 'b' })).json()).toMatchObject({ restored: 1, deleted: 0 });
  expect(await sizes()).toEqual({ a: 7, b: 3, c: 3 });
});

test('a restore names the objects whose bytes are lost, and restores the others', async () => {
  const { restore, deps } = await open();
  const [blob] = [...deps.state.blobs.keys()];
  deps.state.blobs.delete(blob ?? '');
  const done = (await restore({})).json<{ failed: object[]; restored: number }>();
  expect([done.restored, done.failed]).toEqual([1, [expect.objectContaining({ key: 'a' })]]);
});

test.each<[object, string]>([
  [{ as_of: -1 }, 'as_of'],
  [{ as_of: 1.5 }, 'as_of'],
  [{ as_of: undefined }, 'as_of'],
  [{ as_of: 99 }, 'as_of'],
  [{ dry_run: 'true' }, 'dry_run'],
  [{ dry_run: null }, 'dry_run'],
  [{ page_token: '' }, 'page_token'],
  [{ page_token: 1 }, 'page_token'],
  [{ page_token: 'x' }, 'page_token'],
  [{ prefix: 1 }, 'prefix'],
  [{ bucket: 'Photos' }, 'bucket'],
  [{ to: 1 }, 'to'],
])('a restore with %j is refused', async (body, field) => {
  const { restore, sizes } = await open();
  const refused = await restore(body);
  expect([refused.status, refused.json()]).toMatchObject([400, { error: { details: { field } } }]);
  expect(await sizes()).toEqual({ a: 7, c: 3 });
});

test('a restore of a missing bucket is 404, whatever the token', async () => {
  const { restore } = await open();
  for (const more of [{}, { page_token: 'x' }]) {
    expect((await restore({ bucket: 'none', ...more })).status).toBe(404);
  }
});

const ACTIONS = ['list', 'read', 'write', 'delete'] as const;

test.each(ACTIONS)('a restore needs %s for the whole prefix', async (action) => {
  const { restore } = await open();
  const permissions: Permission[] = [
    { buckets: ['*'], actions: ACTIONS.filter((one) => one !== action) },
    { buckets: ['*'], actions: [action], prefix: 'b' },
  ];
  const refused = await restore({ as_of: undefined }, { permissions });
  expect([refused.status, refused.json()]).toMatchObject([
    403,
    { error: { details: { action, bucket: 'photos' } } },
  ]);
  expect((await restore({ prefix: 'b' }, { permissions })).status).toBe(200);
});

test('a restore of a bucket that is deleted meanwhile is 503', async () => {
  const { deps } = await open();
  const body = JSON.stringify({ bucket: 'photos', as_of: 2 });
  const request = { method: 'POST', path: '/restore', body };
  const failing = (error: Error) => {
    const list = () => Promise.reject(error);
    const objects = Object.assign(Object.create(deps.objects), { list });
    return send(createApi({ ...deps, objects }), request);
  };
  const stale = await failing(new StaleBucketRef());
  expect([stale.status, stale.headers['retry-after']]).toEqual([503, '1']);
  expect((await failing(new Error('x'))).status).toBe(500);
});

describe('a deletion by prefix', () => {
  const path = '/objects/photos';
  const remove = { method: 'DELETE', path };

  test('returns how many it deleted, at which cursors', async () => {
    const { ask, store, sizes } = await open();
    await store('c/1', 'x');
    await store('c/2', 'x');
    const done = await ask({ ...remove, query: { prefix: 'c/' } });
    expect([done.status, done.json()]).toEqual([
      200,
      { bucket: 'photos', deleted: 2, from: 8, to: 9, has_more: false },
    ]);
    expect(await sizes()).toEqual({ a: 7, c: 3 });
    expect((await ask({ ...remove, query: { prefix: 'z' } })).json()).toEqual({
      ...{ bucket: 'photos', deleted: 0, has_more: false },
    });
  });

  test('ends when the key has no tokens left, and continues in the same bucket only', async () => {
    const write = { rate: 1, burst: 2 };
    const { ask, deps } = await setUp({ rateTiers: { default: { ...DEFAULT_RATES, write } } });
    for (const key of ['c/1', 'c/2', 'c/3']) {
      await ask({ method: 'PUT', path: `${path}/${key}`, body: 'x', keyId: `writer ${key}` });
    }
    const query = { prefix: 'c/' };
    const first = (await ask({ ...remove, query })).json<{ next_page_token: string }>();
    expect(first).toMatchObject({ deleted: 1, has_more: true });
    const next = { ...remove, query: { ...query, page_token: first.next_page_token } };
    expect((await ask({ ...next, keyId: 'another' })).status).toBe(400);
    for (const key of ['c/2', 'c/3']) {
      await ask({ ...remove, path: `${path}/${key}`, keyId: `deleter ${key}` });
    }
    await ask({ method: 'DELETE', path: '/buckets/photos', keyId: 'deleter' });
    const body = '{"name":"photos"}';
    await ask({ method: 'POST', path: '/buckets', body, keyId: 'maker' });
    deps.clock.advance(5000);
    const late = await ask(next);
    expect([late.status, late.json()]).toMatchObject([
      400,
      { error: { details: { field: 'page_token', rule: 'is of a deleted bucket' } } },
    ]);
  });

  test.each<[object, string]>([
    [{}, 'prefix'],
    [{ query: { prefix: '\ud800' } }, 'prefix'],
    [{ query: { prefix: '' }, headers: { 'Idempotency-Key': 'k' } }, 'Idempotency-Key'],
    [{ query: { prefix: '', page_token: 'x' } }, 'page_token'],
  ])('with %j is refused', async (more, field) => {
    const { ask, sizes } = await open();
    const refused = await ask({ ...remove, ...more });
    expect([refused.status, refused.json()]).toMatchObject([
      400,
      { error: { details: { field } } },
    ]);
    expect(await sizes()).toEqual({ a: 7, c: 3 });
  });

  test('needs delete for the prefix, and without one for all', async () => {
    const { ask } = await open();
    const permissions = [{ buckets: ['*'], actions: ['delete' as const], prefix: 'c' }];
    const refused = await ask({ ...remove, permissions, query: { prefix: 'b' } });
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      { error: { details: { action: 'delete', bucket: 'photos', prefix: 'b' } } },
    ]);
    expect((await ask({ ...remove, permissions })).status).toBe(403);
    expect((await ask({ ...remove, permissions, query: { prefix: 'c' } })).status).toBe(200);
  });
});
