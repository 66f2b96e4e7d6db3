import { parseSignRequest, type SignTarget } from '../../../core/uploads/signed-urls';

const get = { bucket: 'photos', key: 'a', method: 'GET' };
const put = { bucket: 'photos', key: 'a', method: 'PUT' };
const parse = (body: Record<string, unknown>) => parseSignRequest(body, () => undefined);
const MiB = 1024 * 1024;
const TiB = MiB * MiB;
const UPLOAD = '01KAG8Y2M4Q7T9V1X3Z5B7D9F1';
const NOON = '2027-01-31T12:00:00.000Z';

test('parseSignRequest sets an expiry of 300 seconds and no other default', () => {
  expect(parse(get)).toEqual({
    bucket: 'photos',
    key: 'a',
    method: 'GET',
    expiresIn: 300,
  });
});

test('parseSignRequest parses every field of an upload', () => {
  const request = parse({
    ...put,
    expires_in: 3600,
    content_type: 'text/plain',
    cache_control: 'no-store',
    content_disposition: 'attachment; anything',
    content_encoding: 'gzip',
    content_language: 'de, en',
    metadata: { camera: 'x 100', empty: '', ['__proto__']: 'own' },
    content_length: 0,
    checksum_sha256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    if_none_match: '*',
    if_match: 'abc',
  });
  expect(request).toMatchObject({
    expiresIn: 3600,
    contentType: 'text/plain',
    contentLength: 0,
    headers: {
      'cache-control': 'no-store',
      'content-disposition': 'attachment; anything',
      'content-encoding': 'gzip',
      'content-language': 'de, en',
    },
    ifNoneMatch: '*',
    ifMatch: '"abc"',
  });
  const { metadata = {} } = request as { metadata?: Record<string, string> };
  expect(Object.entries(metadata)).toEqual([
    ['camera', 'x 100'],
    ['empty', ''],
    ['__proto__', 'own'],
  ]);
});

test('parseSignRequest accepts an upload that awaits a commit', () => {
  expect(parse(put)).toMatchObject({ awaitsCommit: false });
  expect(parse({ ...put, commit: true, if_none_match: '*' })).toMatchObject({
    awaitsCommit: false,
  });
  expect(parse({ ...put, commit: false })).toMatchObject({ awaitsCommit: true });
});

test.each([
  [20 * MiB, undefined, 8 * MiB],
  [200 * MiB, 5 * MiB, 5 * MiB],
  [5 * TiB, undefined, 2622 * MiB],
  [1, undefined, 8 * MiB],
])(
  'parseSignRequest splits an upload of %i bytes with part_size %s into parts of %i',
  (size, asked, partSize) => {
    const request = parse({ ...put, multipart: { size, part_size: asked } });
    expect(request).toMatchObject({ multipart: { size, partSize } });
  },
);

test('parseSignRequest accepts the id of a begun multipart upload without a size', () => {
  const request = parse({ ...put, multipart: { upload_id: UPLOAD } });
  expect(request).toMatchObject({ multipart: { uploadId: UPLOAD } });
});

test.each([
  [{ ...get, method: 'POST' }, 'method'],
  [{ ...get, method: 'SYNC' }, 'key'],
  [{ ...get, bucket: 'X' }, 'bucket'],
  [{ ...get, key: '' }, 'key'],
  [{ ...get, expires_in: 0 }, 'expires_in'],
  [{ ...get, expires_in: 3601 }, 'expires_in'],
  [{ ...get, expires_in: '300' }, 'expires_in'],
  [{ ...get, expires_in: 1.5 }, 'expires_in'],
  [{ ...get, content_length: 1 }, 'content_length'],
  [{ ...get, surprise: 1 }, 'surprise'],
  [{ ...put, content_disposition: 'ä' }, 'content_disposition'],
  [{ ...put, cache_control: '' }, 'cache_control'],
  [{ ...put, cache_control: 'a'.repeat(1025) }, 'cache_control'],
  [{ ...put, content_encoding: ' gzip' }, 'content_encoding'],
  [{ ...put, content_language: ['de'] }, 'content_language'],
  [{ ...get, metadata: { a: 'x' } }, 'metadata'],
  [{ ...get, cache_control: 'no-store' }, 'cache_control'],
  [{ ...put, metadata: [] }, 'metadata'],
  [{ ...put, metadata: 'a' }, 'metadata'],
  [{ ...put, metadata: { 'a b': 'x' } }, 'metadata'],
  [{ ...put, metadata: { Camera: 'x' } }, 'metadata'],
  [{ ...put, metadata: { '': 'x' } }, 'metadata'],
  [{ ...put, metadata: { a: 1 } }, 'metadata.a'],
  [{ ...put, metadata: { a: ' x' } }, 'metadata.a'],
  [{ ...put, metadata: { a: 'x ' } }, 'metadata.a'],
  [{ ...put, metadata: { a: 'x\r\ny: z' } }, 'metadata.a'],
  [{ ...put, metadata: { a: 'x'.repeat(1024), b: 'x'.repeat(1023) } }, 'metadata'],
  [{ ...put, multipart: { upload_id: UPLOAD }, metadata: { a: 'x' } }, 'metadata'],
  [{ ...put, multipart: { upload_id: UPLOAD }, cache_control: 'no-store' }, 'cache_control'],
  [{ ...put, content_length: -1 }, 'content_length'],
  [{ ...put, content_length: 6 * 1024 * MiB }, 'content_length'],
  [{ ...put, content_type: 'nonsense' }, 'content_type'],
  [{ ...put, content_type: 7 }, 'content_type'],
  [{ ...put, checksum_sha256: 'x' }, 'checksum_sha256'],
  [{ ...put, if_none_match: 'abc' }, 'if_none_match'],
  [{ ...put, if_match: '"' }, 'if_match'],
  [{ ...put, if_match: 'a'.repeat(1025) }, 'if_match'],
  [{ ...put, commit: 'false' }, 'commit'],
  [{ ...put, commit: false, if_none_match: '*' }, 'commit'],
  [{ ...put, commit: false, if_match: 'abc' }, 'commit'],
  [{ ...put, multipart: { upload_id: UPLOAD }, commit: false }, 'commit'],
  [{ ...get, commit: false }, 'commit'],
  [{ ...put, multipart: 7 }, 'multipart'],
  [{ ...put, multipart: { size: 0 } }, 'multipart.size'],
  [{ ...put, multipart: { size: 6 * TiB } }, 'multipart.size'],
  [{ ...put, multipart: { size: 1, part_size: MiB } }, 'multipart.part_size'],
  [{ ...put, multipart: { size: TiB, part_size: 5 * MiB } }, 'multipart.part_size'],
  [{ ...put, multipart: { size: 1, part_size: null } }, 'multipart.part_size'],
  [{ ...put, multipart: { size: 1, parts: 3 } }, 'multipart.parts'],
  [{ ...put, multipart: { size: 1 }, content_length: 1 }, 'multipart'],
  [{ ...put, multipart: { upload_id: 'x' } }, 'multipart.upload_id'],
  [{ ...put, multipart: { upload_id: 7 } }, 'multipart.upload_id'],
  [{ ...put, multipart: { upload_id: UPLOAD, size: 1 } }, 'multipart.size'],
  [{ ...put, multipart: { upload_id: UPLOAD }, content_type: 'text/plain' }, 'content_type'],
  [{ ...put, multipart: { upload_id: UPLOAD }, if_none_match: '*' }, 'if_none_match'],
  [{ ...put, multipart: { upload_id: UPLOAD }, content_length: 1 }, 'multipart'],
])('parseSignRequest rejects %j and names %s', (body, field) => {
  expect(() => parse(body)).toThrow(
    expect.objectContaining({ status: 400, details: expect.objectContaining({ field }) }),
  );
});

test.each([
  [{ method: 'SYNC', bucket: 'photos' }, {}],
  [{ method: 'SYNC', bucket: 'photos', prefix: '' }, {}],
  [{ method: 'SYNC', bucket: 'photos', prefix: 'a/' }, { prefix: 'a/' }],
])('parseSignRequest makes of %j a ticket with %j', (body, more) => {
  const asked: SignTarget[] = [];
  const ticket = { method: 'SYNC', bucket: 'photos', ...more };
  expect(parseSignRequest(body, (target) => void asked.push(target))).toStrictEqual(ticket);
  expect(asked).toStrictEqual([ticket]);
});

test.each([
  [{ ...get, content_disposition: 'attachment' }, { contentDisposition: 'attachment' }],
  [{ ...get, expires_in: 1 }, { expiresIn: 1 }],
  [{ ...get, expires_in: 3600 }, { expiresIn: 3600 }],
  [{ ...put, object_expires_at: '2027-01-31T12:00Z' }, { objectExpiresAt: NOON }],
  [{ ...put, content_length: 5 * 1024 * MiB }, { contentLength: 5 * 1024 * MiB }],
  [{ ...put, if_match: '*' }, { ifMatch: '*' }],
  [{ ...put, if_match: '"a", "b"' }, { ifMatch: '"a", "b"' }],
  [{ ...put, if_match: 'a'.repeat(1022) }, { ifMatch: `"${'a'.repeat(1022)}"` }],
  [
    { ...put, multipart: { size: 1, part_size: 5 * MiB } },
    { multipart: { size: 1, partSize: 5 * MiB } },
  ],
  [
    { ...put, multipart: { size: 5 * TiB, part_size: 5 * 1024 * MiB } },
    { multipart: { size: 5 * TiB, partSize: 5 * 1024 * MiB } },
  ],
  [
    { ...put, multipart: { size: 50_000 * MiB, part_size: 5 * MiB } },
    { multipart: { size: 50_000 * MiB, partSize: 5 * MiB } },
  ],
])('parseSignRequest accepts %j', (body, parsed) => {
  expect(parse(body)).toMatchObject(parsed);
});

test.each([
  [{ ...get, method: 7 }, 'method'],
  [{ method: 'SYNC', bucket: 'photos', prefix: 7 }, 'prefix'],
  [{ method: 'SYNC', bucket: 'X' }, 'bucket'],
  [{ ...get, content_disposition: '\n' }, 'content_disposition'],
  [{ ...put, content_length: 1.5 }, 'content_length'],
  [{ ...put, object_expires_at: 'soon' }, 'object_expires_at'],
  [{ ...put, if_match: 7 }, 'if_match'],
  [{ ...put, if_match: 'a'.repeat(1023) }, 'if_match'],
  [{ ...put, if_match: `"${'a'.repeat(1021)}"` }, 'if_match'],
  [{ ...put, multipart: null }, 'multipart'],
  [{ ...put, multipart: { size: 1 }, checksum_sha256: 'x' }, 'multipart'],
  [{ ...put, multipart: { size: 5 * TiB + 1 } }, 'multipart.size'],
  [{ ...put, multipart: { size: 1, part_size: 5 * MiB - 1 } }, 'multipart.part_size'],
  [{ ...put, multipart: { size: 1, part_size: 5 * 1024 * MiB + 1 } }, 'multipart.part_size'],
  [{ ...put, multipart: { size: 50_000 * MiB + 1, part_size: 5 * MiB } }, 'multipart.part_size'],
])('parseSignRequest refuses %j because of %s', (body, field) => {
  expect(() => parse(body)).toThrow(
    expect.objectContaining({ status: 400, details: expect.objectContaining({ field }) }),
  );
});

test.each([
  [{}, 'method'],
  [{ method: 'GET', key: 'a' }, 'bucket'],
  [{ method: 'GET', bucket: 'photos' }, 'key'],
  [{ method: 'SYNC' }, 'bucket'],
  [{ ...put, multipart: {} }, 'multipart.size'],
])('parseSignRequest says of %j that %s is required', (body, field) => {
  const details = { field, rule: 'is required' };
  expect(() => parse(body)).toThrow(expect.objectContaining({ status: 400, details }));
});

test.each([
  [
    { ...get, expires_in: 'x' },
    { method: 'GET', bucket: 'photos', key: 'a' },
  ],
  [
    { ...put, if_match: '"' },
    { method: 'PUT', bucket: 'photos', key: 'a' },
  ],
  [
    { ...put, multipart: {} },
    { method: 'PUT', bucket: 'photos', key: 'a' },
  ],
])('parseSignRequest asks for permission before it parses the rest of %j', (body, target) => {
  const refusal = new Error('refused');
  const asked: SignTarget[] = [];
  const authorize = (wanted: SignTarget) => {
    asked.push(wanted);
    throw refusal;
  };
  expect(() => parseSignRequest(body, authorize)).toThrow(refusal);
  expect(asked).toEqual([target]);
});
