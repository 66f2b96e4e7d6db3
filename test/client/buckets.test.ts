/** Buckets and expiry by the client, against the operations of the service on the fakes. */
import { clientOfFakes } from './client-of-fakes';

async function open() {
  const opened = clientOfFakes();
  await opened.client.buckets.create('photos');
  return opened;
}

test('the client sets the lifecycle rules of a bucket, and returns them with it', async () => {
  const { client } = await open();
  const lifecycle = [{ prefix: 'tmp/', expire_after_days: 7 }];
  expect(await client.buckets.setLifecycle('photos', lifecycle)).toMatchObject({ lifecycle });
  expect(await client.buckets.get('photos')).toMatchObject({ name: 'photos', lifecycle });
  expect(await client.buckets.setLifecycle('photos', [])).not.toHaveProperty('lifecycle');
  await expect(client.buckets.get('none')).rejects.toMatchObject({ code: 'not_found' });
});

test('the client sets and removes the expiry of an object', async () => {
  const { fakes, client } = await open();
  const expiresAt = new Date(fakes.clock.now() + 3_600_000).toISOString();
  const made = await client.put('photos', 'a', 'x', { expiresAt });
  expect(made.expires_at).toBe(expiresAt);
  expect(await client.patch('photos', 'a', { expiresAt: null })).not.toHaveProperty('expires_at');
  const copied = await client.copy('photos', 'b', { key: 'a' }, { expiresAt });
  expect(copied.expires_at).toBe(expiresAt);
});
