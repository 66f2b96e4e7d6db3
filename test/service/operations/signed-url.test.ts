/** Signing URLs, on the fakes. */
import type { Permission } from '../../../core/access/ports';
import { LIMITS } from '../../../core/limits';
import { createApi } from '../../../service/storage-api';
import { put } from '../../lambdas/api/world';
import { restEvent, send } from '../../support/requests';
import { open, type Signed } from './signing-world';

describe('a signed GET', () => {
  test('returns the object that the URL serves, and ends in five minutes', async () => {
    const { ask, deps, sign, inSeconds } = await open();
    const { etag } = (await ask(put)).json();
    const signed = await sign({ method: 'GET' });
    expect(signed.status).toBe(201);
    const { url, ...rest } = signed.json<Signed>();
    expect(rest).toEqual({
      ...{ method: 'GET', headers: {}, expires_at: inSeconds(300) },
      ...{ bucket: 'photos', key: 'a', version: 1, size: 3, etag },
    });
    const served = await deps.s3.request('GET', url);
    expect(served.body.toString()).toBe('one');
    expect(served.headers).not.toHaveProperty('content-disposition');
  });

  test('serves the disposition that was asked for, and else that of a patch', async () => {
    const { ask, deps, sign } = await open();
    await ask(put);
    const changes = [{ op: 'patch', key: 'a', content_disposition: 'inline' }];
    const body = JSON.stringify({ bucket: 'photos', changes });
    await ask({ method: 'POST', path: '/commits', body });
    const servedBy = async (fields: object) => {
      const { url } = (await sign({ method: 'GET', expires_in: 9, ...fields })).json<Signed>();
      return (await deps.s3.request('GET', url)).headers['content-disposition'];
    };
    expect(await servedBy({})).toBe('inline');
    expect(await servedBy({ content_disposition: 'attachment' })).toBe('attachment');
  });

  test('of an object or a bucket that does not exist is 404', async () => {
    const { sign } = await open();
    const none = await sign({ method: 'GET' });
    expect([none.status, none.json()]).toMatchObject([404, { error: { details: { key: 'a' } } }]);
    expect((await sign({ method: 'GET', bucket: 'none' })).status).toBe(404);
  });
});

test.each<[string, object, Permission['actions'], object]>([
  ['GET without sign', { method: 'GET' }, ['read'], { action: 'sign', key: 'a' }],
  ['GET without read', { method: 'GET' }, ['sign', 'write'], { action: 'read', key: 'a' }],
  ['PUT without write', { method: 'PUT' }, ['sign', 'read'], { action: 'write', key: 'a' }],
])('a signed %s is refused', async (_what, fields, actions, details) => {
  const { sign } = await open();
  const refused = await sign(fields, { permissions: [{ buckets: ['*'], actions }] });
  expect([refused.status, refused.json()]).toMatchObject([
    403,
    { error: { details: { ...details, bucket: 'photos' } } },
  ]);
});

describe('a signed PUT', () => {
  test('returns its headers and an id, under which all that decides over it is stored', async () => {
    const { deps, bucketId, sign, inSeconds, rowOf } = await open();
    const object_expires_at = inSeconds(3600);
    const wish = {
      ...{ method: 'PUT', content_type: 'text/plain', content_length: 5 },
      ...{ metadata: { colour: 'blue' }, commit: false, expires_in: 60, object_expires_at },
    };
    const signed = await sign(wish);
    expect(signed.status).toBe(201);
    const { url, upload_id: id, ...rest } = signed.json<Signed>();
    expect(rest).toEqual({
      ...{ method: 'PUT', bucket: 'photos', key: 'a', expires_at: inSeconds(60) },
      headers: {
        'if-none-match': '*',
        'content-type': 'text/plain',
        'content-length': '5',
        'x-amz-meta-colour': 'blue',
      },
    });
    expect(url).toMatch(/^https:/);
    expect(await rowOf(id)).toEqual({
      ...{ id, bucket: 'photos', bucketId, key: 'a', store: deps.blobs.bucketName },
      ...{ blob: `uploads/photos.${bucketId}/a/${id}`, state: 'pending' },
      ...{ awaitsCommit: true, objectExpiresAt: object_expires_at, expiresAt: inSeconds(60) },
      ...{ signer: { keyId: 'key-1', generation: 0 } },
      ttl: deps.clock.now() / 1000 + 60 + LIMITS.uploadRowSeconds,
    });
  });

  test('keeps the condition under which it is committed', async () => {
    const { sign, rowOf } = await open();
    const rowFor = async (fields: object) => {
      const { upload_id: id } = (await sign({ method: 'PUT', ...fields })).json<Signed>();
      return rowOf(id);
    };
    expect(await rowFor({ if_match: 'abc' })).toMatchObject({ ifMatch: '"abc"' });
    expect(await rowFor({ if_none_match: '*' })).toMatchObject({ ifNoneMatch: '*' });
  });

  test('without wishes stores an upload that is committed as soon as it arrives', async () => {
    const { deps, bucketId, sign, inSeconds, rowOf } = await open();
    deps.clock.advance(500);
    const { upload_id: id } = (await sign({ method: 'PUT' })).json<Signed>();
    expect(await rowOf(id)).toEqual({
      ...{ id, bucket: 'photos', bucketId, key: 'a', store: deps.blobs.bucketName },
      ...{ blob: `uploads/photos.${bucketId}/a/${id}`, state: 'pending' },
      ...{ signer: { keyId: 'key-1', generation: 0 }, expiresAt: inSeconds(300) },
      ttl: Math.ceil(deps.clock.now() / 1000) + 300 + LIMITS.uploadRowSeconds,
    });
  });

  test('of an object that has expired by then, or of a missing bucket, is refused', async () => {
    const { deps, sign } = await open();
    const past = await sign({ method: 'PUT', object_expires_at: deps.clock.iso() });
    expect([past.status, past.json()]).toMatchObject([
      400,
      { error: { details: { field: 'object_expires_at' } } },
    ]);
    expect((await sign({ method: 'PUT', bucket: 'none' })).status).toBe(404);
  });
});

describe('a ticket', () => {
  const TICKET = { method: 'SYNC', key: undefined };

  test('of a whole bucket names no prefix, and keeps what its key may', async () => {
    const { deps, inSeconds } = await open();
    const restriction = {
      permissions: [{ buckets: ['*'], actions: ['sign' as const, 'sync' as const] }],
      expiresAt: '2027-01-01T00:00:00.000Z',
    };
    const body = JSON.stringify({ method: 'SYNC', bucket: 'photos' });
    const event = restEvent({ method: 'POST', path: '/signed-url', body });
    const more = { generation: '3', restriction: JSON.stringify(restriction) };
    Object.assign(event.requestContext.authorizer ?? {}, more);
    const made = await createApi(deps)(event);
    const { url, ...rest } = JSON.parse(String(made.body));
    expect([made.status, rest]).toEqual([
      201,
      { method: 'SYNC', headers: {}, bucket: 'photos', expires_at: inSeconds(60) },
    ]);
    const { searchParams } = new URL(url);
    expect([...searchParams.keys()]).toEqual(['bucket', 'ticket']);
    expect([...deps.state.tickets.values()]).toMatchObject([
      { keyId: 'key-1', generation: 3, restriction, bucket: 'photos', prefix: '' },
    ]);
  });

  test('is refused with an Idempotency-Key, and where callers have no API key', async () => {
    const { deps, sign } = await open();
    const keyed = await sign(TICKET, { headers: { 'Idempotency-Key': 'k' } });
    expect([keyed.status, keyed.json()]).toMatchObject([
      400,
      { error: { details: { field: 'Idempotency-Key' } } },
    ]);
    const body = JSON.stringify({ method: 'SYNC', bucket: 'photos' });
    const app = createApi({ ...deps, tickets: undefined });
    const none = await send(app, { method: 'POST', path: '/signed-url', body });
    expect([none.status, none.json()]).toMatchObject([
      400,
      { error: { details: { field: 'method' } } },
    ]);
    const permissions = [{ buckets: ['*'], prefix: 'b/', actions: ['sign', 'sync'] as const }];
    const elsewhere = await sign({ ...TICKET, prefix: 'a/' }, { permissions });
    expect([elsewhere.status, elsewhere.json()]).toMatchObject([
      403,
      { error: { details: { action: 'sign', bucket: 'photos', prefix: 'a/' } } },
    ]);
    expect((await sign({ ...TICKET, prefix: 'b/' }, { permissions })).status).toBe(201);
  });
});
