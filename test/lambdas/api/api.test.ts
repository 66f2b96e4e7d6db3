/**
 * What the app adds to the operations: dispatch, errors, repeated headers, stale bucket ids, page
 * tokens. On the fakes.
 */
import type { Permission } from '../../../core/access/ports';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createDownload } from '../../../service/download-api';
import { createApi } from '../../../service/storage-api';
import { incomingRequest, send } from '../../support/requests';
import { tombstone } from '../../support/samples';
import { put, setUp } from './world';

test.each([
  ['/nope', 404, 'not_found'],
  ['/objects', 404, 'not_found'],
  ['/objects/', 404, 'not_found'],
  ['/buckets/photos/x', 404, 'not_found'],
  ['/sync', 400, 'invalid_request'],
  ['/sync/photos', 404, 'not_found'],
  ['/objects/photos/', 400, 'invalid_request'],
  ['/objects/photos/%', 400, 'invalid_request'],
  ['/objects/PHOTOS/a', 400, 'invalid_request'],
])('GET %s returns %i %s', async (path, status, code) => {
  const { ask } = await setUp();
  const response = await ask({ path });
  expect(response.status).toBe(status);
  expect(response.json()).toEqual({
    error: expect.objectContaining({ code, request_id: 'request-1', message: expect.any(String) }),
  });
});

test.each([
  ['PATCH', '/buckets', 'GET, HEAD, POST'],
  ['PUT', '/buckets/photos', 'GET, HEAD, PATCH, DELETE'],
  ['POST', '/objects/photos', 'GET, HEAD, DELETE'],
  ['POST', '/objects/photos/a', 'GET, HEAD, PUT, DELETE'],
  ['GET', '/signed-url', 'POST'],
  ['DELETE', '/uploads/01KAG8Y2M4Q7T9V1X3Z5B7D9F1', 'GET, HEAD'],
])('%s %s returns 405 with Allow: %s', async (method, path, allow) => {
  const { ask } = await setUp();
  const response = await ask({ method, path });
  expect([response.status, response.headers.allow]).toEqual([405, allow]);
});

test('the download function serves reads of objects and nothing else', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const app = createDownload(deps);
  expect((await send(app, { path: '/objects/photos/a' })).body.toString()).toBe('one');
  expect((await send(app, { ...put, method: 'DELETE' })).status).toBe(405);
});

test('the row of a signed upload names the bucket in S3 and the key that signed last', async () => {
  const { deps, ask } = await setUp();
  const sign = (keyId: string, multipart: object) => {
    const body = JSON.stringify({ bucket: 'photos', key: 'u', method: 'PUT', multipart });
    return ask({ method: 'POST', path: '/signed-url', body, keyId });
  };
  const { upload_id: id } = (await sign('first', { size: 10 })).json<{ upload_id: string }>();
  const signer = { keyId: 'first', generation: 0 };
  expect(await deps.uploads.get(id)).toMatchObject({ store: deps.blobs.bucketName, signer });
  await sign('second', { upload_id: id });
  expect((await deps.uploads.get(id))?.signer).toEqual({ ...signer, keyId: 'second' });
});

test.each<[string, boolean, Permission[]]>([
  ['for the bucket', true, [{ buckets: ['photos'], actions: ['sync'] }]],
  ['for an empty prefix', true, [{ buckets: ['photos'], prefix: '', actions: ['read'] }]],
  ['for a prefix', false, [{ buckets: ['photos'], prefix: 'a', actions: ['read', 'list'] }]],
  [
    'for a prefix, and for another bucket',
    false,
    [
      { buckets: ['p*'], prefix: 'a', actions: ['read'] },
      { buckets: ['other'], actions: ['list'] },
    ],
  ],
])(
  'a key with a permission %s sees counters of the bucket: %s',
  async (_name, sees, permissions) => {
    const { ask } = await setUp();
    const shown = sees ? { object_count: 0, total_size: 0 } : {};
    const { created_at: _, ...bucket } = (
      await ask({ path: '/buckets/photos', permissions })
    ).json();
    const bucket_id = expect.stringMatching(/^[0-9A-Za-z]{12}$/);
    expect(bucket).toEqual({ name: 'photos', bucket_id, cursor: 0, ...shown });
    const list = (await ask({ path: '/buckets', permissions })).json<{ buckets: object[] }>();
    expect(list.buckets).toEqual([{ ...bucket, created_at: expect.any(String) }]);
  },
);

test('a bucket whose deletion takes longer than a request is 503 until it is deleted', async () => {
  const { deps } = await setUp();
  let pages = 0;
  const objects = Object.assign(Object.create(deps.objects), {
    list: async (...read: Parameters<typeof deps.objects.list>) => {
      deps.clock.advance(10_000);
      pages += 1;
      return pages === 2
        ? { items: [tombstone({ key: 'a' })], more: true }
        : deps.objects.list(...read);
    },
  });
  const app = createApi({ ...deps, objects });
  const remove = { method: 'DELETE', path: '/buckets/photos', headers: { 'Idempotency-Key': 'd' } };
  const first = await send(app, remove);
  expect([first.status, first.headers['retry-after']]).toEqual([503, '1']);
  expect(first.body.toString()).toContain('continues');
  expect(first.json()).toMatchObject({ error: { details: { bucket: 'photos' } } });
  expect((await send(app, remove)).status).toBe(204);
  expect((await send(app, remove)).status).toBe(204);
});

test('HEAD returns the headers of GET and no body, also for an error', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const get = await ask({ path: '/objects/photos/a' });
  // Refills the token bucket, so that the headers of the rate limit are equal.
  deps.clock.advance(1000);
  const head = await ask({ method: 'HEAD', path: '/objects/photos/a' });
  expect(head.headers).toEqual(get.headers);
  expect(head.body).toHaveLength(0);
  const list = await ask({ method: 'HEAD', path: '/buckets' });
  expect(Number(list.headers['content-length'])).toBeGreaterThan(2);
  const missing = await ask({ method: 'HEAD', path: '/objects/photos/none' });
  expect([missing.status, missing.body.length]).toEqual([404, 0]);
});

test.each([
  ['JSON', '/buckets', 200],
  ['an error', '/objects/photos/none', 404],
  ['an object', '/objects/photos/a', 200],
])('%s is neither guessed nor run by a browser, without an edge too', async (_, path, status) => {
  const { ask } = await setUp();
  await ask(put);
  const response = await ask({ path });
  expect(response.status).toBe(status);
  expect(response.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
});

test('an unexpected error returns 500 without internals, and is logged', async () => {
  const { deps, ask } = await setUp();
  const secret = 'arn:aws:dynamodb:secret-table';
  const objects = { ...deps.objects, get: () => Promise.reject(new Error(secret)) };
  const response = await send(createApi({ ...deps, objects }), { path: '/objects/photos/a' });
  expect(response.status).toBe(500);
  expect(response.body.toString()).not.toContain('secret');
  expect(JSON.stringify(deps.log.lines.map(({ event }) => event))).toContain('request_failed');
  expect((await ask({ path: '/buckets' })).status).toBe(200);
});

test.each(['ProvisionedThroughputExceededException', 'TimeoutError', 'SlowDown'])(
  'a request that fails with %s returns 503 with Retry-After',
  async (name) => {
    const { deps } = await setUp();
    const failure = Object.assign(new Error('x'), { name });
    const objects = { ...deps.objects, get: () => Promise.reject(failure) };
    const response = await send(createApi({ ...deps, objects }), { path: '/objects/photos/a' });
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
  },
);

test('a key that expired after the authorizer’s response was cached gets 401', async () => {
  const { ask } = await setUp();
  const response = await ask({ path: '/buckets', expiresAt: '2026-01-01T00:00:00.000Z' });
  expect(response.status).toBe(401);
});

test('an instance with a stale bucket id finds a bucket that another instance deleted and created again', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const elsewhere = createApi({ ...deps, bucketIds: new BucketIds(deps.buckets) });
  await send(elsewhere, { method: 'DELETE', path: '/objects/photos/a' });
  await send(elsewhere, { method: 'DELETE', path: '/buckets/photos' });
  expect((await ask({ path: '/objects/photos/a' })).status).toBe(404);
  await send(elsewhere, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(elsewhere, { ...put, body: 'new incarnation' });
  expect((await ask({ path: '/objects/photos/a' })).body.toString()).toBe('new incarnation');
  const written = await ask({ ...put, body: 'again' });
  expect([written.status, written.headers['x-object-version']]).toEqual([200, '2']);
});

test('an instance with a stale bucket id checks conditions and versions in the current incarnation', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const elsewhere = createApi({ ...deps, bucketIds: new BucketIds(deps.buckets) });
  await send(elsewhere, { method: 'DELETE', path: '/objects/photos/a' });
  await send(elsewhere, { method: 'DELETE', path: '/buckets/photos' });
  expect((await ask({ path: '/objects/photos/a', query: { version: '1' } })).status).toBe(404);
  await send(elsewhere, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(elsewhere, { ...put, body: 'new incarnation' });
  const old = await ask({ path: '/objects/photos/a', query: { version: '1' } });
  expect(old.body.toString()).toBe('new incarnation');
  const stale = createApi({ ...deps, bucketIds: staleIds(deps.buckets) });
  const replaced = await send(stale, { ...put, headers: { 'If-Match': '*' } });
  expect(replaced.status).toBe(200);
});

/** Bucket ids with a stale id in their cache. */
function staleIds(buckets: ConstructorParameters<typeof BucketIds>[0]): BucketIds {
  const ids = new BucketIds(buckets);
  jest.spyOn(ids, 'resolve').mockResolvedValueOnce({ name: 'photos', id: 'b99999999999' });
  return ids;
}

test('a list never returns a cursor after that of a pending writer', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const { id } = (await deps.buckets.get('photos')) ?? { id: '' };
  await deps.commits.allocate({ name: 'photos', id });
  for (const path of ['/objects/photos', '/buckets/photos']) {
    expect((await ask({ path })).json().cursor).toBe(1);
  }
});

test.each([
  ['If-None-Match', '"zzz"', 412],
  ['If-Match', '"zzz"', 200],
  ['Content-Type', 'c/d', 400],
  ['Idempotency-Key', 'b', 400],
])(
  '%s on two lines is joined when it is a list, and refused otherwise',
  async (name, last, status) => {
    const { deps, ask } = await setUp();
    const first = (await ask(put)).headers.etag ?? '';
    const request = { ...incomingRequest(put), headers: { [name]: [first, last] } };
    expect((await createApi(deps)(request)).status).toBe(status);
  },
);

test('a buffered deployment refuses a multipart upload whose response would not fit', async () => {
  const { ask } = await setUp({ responseMode: 'buffered' });
  const multipart = { size: 10_000 * 5 * 1024 * 1024, part_size: 5 * 1024 * 1024 };
  const body = JSON.stringify({ bucket: 'photos', key: 'u', method: 'PUT', multipart });
  const response = await ask({ method: 'POST', path: '/signed-url', body });
  const fits = response.status === 201 && response.body.length <= 5 * 1024 * 1024;
  const refused =
    response.status === 400 && response.body.toString().includes('multipart.part_size');
  expect(fits || refused).toBe(true);
});

test('a page token expires within minutes after its secret is replaced, and new tokens work', async () => {
  const { deps, ask } = await setUp();
  for (const key of ['a', 'b', 'c']) await ask({ ...put, path: `/objects/photos/${key}` });
  const page = async (token?: string) => {
    const query = { limit: '1', ...(token !== undefined && { page_token: token }) };
    const response = await ask({ path: '/objects/photos', query });
    const json: Record<string, unknown> = response.json();
    const { objects, next_page_token: next } = json as {
      objects?: { key: string }[];
      next_page_token?: string;
    };
    return { status: response.status, first: objects?.[0]?.key, next, error: json.error };
  };
  const { next: old } = await page();
  deps.state.service.delete('page-token-secret');
  expect((await page(old)).first).toBe('b');
  deps.clock.advance(5 * 60_000);
  expect(await page(old)).toMatchObject({ status: 400, error: { code: 'invalid_request' } });
  const { next: fresh } = await page();
  expect((await page(fresh)).first).toBe('b');
});
