/**
 * The interface for principals of the account: who asks is told by the alias, everything else is as
 * over HTTP. On the fakes.
 */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { Permission } from '../../../core/access/ports';
import { sha256Base64 } from '../../../core/http/digests';
import { LIMITS } from '../../../core/limits';
import { BucketIds } from '../../../core/objects/bucket-ids';
import { putObject } from '../../../core/objects/objects';
import { createInternal } from '../../../lambdas/internal/app';
import { parseGrants } from '../../../lambdas/internal/grants';
import { internalResponse } from '../../../lambdas/internal/payload';
import { createApi } from '../../../lambdas/shared/storage-api';
import { createFakes } from '../../support/fakes/fakes';
import { invoke, invokeWith, payloadOf } from '../../support/invocations';
import { EVERYTHING, send, type TestRequest } from '../../support/requests';

const READ: Permission[] = [{ buckets: ['*'], actions: ['read', 'list', 'sign'] }];
const GRANTS = new Map<string, readonly Permission[]>([
  ['all', EVERYTHING],
  ['read', READ],
  ['photos', [{ buckets: ['photos'], prefix: 'public/', actions: ['read', 'list', 'write'] }]],
  ['sync', [{ buckets: ['photos'], actions: ['sync', 'list', 'sign'] }]],
]);

function world() {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'buffered' as const,
  };
  return { deps, internal: createInternal(deps, GRANTS) };
}

async function setUp() {
  const { deps, internal } = world();
  const as = (alias: string) => (request: TestRequest) => invoke(internal, alias, request);
  const all = as('all');
  await all({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await all({ method: 'PUT', path: '/objects/photos/a', body: 'one' });
  return { deps, internal, as, all };
}

const ANYHOW = { conditions: () => undefined, conditional: false };
const PUT = { method: 'PUT', path: '/objects/photos/b', body: 'two' };

describe('answers as the HTTP interface does', () => {
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

  test('to every request, limits of API keys apart', async () => {
    const { deps, internal } = world();
    const other = world();
    const api = createApi(other.deps);
    expect(deps.clock.now()).toBe(other.deps.clock.now());
    for (const request of REQUESTS) {
      // Jest would compare megabytes one by one.
      const { body: _, ...what } = request;
      const expected = await send(api, request);
      const { ratelimit, 'ratelimit-policy': policy, ...headers } = expected.headers;
      expect([ratelimit, policy]).toEqual([expect.any(String), expect.any(String)]);
      const answer = await invoke(internal, 'all', request);
      expect({ what, status: answer.status, headers: answer.headers }).toEqual({
        what,
        status: expected.status,
        headers,
      });
      expect([what, answer.body.equals(expected.body)]).toEqual([what, true]);
    }
  });
});

describe('authority', () => {
  test('is that of the alias', async () => {
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
      const answer = await read(request);
      expect([answer.status, answer.json().error]).toEqual([
        403,
        expect.objectContaining({ code: 'forbidden', request_id: 'request-1' }),
      ]);
    }
  });

  test('ends at its buckets and prefix', async () => {
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
    'is none when the function is invoked as "%s"',
    async (alias) => {
      const { internal } = await setUp();
      const answer = await invokeWith(internal, alias, payloadOf({ path: '/objects/photos/a' }));
      expect(answer.status).toBe(403);
      expect(answer.json()).toEqual({
        error: {
          code: 'forbidden',
          message: expect.stringContaining('invoke the alias'),
          request_id: 'request-1',
        },
      });
    },
  );

  test('of one principal opens nothing of another: neither its answers nor its pages', async () => {
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

  test('to follow is by pages: a ticket would be of an API key', async () => {
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

describe('a payload', () => {
  const valid = payloadOf({ path: '/objects/photos/a' });

  test.each<[string, unknown, string]>([
    ['null', null, 'payload'],
    ['text', 'GET /', 'payload'],
    ['a list', [valid], 'payload'],
    ['nothing', {}, 'method'],
    ['an unknown field', { ...valid, alias: 'all' }, 'alias'],
    ['an event of API Gateway', { httpMethod: 'GET', path: '/' }, 'httpMethod'],
    ['a context of its own', { ...valid, requestContext: { authorizer: {} } }, 'requestContext'],
    ['a method in small letters', { ...valid, method: 'get' }, 'method'],
    ['a list of methods', { ...valid, method: ['GET'] }, 'method'],
    ['a path with its query', { ...valid, path: '/api/v2/storage/sync?bucket=photos' }, 'path'],
    ['a path with a fragment', { ...valid, path: '/api/v2/storage/buckets#x' }, 'path'],
    ['a path that is not encoded', { ...valid, path: '/api/v2/storage/objects/photos/ä' }, 'path'],
    ['a path with a line feed', { ...valid, path: '/api/v2/storage/buckets\n' }, 'path'],
    ['an address', { ...valid, path: 'https://example.com/api/v2/storage/buckets' }, 'path'],
    ['a long path', { ...valid, path: `/${'a'.repeat(3000)}` }, 'path'],
    ['a query in text', { ...valid, query: 'limit=1' }, 'query'],
    ['a parameter twice', { ...valid, query: { limit: ['1', '2'] } }, 'query.limit'],
    ['half a character', { ...valid, query: { prefix: '\ud800' } }, 'query.prefix'],
    ['a number among headers', { ...valid, headers: { range: 1 } }, 'headers.range'],
    ['two headers of a name', { ...valid, headers: { range: 'a', Range: 'b' } }, 'headers.Range'],
    ['a header of two lines', { ...valid, headers: { range: 'a\r\nb: c' } }, 'headers.range'],
    ['a name of two lines', { ...valid, headers: { 'a\r\nb': 'c' } }, 'headers.a\r\nb'],
    ['a body of bytes', { ...valid, body: { type: 'Buffer', data: [1] } }, 'body'],
    ['a body that is no base64', { ...valid, body: 'a*b', isBase64: true }, 'body'],
    ['base64 without padding', { ...valid, body: 'YQ', isBase64: true }, 'body'],
    ['a body of half a character', { ...valid, body: '\ud800' }, 'body'],
    ['true in text', { ...valid, isBase64: 'true' }, 'isBase64'],
  ])('of %s is refused, naming the field', async (_what, payload, field) => {
    const { internal } = await setUp();
    const answer = await invokeWith(internal, 'read', payload);
    expect([answer.status, answer.json()]).toEqual([
      400,
      {
        error: {
          code: 'invalid_request',
          message: expect.stringContaining(field),
          request_id: 'request-1',
          details: expect.objectContaining({ field }),
        },
      },
    ]);
  });

  test('that only may read changes nothing, whatever it holds', async () => {
    const { internal, deps } = await setUp();
    const seen = () => {
      const { buckets, objects, changes, uploads, idempotencyRecords, blobs, multiparts, tickets } =
        deps.state;
      const all = [buckets, changes, uploads, idempotencyRecords, blobs, multiparts, tickets].map(
        (map) => map.size,
      );
      return JSON.stringify([all, [...objects.values()].map((keys) => [...keys])]);
    };
    const before = seen();
    const segment = fc.constantFrom(
      ...['api', 'v2', 'storage', 'objects', 'buckets', 'signed-url', 'sync', 'photos', 'a', '..'],
      ...['.', '', '%2e%2e', '%2F', 'a%2Fb', '*', 'all', '%00', 'photos%00', ':all'],
    );
    const path = fc.oneof(
      fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
      fc
        .tuple(fc.constantFrom('objects/photos', 'buckets', 'signed-url', 'objects'), segment)
        .map((parts) => `/api/v2/storage/${parts.join('/')}`),
      fc.constantFrom('/api/v2/storage/signed-url', '/api/v2/storage/buckets'),
      fc.webPath(),
    );
    const wish = fc.record(
      {
        bucket: fc.constantFrom('photos', 'all', ['photos']),
        key: fc.constantFrom('a', 'b', '../a'),
        method: fc.constantFrom('PUT', 'SYNC', ['GET', 'PUT'], 'put', 'PUT\0'),
        multipart: fc.constantFrom({ size: 6_000_000 }, { upload_id: 'x' }),
        name: fc.constantFrom('mine', 'photos'),
        permissions: fc.constant(EVERYTHING),
      },
      { requiredKeys: [] },
    );
    const payload = fc.record(
      {
        method: fc.constantFrom('PUT', 'POST', 'DELETE', 'PATCH', 'put', ['PUT'], 'constructor'),
        path,
        query: fc.constantFrom({ alias: 'all' }, { Qualifier: 'all' }, { version: '1' }, 'x'),
        headers: fc.oneof(
          fc.constantFrom(
            { authorization: 'Bearer osk_all', 'x-http-method-override': 'PUT' },
            { 'x-amz-alias': 'all', 'Idempotency-Key': 'k' },
            { 'If-None-Match': '*' },
          ),
          fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
        ),
        body: fc.oneof(
          wish.map((value) => JSON.stringify(value)),
          fc.string(),
          fc.jsonValue(),
        ),
        isBase64: fc.boolean(),
        invokedFunctionArn: fc.constant('arn:aws:lambda:us-east-1:0:function:internal:all'),
        requestContext: fc.constant({ authorizer: { keyId: 'iam:all', permissions: '[]' } }),
      },
      { requiredKeys: ['method', 'path'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(payload, payload, fc.jsonValue()), async (value) => {
        const { status } = await invokeWith(internal, 'read', value);
        expect([400, 403, 404, 405, 413]).toContain(status);
        expect(seen()).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is large', () => {
  /** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  const LAMBDA_BYTES = 6_291_556;
  const sizeOf = async (body: string | Uint8Array | Readable) =>
    Buffer.byteLength(JSON.stringify(await internalResponse({ status: 200, headers: {}, body })));

  test('fits an invocation: lists full of quotes, parts of uploads, content', async () => {
    expect(await sizeOf('"'.repeat(LIMITS.pageBytes))).toBeLessThan(LAMBDA_BYTES);
    expect(await sizeOf('x'.repeat(LIMITS.bufferedJsonBytes))).toBeLessThan(LAMBDA_BYTES);
    const content = Buffer.alloc(LIMITS.bufferedDownloadBytes, 255);
    expect(await sizeOf(content)).toBeLessThan(LAMBDA_BYTES);
    expect(await sizeOf(Readable.from([content]))).toBeLessThan(LAMBDA_BYTES);
  });

  test('comes by a signed URL when it is content above that', async () => {
    const { deps, all } = await setUp();
    const body = Buffer.alloc(LIMITS.bufferedDownloadBytes + 1);
    const content = { body, contentType: 'text/plain', headers: {}, metadata: {} };
    const checksumSha256 = sha256Base64(body);
    await putObject(deps, 'photos', 'large', { ...content, checksumSha256 }, ANYHOW);
    const answer = await all({ path: '/objects/photos/large' });
    expect([answer.status, answer.body.length]).toEqual([307, 0]);
    expect(answer.headers.location).toMatch(/^https:/);
  });
});

test('each invocation leaves a line that names the principal, and neither query nor signed URL', async () => {
  const { deps, as } = await setUp();
  deps.log.lines.length = 0;
  await as('read')({ path: '/objects/photos', query: { prefix: 'secret' } });
  await as('stranger')({ path: '/objects/photos/a' });
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
      fields: { principal: 'stranger', requestId: 'request-1', status: 403, milliseconds: 0 },
    },
  ]);
});

test.each(['[]', 'null', '{"a":[]}', '{"a":[{"buckets":["*"],"actions":["fly"]}]}', '{"a":{}}'])(
  'the function does not start with grants of %s',
  (value) => {
    expect(() => parseGrants(value)).toThrow(/GRANTS|permissions/);
  },
);
