/** Commits that name the incarnation of their bucket, on the fakes. */
import { world } from './commit-world';

test('a commit for a deleted bucket changes nothing in the one that was created again', async () => {
  const { commit, store, ask, read } = await world();
  const idOf = async () => {
    const response = await ask({ path: '/buckets/photos' });
    return response.json<{ bucket_id: string }>().bucket_id;
  };
  const first = await idOf();
  await store('a');
  await ask({ method: 'DELETE', path: '/objects/photos/a' });
  await ask({ method: 'DELETE', path: '/buckets/photos' });
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await store('a');
  const change = { op: 'put', key: 'b', content: '' };
  const refused = await commit([change], { if_cursor: 1, bucket_id: first });
  expect(refused.status).toBe(412);
  expect(refused.json()).toMatchObject({ error: { details: { field: 'bucket_id' } } });
  expect(await read('/objects/photos/b')).toBe(404);
  const again = { if_cursor: 1, bucket_id: await idOf() };
  expect((await commit([change], again)).status).toBe(201);
  expect((await commit([change], { bucket_id: 'photos' })).status).toBe(400);
});
