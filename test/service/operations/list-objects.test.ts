/** Lists of objects, on the fakes. */
import { setUp } from '../../lambdas/api/world';

type Query = Readonly<Record<string, string>>;

async function open(...keys: string[]) {
  const world = await setUp();
  const { ask } = world;
  for (const key of keys) await ask({ method: 'PUT', path: `/objects/photos/${key}`, body: key });
  const list = (query: Query = {}, keyId = 'key-1') =>
    ask({ path: '/objects/photos', query, keyId });
  const page = async (query: Query) => (await list(query)).json<{ next_page_token?: string }>();
  return { ...world, list, page };
}

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
