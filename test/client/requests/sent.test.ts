/** The request that each method of the client sends. */
import type { StowageClient } from '../../../client';
import { ANY, answering } from './answering';

const JSON_TYPE = { 'content-type': 'application/json' };
const BODY = new Uint8Array([104, 105]);
/** More bytes than String.fromCharCode accepts in one call. */
const LARGE = new Uint8Array(100_000).map((_, n) => n % 251);

type Sent = readonly [method: string, path: string, headers: object, body?: unknown];

test.each<[string, (client: StowageClient) => unknown, Sent]>([
  [
    'buckets.create',
    (c) => c.buckets.create('a', { idempotencyKey: 'k' }),
    ['POST', 'buckets', { ...JSON_TYPE, 'idempotency-key': 'k' }, { name: 'a' }],
  ],
  ['buckets.get', (c) => c.buckets.get('ä'), ['GET', 'buckets/%C3%A4', {}]],
  [
    'buckets.setLifecycle',
    (c) => c.buckets.setLifecycle('a', [{ expire_after_days: 1 }]),
    ['PATCH', 'buckets/a', {}, { lifecycle: [{ expire_after_days: 1 }] }],
  ],
  [
    'buckets.delete',
    (c) => c.buckets.delete('a', { idempotencyKey: 'k' }),
    ['DELETE', 'buckets/a', { 'idempotency-key': 'k' }],
  ],
  [
    'links.create',
    (c) =>
      c.links.create('a', 'k', {
        ...{ version: 2, expiresIn: 60, maxUses: 3, password: 'p', disposition: 'inline' },
        ...{ note: 'n', idempotencyKey: 'k', signal: new AbortController().signal },
      }),
    [
      'POST',
      'links',
      { ...JSON_TYPE, 'idempotency-key': 'k' },
      {
        ...{ bucket: 'a', key: 'k', version: 2, expires_in: 60, max_uses: 3, password: 'p' },
        ...{ disposition: 'inline', note: 'n' },
      },
    ],
  ],
  [
    'links.list',
    (c) => c.links.list('a', { limit: 2, pageToken: 't' }),
    ['GET', 'links?bucket=a&limit=2&page_token=t', {}],
  ],
  ['links.revoke', (c) => c.links.revoke('l/1'), ['DELETE', 'links/l%2F1', {}]],
  [
    'consumers.put',
    (c) =>
      c.consumers.put('a', 'c', {
        ...{ cursor: 3, ifCursor: null, prefix: 'p/', bucketId: 'i', idempotencyKey: 'k' },
      }),
    [
      'PUT',
      'buckets/a/consumers/c',
      { ...JSON_TYPE, 'idempotency-key': 'k' },
      { cursor: 3, if_cursor: null, prefix: 'p/', bucket_id: 'i' },
    ],
  ],
  ['consumers.get', (c) => c.consumers.get('a', 'c'), ['GET', 'buckets/a/consumers/c', {}]],
  [
    'consumers.list',
    (c) => c.consumers.list('a', { limit: 2, pageToken: 't' }),
    ['GET', 'buckets/a/consumers?limit=2&page_token=t', {}],
  ],
  [
    'consumers.delete',
    (c) => c.consumers.delete('a', 'c'),
    ['DELETE', 'buckets/a/consumers/c', {}],
  ],
  [
    'temporaryKey',
    (c) => c.temporaryKey([{ buckets: ['a'], actions: ['read'] }], { expiresIn: 60 }),
    [
      ...(['POST', 'tokens', JSON_TYPE] as const),
      { permissions: [{ buckets: ['a'], actions: ['read'] }], expires_in: 60 },
    ],
  ],
  [
    'restore',
    (c) => c.restore('a', { asOf: 3, prefix: 'p/', dryRun: true, pageToken: 't' }),
    [
      ...(['POST', 'restore', JSON_TYPE] as const),
      { bucket: 'a', as_of: 3, prefix: 'p/', dry_run: true, page_token: 't' },
    ],
  ],
  [
    'versions',
    (c) => c.versions('a', 'b/c d', { before: 3, limit: 2 }),
    ['GET', 'objects/a/b/c%20d?view=versions&before=3&limit=2', {}],
  ],
  [
    'describe',
    (c) => c.describe('a', '/k//', { version: 2 }),
    ['GET', 'objects/a//k//?view=descriptor&version=2', {}],
  ],
  [
    'list',
    (c) =>
      c.list('a', {
        ...{ prefix: 'p/', delimiter: '/', startAfter: 'p/a', limit: 2, pageToken: 't', asOf: 3 },
      }),
    [
      'GET',
      'objects/a?prefix=p%2F&delimiter=%2F&start_after=p%2Fa&limit=2&page_token=t&as_of=3',
      {},
    ],
  ],
  [
    'list with empty texts',
    (c) => c.list('a', { prefix: '', delimiter: '', startAfter: '' }),
    ['GET', 'objects/a', {}],
  ],
  [
    'get',
    (c) =>
      c.get('a', 'k', {
        ...{ version: 2, range: { from: 3 }, ifRange: 'e', ifMatch: '"f"', ifNoneMatch: '*' },
        ifModifiedSince: new Date(0),
      }),
    [
      'GET',
      'objects/a/k?version=2',
      {
        ...{ range: 'bytes=3-', 'if-range': '"e"', 'if-match': '"f"', 'if-none-match': '*' },
        'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT',
      },
    ],
  ],
  ['head', (c) => c.head('a', 'k', { asOf: 3 }), ['HEAD', 'objects/a/k?as_of=3', {}]],
  [
    'put',
    (c) =>
      c.put('a', 'k', 'text', {
        ...{ contentType: 'a/b', metadata: { m: 'n' }, cacheControl: 'no-store' },
        ...{ contentDisposition: 'inline', contentEncoding: 'br', contentLanguage: 'de' },
        ...{ expiresAt: '2030-01-01T00:00:00Z', ifMatch: '"e', ifNoneMatch: '*' },
        ...{ checksumSha256: 's', idempotencyKey: 'k' },
      }),
    [
      'PUT',
      'objects/a/k',
      {
        ...{ 'content-type': 'a/b', 'x-object-meta-m': 'n', 'cache-control': 'no-store' },
        ...{ 'content-disposition': 'inline', 'content-encoding': 'br', 'content-language': 'de' },
        ...{ 'x-object-expires-at': '2030-01-01T00:00:00Z', 'if-match': '""e"' },
        ...{ 'if-none-match': '*', 'content-digest': 'sha-256=:s:', 'idempotency-key': 'k' },
      },
      'text',
    ],
  ],
  [
    'put without options',
    (c) => c.put('a', 'k', 'text'),
    ['PUT', 'objects/a/k', { 'content-type': 'application/octet-stream' }, 'text'],
  ],
  [
    'delete',
    (c) => c.delete('a', 'k', { ifMatch: 'e"', idempotencyKey: 'k' }),
    ['DELETE', 'objects/a/k', { 'if-match': '"e""', 'idempotency-key': 'k' }],
  ],
  [
    'signedUrl',
    (c) =>
      c.signedUrl('a', 'k', {
        ...{ method: 'PUT', expiresIn: 60, contentType: 'a/b', contentLength: 5 },
        ...{ contentDisposition: 'inline', cacheControl: 'no-store', contentEncoding: 'br' },
        ...{ contentLanguage: 'de', metadata: { m: 'n' }, checksumSha256: 's' },
        ...{ objectExpiresAt: '2030', ifMatch: '"e"', ifNoneMatch: '*', commit: false },
      }),
    [
      ...(['POST', 'signed-url', JSON_TYPE] as const),
      {
        ...{ bucket: 'a', key: 'k', method: 'PUT', expires_in: 60, content_type: 'a/b' },
        ...{ content_length: 5, content_disposition: 'inline', cache_control: 'no-store' },
        ...{ content_encoding: 'br', content_language: 'de', metadata: { m: 'n' } },
        ...{ checksum_sha256: 's', object_expires_at: '2030', if_match: 'e', if_none_match: '*' },
        commit: false,
      },
    ],
  ],
  ['removeAll', (c) => c.removeAll('a', 'p/'), ['DELETE', 'objects/a?prefix=p%2F', {}]],
  ['uploadState', (c) => c.uploadState('u/1'), ['GET', 'uploads/u%2F1', {}]],
])('%s sends the documented request', async (_, call, [method, path, headers, body]) => {
  const { client, sent } = answering(ANY);
  await call(client);
  expect(sent).toEqual([{ method, path, headers, ...(body !== undefined && { body }) }]);
});

test('commit sends each kind of change with the documented field names', async () => {
  const { client, sent } = answering(ANY);
  const described = {
    ...{ contentType: 'a/b', metadata: { m: 'n' }, cacheControl: 'no-store' },
    ...{ contentDisposition: 'inline', contentEncoding: 'br', contentLanguage: 'de' },
  };
  const from = { bucket: 'b', key: 'f', version: 2 };
  await client.commit(
    'a',
    [
      { op: 'put', key: '1', content: BODY, ifMatch: '"e"', ifNoneMatch: '*' },
      { op: 'put', key: '2', content: 'ä', ...described, expiresAt: '2030' },
      { op: 'put', key: '3', content: LARGE },
      { op: 'put', key: '4', uploadId: 'u' },
      { op: 'copy', key: '5', from, ...described },
      { op: 'move', key: '6', from: { key: 'f' }, ifMatch: 'e' },
      { op: 'patch', key: '7', expiresAt: null },
      { op: 'delete', key: '"8"', ifExists: true, ifMatch: undefined },
    ],
    { ifCursor: 3, bucketId: 'i', idempotencyKey: 'k' },
  );
  const sentAs = {
    ...{ content_type: 'a/b', metadata: { m: 'n' }, cache_control: 'no-store' },
    ...{ content_disposition: 'inline', content_encoding: 'br', content_language: 'de' },
  };
  const headers = { ...JSON_TYPE, 'idempotency-key': 'k' };
  const changes = [
    { op: 'put', key: '1', content: 'aGk=', if_match: 'e', if_none_match: '*' },
    { op: 'put', key: '2', content: 'w6Q=', ...sentAs, expires_at: '2030' },
    { op: 'put', key: '3', content: Buffer.from(LARGE).toString('base64') },
    { op: 'put', key: '4', upload_id: 'u' },
    { op: 'copy', key: '5', from, ...sentAs },
    { op: 'move', key: '6', from: { key: 'f' }, if_match: 'e' },
    { op: 'patch', key: '7', expires_at: null },
    { op: 'delete', key: '"8"', if_exists: true },
  ];
  const body = { bucket: 'a', if_cursor: 3, bucket_id: 'i', changes };
  expect(sent).toEqual([{ method: 'POST', path: 'commits', headers, body }]);
});

test.each([
  ['e', '"e"'],
  ['"e"', '"e"'],
  ['*', '*'],
  ['"e', '""e"'],
  ['W/"e"', '"W/"e""'],
  ['"e"f', '""e"f"'],
])('the etag %s is sent as %s', async (ifMatch, header) => {
  const { client, sent } = answering(ANY);
  await client.delete('a', 'k', { ifMatch });
  expect(sent[0]?.headers).toEqual({ 'if-match': header });
});
