/** Lists of objects, on the fakes. */
import { createApi } from '../../../service/storage-api';
import { setUp } from '../../lambdas/api/world';
import { send } from '../../support/requests';

interface Page {
  readonly objects: readonly { readonly key: string; readonly version: number }[];
  readonly prefixes: readonly string[];
  readonly cursor: number;
  readonly bucket_id: string;
  readonly next_page_token?: string;
}

type Query = Readonly<Record<string, string>>;

async function open(...keys: string[]) {
  const world = await setUp();
  const { ask, deps } = world;
  const store = (key: string, body = key) =>
    ask({ method: 'PUT', path: `/objects/photos/${key}`, body });
  for (const key of keys) await store(key);
  const list = (query: Query = {}, keyId = 'key-1') =>
    ask({ path: '/objects/photos', query, keyId });
  const page = async (query: Query = {}) => (await list(query)).json<Page>();
  const { id = '' } = (await deps.buckets.get('photos')) ?? {};
  return { ...world, id, store, list, page };
}

const keysOf = ({ objects }: Page) => objects.map(({ key }) => key);

test('a list has the objects, the prefixes, and the cursor at which a follower continues', async () => {
  const { list, ask, id } = await open('a', 'b/1', 'b/2', 'c');
  const response = await list({ delimiter: '/' });
  expect([response.status, response.headers['x-object-cursor']]).toEqual([200, '4']);
  const { objects, ...rest } = response.json<Page>();
  expect(rest).toEqual({ prefixes: ['b/'], cursor: 4, bucket_id: id });
  const query = { view: 'descriptor' };
  const descriptor = (await ask({ path: '/objects/photos/a', query })).json();
  expect(objects).toEqual([descriptor, expect.objectContaining({ key: 'c' })]);
});

test.each<[Query, string[]]>([
  [{}, ['a', 'b/1', 'b/2', 'c']],
  [{ prefix: 'b/' }, ['b/1', 'b/2']],
  [{ start_after: 'b/1' }, ['b/2', 'c']],
  [{ prefix: 'b/', start_after: 'b/1' }, ['b/2']],
  [{ limit: '2' }, ['a', 'b/1']],
])('a list with the query %j has the keys %j', async (query, keys) => {
  const { page } = await open('a', 'b/1', 'b/2', 'c');
  expect(keysOf(await page(query))).toEqual(keys);
});

test('later pages have the cursor of the first one, and no changes are missed', async () => {
  const { page, store } = await open('a', 'b', 'c');
  const first = await page({ limit: '2' });
  expect([keysOf(first), first.cursor]).toEqual([['a', 'b'], 3]);
  await store('d');
  const rest = await page({ limit: '2', page_token: first.next_page_token ?? '' });
  expect([keysOf(rest), rest.cursor]).toEqual([['c', 'd'], 3]);
  expect(rest).not.toHaveProperty('next_page_token');
});

test.each<[string, Query, string]>([
  ['another prefix', { prefix: 'a' }, 'key-1'],
  ['a delimiter', { delimiter: '/' }, 'key-1'],
  ['a start', { start_after: 'a' }, 'key-1'],
  ['an earlier state', { as_of: '3' }, 'key-1'],
  ['another key', {}, 'key-2'],
])('a page token is refused for %s', async (_what, query, keyId) => {
  const { page, list } = await open('a', 'b', 'c');
  const { next_page_token: page_token = '' } = await page({ limit: '1' });
  const refused = await list({ ...query, page_token }, keyId);
  expect([refused.status, refused.json()]).toMatchObject([
    400,
    { error: { details: { field: 'page_token' } } },
  ]);
});

test('a page token is refused for another bucket, and one of the same name', async () => {
  const { page, list, ask } = await open('a', 'b');
  const { next_page_token: page_token = '' } = await page({ limit: '1' });
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
  expect((await ask({ path: '/objects/music', query: { page_token } })).status).toBe(400);
  for (const key of ['a', 'b']) await ask({ method: 'DELETE', path: `/objects/photos/${key}` });
  await ask({ method: 'DELETE', path: '/buckets/photos' });
  expect((await list({ page_token })).status).toBe(404);
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  expect((await list({ page_token })).json()).toMatchObject({
    error: { details: { field: 'page_token', rule: 'belongs to a deleted bucket' } },
  });
});

test('a list of an earlier state has its objects and its cursor, on every page', async () => {
  const { page, list, store, ask, deps } = await open('a', 'b', 'c');
  await store('a', 'changed');
  await ask({ method: 'DELETE', path: '/objects/photos/c' });
  await store('d');
  const query = { as_of: '3', limit: '2' };
  const first = await page(query);
  expect([keysOf(first), first.cursor]).toEqual([['a', 'b'], 3]);
  expect(first.objects[0]).toMatchObject({ version: 1, size: 1 });
  const page_token = first.next_page_token ?? '';
  const stats = jest.spyOn(deps.buckets, 'stats');
  const rest = await list({ ...query, page_token });
  // Whether the state is still kept, and nothing else: the first page has decided which it is.
  expect(stats).toHaveBeenCalledTimes(1);
  expect([keysOf(rest.json<Page>()), rest.headers['x-object-cursor']]).toEqual([['c'], '3']);
  const other = await list({ ...query, as_of: '4', page_token });
  expect(other.status).toBe(400);
  expect(keysOf(await page())).toEqual(['a', 'b', 'd']);
});

test.each<[Query, string]>([
  [{ limit: '0' }, 'limit'],
  [{ as_of: '-1' }, 'as_of'],
  [{ as_of: '9' }, 'as_of'],
  [{ page_token: 'x' }, 'page_token'],
  [{ prefix: '\ud800' }, 'prefix'],
  [{ delimiter: '\ud800' }, 'delimiter'],
  [{ start_after: '\ud800' }, 'start_after'],
])('a list with the query %j is refused', async (query, field) => {
  const { list } = await open('a');
  const refused = await list(query);
  expect([refused.status, refused.json()]).toMatchObject([400, { error: { details: { field } } }]);
});

test('a key with list below a prefix gets what lies there, and 403 elsewhere', async () => {
  const { ask } = await open('a/1', 'b/1');
  const permissions = [{ buckets: ['photos'], prefix: 'a/', actions: ['list' as const] }];
  const path = '/objects/photos';
  expect(keysOf((await ask({ path, permissions })).json<Page>())).toEqual(['a/1']);
  const refused = await ask({ path, permissions, query: { prefix: 'b/' } });
  expect(refused.json()).toMatchObject({
    error: { code: 'forbidden', details: { action: 'list', bucket: 'photos', prefix: 'b/' } },
  });
});

test('a secret that could not be read once is read again by the next request', async () => {
  const { deps } = await open('a');
  let calls = 0;
  const serviceState = Object.assign(Object.create(deps.serviceState), {
    once: async (...given: Parameters<typeof deps.serviceState.once>) => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error('x'), { name: 'ThrottlingException' });
      return deps.serviceState.once(...given);
    },
  });
  const app = createApi({ ...deps, serviceState });
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await send(app, { path: '/objects/photos' })).status);
  expect([statuses, calls]).toEqual([[503, 200, 200], 2]);
});
