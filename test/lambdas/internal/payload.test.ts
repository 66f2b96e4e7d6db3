import fc from 'fast-check';
import { invokeWith, payloadOf } from '../../support/invocations';
import { EVERYTHING } from '../../support/requests';
import { setUp } from './world';

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
    ['an unpaired surrogate', { ...valid, query: { prefix: '\ud800' } }, 'query.prefix'],
    ['a number among headers', { ...valid, headers: { range: 1 } }, 'headers.range'],
    ['two headers of a name', { ...valid, headers: { range: 'a', Range: 'b' } }, 'headers.Range'],
    ['long headers', { ...valid, headers: { a: 'b'.repeat(10_240) } }, 'headers'],
    ['a long query', { ...valid, query: { a: 'b'.repeat(10_240) } }, 'query'],
    ['a header of two lines', { ...valid, headers: { range: 'a\r\nb: c' } }, 'headers.range'],
    ['a name of two lines', { ...valid, headers: { 'a\r\nb': 'c' } }, 'headers.a\r\nb'],
    ['a body of bytes', { ...valid, body: { type: 'Buffer', data: [1] } }, 'body'],
    ['a body that is no base64', { ...valid, body: 'a*b', isBase64: true }, 'body'],
    ['base64 without padding', { ...valid, body: 'YQ', isBase64: true }, 'body'],
    ['a body with an unpaired surrogate', { ...valid, body: '\ud800' }, 'body'],
    ['true in text', { ...valid, isBase64: 'true' }, 'isBase64'],
  ])('of %s is refused, and the error names the field', async (_what, payload, field) => {
    const { internal } = await setUp();
    const response = await invokeWith(internal, 'read', payload);
    expect([response.status, response.json()]).toEqual([
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

  test('of a principal that may only read changes nothing', async () => {
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
    const body = fc.record(
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
          body.map((value) => JSON.stringify(value)),
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
