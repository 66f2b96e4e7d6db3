/** Links by the client, against the operations of the service on the fakes. */
import { StowageError } from '../../client';
import { clientOfFakes } from './client-of-fakes';

test('the client makes, lists and revokes links', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('photos');
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
