/**
 * The storage API for principals of the account: the alias determines the caller, everything else
 * equals the HTTP interface. On the fakes.
 */
import { Readable } from 'node:stream';
import { sha256Base64 } from '../../../core/http/digests';
import { LIMITS } from '../../../core/limits';
import { putObject } from '../../../core/objects/objects';
import { parseGrants } from '../../../lambdas/internal/grants';
import { internalResponse } from '../../../lambdas/internal/payload';
import { createApi } from '../../../service/storage-api';
import { invoke, invokeWith, payloadOf } from '../../support/invocations';
import { send, type TestRequest } from '../../support/requests';
import { openWorld, setUp } from './world';

const UNCONDITIONAL = { conditions: () => undefined, conditional: false };
const PUT = { method: 'PUT', path: '/objects/photos/b', body: 'two' };

describe('the internal function', () => {
  const REQUESTS: TestRequest[] = [
    { method: 'POST', path: '/buckets', body: '{"name":"photos"}' },
    { method: 'POST', path: '/buckets', body: '{"name":"photos"}' },
    { method: 'POST', path: '/buckets', body: '{"name":"Photos"}' },
    { path: '/buckets', query: { limit: '1' } },
    { method: 'HEAD', path: '/buckets/photos' },
    {
      method: 'PUT',
      path: '/objects/photos/a%20b/%C3%A4',
      body: Buffer.from([0, 255, 128]),
      headers: {
        'Content-Type': 'image/png',
        'X-Object-Meta-Taken': '2026',
        'Idempotency-Key': 'k',
      },
    },
    {
      method: 'PUT',
      path: '/objects/photos/a%20b/%C3%A4',
      body: Buffer.from([0, 255, 128]),
      headers: {
        'Content-Type': 'image/png',
        'X-Object-Meta-Taken': '2026',
        'Idempotency-Key': 'k',
      },
    },
    { method: 'PUT', path: '/objects/photos/a', body: '', headers: { 'If-None-Match': '*' } },
    { method: 'PUT', path: '/objects/photos/a', body: 'x', headers: { 'If-None-Match': '*' } },
    { method: 'PUT', path: '/objects/photos/%', body: 'x' },
    { method: 'PUT', path: '/objects/photos/../x', body: 'x' },
    { method: 'PUT', path: '/objects/photos/large', body: Buffer.alloc(4 * 1024 * 1024 + 1) },
    { path: '/objects/photos/a%20b/%C3%A4' },
    { path: '/objects/photos/a%20b/%C3%A4', headers: { Range: 'bytes=1-1' } },
    { path: '/objects/photos/a%20b/%C3%A4', headers: { Range: 'bytes=9-' } },
    { path: '/objects/photos/a%20b/%C3%A4', query: { view: 'descriptor' } },
    { method: 'HEAD', path: '/objects/photos/a%20b/%C3%A4' },
    { path: '/objects/photos/none' },
    { path: '/objects/photos', query: { prefix: 'a', delimiter: '/', limit: '10' } },
    { path: '/objects/photos', query: { limit: '0' } },
    { path: '/objects/other' },
    {
      method: 'POST',
      path: '/signed-url',
      body: '{"method":"PUT","bucket":"photos","key":"x","expires_in":60}',
    },
    { method: 'POST', path: '/signed-url', body: '{' },
    { path: '/uploads/01KAG8Y2M4Q7T9V1X3Z5B7D9F1' },
    { path: '/sync', query: { bucket: 'photos', cursor: '0' } },
    {
      path: '/sync',
      query: { bucket: 'photos', cursor: '0' },
      headers: { 'If-None-Match': '"2"' },
    },
    { path: '/sync', query: { bucket: 'photos', cursor: '99' } },
    { method: 'DELETE', path: '/objects/photos/a' },
    { method: 'DELETE', path: '/buckets/photos' },
    { method: 'PATCH', path: '/buckets' },
    { path: '/nope' },
  ];

  test('returns the responses of the HTTP interface, without the headers of rate limits', async () => {
    const { deps, internal } = openWorld();
    const other = openWorld();
    const api = createApi(other.deps);
    expect(deps.clock.now()).toBe(other.deps.clock.now());
    for (const request of REQUESTS) {
      // Leaves out the body: Jest would compare megabytes byte by byte.
      const { body: _, ...what } = request;
      const expected = await send(api, request);
      const { ratelimit, 'ratelimit-policy': policy, ...headers } = expected.headers;
      expect([ratelimit, policy]).toEqual([expect.any(String), expect.any(String)]);
      const response = await invoke(internal, 'all', request);
      expect({ what, status: response.status, headers: response.headers }).toEqual({
        what,
        status: expected.status,
        headers,
      });
      expect([what, response.body.equals(expected.body)]).toEqual([what, true]);
    }
  });
});

describe('a principal', () => {
  test('has the permissions of its alias', async () => {
    const { as } = await setUp();
    const read = as('read');
    expect((await read({ path: '/objects/photos/a' })).body.toString()).toBe('one');
    expect((await read({ path: '/objects/photos' })).status).toBe(200);
    for (const request of [
      PUT,
      { method: 'DELETE', path: '/objects/photos/a' },
      { method: 'POST', path: '/buckets', body: '{"name":"mine"}' },
      { method: 'DELETE', path: '/buckets/photos' },
      { method: 'POST', path: '/signed-url', body: '{"method":"PUT","bucket":"photos","key":"a"}' },
      { path: '/sync', query: { bucket: 'photos' } },
    ]) {
      const response = await read(request);
      expect([response.status, response.json().error]).toEqual([
        403,
        expect.objectContaining({ code: 'forbidden', request_id: 'request-1' }),
      ]);
    }
  });

  test('has permissions only for its buckets and prefix', async () => {
    const { as } = await setUp();
    const photos = as('photos');
    const put = async (path: string) => (await photos({ ...PUT, path })).status;
    expect(await put('/objects/photos/public/x')).toBe(201);
    expect(await put('/objects/photos/private/x')).toBe(403);
    expect(await put('/objects/photos/public%2F..%2Fprivate')).toBe(400);
    expect(await put('/objects/other/public/x')).toBe(403);
    expect(await put('/objects/photos%2F..%2Fother/public/x')).toBe(400);
  });

  test.each(['', '$LATEST', 'write', 'toString', '__proto__', 'read:all', 'READ'])(
    'has no permissions when it invokes the function as "%s"',
    async (alias) => {
      const { internal } = await setUp();
      const response = await invokeWith(internal, alias, payloadOf({ path: '/objects/photos/a' }));
      expect(response.status).toBe(403);
      expect(response.json()).toEqual({
        error: {
          code: 'forbidden',
          message: expect.stringContaining('invoke the alias'),
          request_id: 'request-1',
        },
      });
    },
  );

  test('cannot use the saved responses and page tokens of another principal', async () => {
    const { all, as } = await setUp();
    const headers = { 'Idempotency-Key': 'same' };
    const first = await all({ ...PUT, headers });
    const again = await all({ ...PUT, headers });
    expect(again.json()).toEqual(first.json());
    const other = await as('photos')({ ...PUT, path: '/objects/photos/public/y', headers });
    expect(other.status).toBe(201);
    const page = await all({ path: '/objects/photos', query: { limit: '1' } });
    const page_token = String(page.json().next_page_token);
    const query = { limit: '1', page_token };
    expect((await all({ path: '/objects/photos', query })).status).toBe(200);
    expect((await as('read')({ path: '/objects/photos', query })).status).toBe(400);
  });

  test('reads changes by pages, because a ticket needs an API key', async () => {
    const { as } = await setUp();
    const sync = as('sync');
    const page = await sync({ path: '/sync', query: { bucket: 'photos', cursor: '0' } });
    expect(page.json()).toMatchObject({ from: 0, to: 1, changes: [{ cursor: 1 }] });
    const body = '{"method":"SYNC","bucket":"photos"}';
    const ticket = await sync({ method: 'POST', path: '/signed-url', body });
    expect([ticket.status, ticket.json()]).toEqual([
      400,
      {
        error: expect.objectContaining({ details: { field: 'method', rule: expect.any(String) } }),
      },
    ]);
  });
});

describe('a large response', () => {
  /** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  const LAMBDA_BYTES = 6_291_556;
  const sizeOf = async (body: string | Uint8Array | Readable) =>
    Buffer.byteLength(JSON.stringify(await internalResponse({ status: 200, headers: {}, body })));

  test('fits into an invocation: lists full of quotes, parts of uploads, content', async () => {
    expect(await sizeOf('"'.repeat(LIMITS.pageBytes))).toBeLessThan(LAMBDA_BYTES);
    expect(await sizeOf('x'.repeat(LIMITS.bufferedJsonBytes))).toBeLessThan(LAMBDA_BYTES);
    const content = Buffer.alloc(LIMITS.bufferedDownloadBytes, 255);
    expect(await sizeOf(content)).toBeLessThan(LAMBDA_BYTES);
    expect(await sizeOf(Readable.from([content]))).toBeLessThan(LAMBDA_BYTES);
  });

  test('is a redirect to a signed URL when the content does not fit', async () => {
    const { deps, all } = await setUp();
    const body = Buffer.alloc(LIMITS.bufferedDownloadBytes + 1);
    const content = { body, contentType: 'text/plain', headers: {}, metadata: {} };
    const checksumSha256 = sha256Base64(body);
    const name = { bucket: 'photos', key: 'large' };
    await putObject(deps, name, { ...content, checksumSha256 }, UNCONDITIONAL);
    const response = await all({ path: '/objects/photos/large' });
    expect([response.status, response.body.length]).toEqual([307, 0]);
    expect(response.headers.location).toMatch(/^https:/);
  });
});

test('each invocation logs the principal, but neither query nor signed URL', async () => {
  const { deps, as } = await setUp();
  deps.log.lines.length = 0;
  await as('read')({ path: '/objects/photos', query: { prefix: 'secret' } });
  await as('unknown')({ path: '/objects/photos/a' });
  expect(deps.log.lines).toEqual([
    {
      level: 'info',
      event: 'request',
      fields: {
        principal: 'read',
        method: 'GET',
        path: '/api/v2/storage/objects/photos',
        requestId: 'request-1',
        status: 200,
        milliseconds: 0,
      },
    },
    {
      level: 'info',
      event: 'request',
      fields: { principal: 'unknown', requestId: 'request-1', status: 403, milliseconds: 0 },
    },
  ]);
});

test.each(['[]', 'null', '{"a":[]}', '{"a":[{"buckets":["*"],"actions":["fly"]}]}', '{"a":{}}'])(
  'parseGrants throws for %s',
  (value) => {
    expect(() => parseGrants(value)).toThrow(/GRANTS|permissions/);
  },
);
