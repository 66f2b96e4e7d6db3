/** Tickets, which open a channel without an API key. On the fakes. */

import type { ApiDeps } from '../../../service/operations/deps';
import { createApi } from '../../../service/storage-api';
import { BUCKET, openBucket } from '../../support/bucket-world';
import { incomingRequest, send } from '../../support/requests';

async function setUp() {
  const { deps, bucket } = await openBucket();
  const responseMode: ApiDeps['responseMode'] = 'stream';
  const tickets = { subscriptions: deps.subscriptions, syncUrl: 'wss://sync.example/sync' };
  return { deps, bucket, app: createApi({ ...deps, responseMode, tickets }) };
}

describe('a ticket', () => {
  const mint = (app: Awaited<ReturnType<typeof setUp>>['app'], body: object, more = {}) =>
    send(app, {
      method: 'POST',
      path: '/signed-url',
      body: JSON.stringify({ method: 'SYNC', bucket: BUCKET, ...body }),
      ...more,
    });

  test('is a URL with the bucket, the prefix and the ticket', async () => {
    const { deps, app } = await setUp();
    const response = await mint(app, { prefix: 'a&b/' });
    expect(response.status).toBe(201);
    const { url, ...rest } = response.json<{ url: string }>();
    expect(rest).toEqual({
      method: 'SYNC',
      headers: {},
      bucket: BUCKET,
      prefix: 'a&b/',
      expires_at: new Date(deps.clock.now() + 60_000).toISOString(),
    });
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe('wss://sync.example/sync');
    expect(Object.fromEntries(searchParams)).toEqual({
      bucket: BUCKET,
      prefix: 'a&b/',
      ticket: expect.stringMatching(/^[\w-]{49}$/),
    });
  });

  test('has the generation of the secret that created it', async () => {
    const { deps, app } = await setUp();
    const body = JSON.stringify({ method: 'SYNC', bucket: BUCKET });
    const request = incomingRequest({ method: 'POST', path: '/signed-url', body });
    const claim = request.claim && { ...request.claim, generation: 3 };
    expect(await app({ ...request, claim })).toMatchObject({ status: 201 });
    expect([...deps.state.tickets.values()]).toMatchObject([{ generation: 3 }]);
  });

  test('needs sign and sync for its prefix, and allows no other field', async () => {
    const { app } = await setUp();
    for (const actions of [['sign' as const], ['sync' as const]]) {
      const permissions = [{ buckets: ['*'], actions }];
      expect((await mint(app, {}, { permissions })).status).toBe(403);
    }
    expect((await mint(app, { key: 'a' })).status).toBe(400);
    expect((await mint(app, {}, { headers: { 'Idempotency-Key': 'x' } })).status).toBe(400);
  });
});
