/** Links by the client, against the operations of the service on the fakes. */
import { StowageClient, StowageError } from '../../client';
import { BucketIds } from '../../core/objects/bucket-ids';
import { createApi } from '../../lambdas/shared/storage-api';
import { createFakes } from '../support/fakes/fakes';
import { send, type TestRequest } from '../support/requests';

function open() {
  const fakes = createFakes();
  const app = createApi({
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream',
    sharing: { ...fakes, baseUrl: 'https://files.example/' },
  });
  const ask = (request: TestRequest) => send(app, request);
  const fetch = async (address: string, init: RequestInit) => {
    const { pathname, searchParams } = new URL(address);
    const { status, headers, body } = await ask({
      method: init.method,
      path: pathname.replace('/api/v2/storage', ''),
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body != null && { body: String(init.body) }),
    });
    return new Response(status === 204 ? null : body, { status, headers });
  };
  return { ask, client: new StowageClient({ baseUrl: 'https://files.example', fetch }) };
}

test('the client makes, lists and revokes links', async () => {
  const { ask, client } = open();
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await client.put('photos', 'a', 'hello');
  const options = { expiresIn: 60, maxUses: 2, note: 'for you', idempotencyKey: 'k' };
  const { url, ...link } = await client.links.create('photos', 'a', options);
  expect(url).toMatch(/^https:\/\/files\.example\/s\//);
  expect(link).toMatchObject({ max_uses: 2, note: 'for you', has_password: false });
  expect((await client.links.create('photos', 'a', options)).url).toBe(url);
  const other = await client.links.create('photos', 'a', { password: 'sesame' });
  const { links, next_page_token: pageToken } = await client.links.list('photos', { limit: 1 });
  const rest = await client.links.list('photos', { limit: 1, pageToken });
  expect([...links, ...rest.links].map(({ id }) => id).sort()).toEqual([link.id, other.id].sort());
  await client.links.revoke(link.id);
  await expect(client.links.revoke(link.id)).rejects.toThrow(StowageError);
  await expect(client.links.create('photos', 'none')).rejects.toMatchObject({ code: 'not_found' });
});
