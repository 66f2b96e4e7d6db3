/** Buckets and expiry by the client, against the operations of the service on the fakes. */
import { StowageClient } from '../../client';
import { BucketIds } from '../../core/objects/bucket-ids';
import { createApi } from '../../lambdas/shared/storage-api';
import { createFakes } from '../support/fakes/fakes';
import { send } from '../support/requests';

async function open() {
  const fakes = createFakes();
  const app = createApi({
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream',
  });
  const fetch = async (address: string, init: RequestInit) => {
    const { pathname } = new URL(address);
    const { status, headers, body } = await send(app, {
      method: init.method,
      path: pathname.replace('/api/v2/storage', ''),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body != null && { body: String(init.body) }),
    });
    return new Response(body, { status, headers });
  };
  await send(app, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  return { fakes, client: new StowageClient({ baseUrl: 'https://files.example', fetch }) };
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
