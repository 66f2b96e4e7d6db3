import { randomBytes } from 'node:crypto';
import { it } from '../support/behaviour';
import { useBucket } from '../support/buckets';
import { call } from '../support/http';
import { descriptorOf, expectBytes, get, head, objectPath, put } from '../support/objects';
import { expectError, expectHeadError, expectStatus } from '../support/responses';
import { apiKey, baseUrl } from '../support/target';

const MiB = 1024 * 1024;

/** Looks like an image to whatever sniffs, and holds every byte value in every alignment. */
function image(size: number): Buffer {
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  return Buffer.concat([signature, everyByte, randomBytes(size)], size);
}

const everyByteTwice = Buffer.from(Array.from({ length: 512 }, (_, n) => n % 256));

describe('Bodies', () => {
  const bucket = useBucket('bodies');

  for (const [what, type, bytes] of [
    ['text', 'text/plain; charset=utf-8', Buffer.from('Größe: 5 µm 😀\r\n\ttab\n')],
    ['an image-like binary', 'image/png', image(70_001)],
    ['an empty body', 'application/octet-stream', Buffer.alloc(0)],
    ['one zero byte', 'application/octet-stream', Buffer.alloc(1)],
    ['bytes that are not UTF-8 sent as text', 'text/plain', everyByteTwice],
    ['bytes that are not JSON sent as JSON', 'application/json', everyByteTwice],
    [
      'a malformed form',
      'application/x-www-form-urlencoded; charset=utf-8',
      Buffer.from('%%%&&=+ä'),
    ],
    ['a malformed multipart form', 'multipart/form-data; boundary=x', everyByteTwice],
    ['base64 text, not decoded', 'text/plain', Buffer.from('aGVsbG8=')],
    ['1 MiB of random bytes', 'application/x-random', randomBytes(MiB)],
    ['exactly 4 MiB', 'application/octet-stream', image(4 * MiB)],
  ] as const) {
    it(`comes back byte for byte: ${what}`, async () => {
      await put(bucket, what, bytes, { headers: { 'content-type': type } });
      const response = await expectBytes(bucket, what, bytes);
      expect(response.headers['content-type']).toBe(type);
    });
  }

  for (const accept of ['*/*', 'image/webp,image/png', 'application/json', 'text/plain']) {
    it(`comes back byte for byte to a client that says Accept: ${accept}`, async () => {
      const bytes = image(3_000);
      await put(bucket, 'accept', bytes, { headers: { 'content-type': 'image/png' } });
      const response = expectStatus(await get(bucket, 'accept', { headers: { accept } }), 200);
      expect(response.body.equals(bytes)).toBe(true);
    });
  }

  it('takes a body that waits for 100 Continue, as curl sends large ones', async () => {
    const bytes = image(2 * MiB);
    const headers = { expect: '100-continue' };
    await put(bucket, 'expected', bytes, { headers });
    await expectBytes(bucket, 'expected', bytes);
  });

  it('serves an ordinary client: fetch uploads and downloads', async () => {
    const url = baseUrl() + objectPath(bucket, 'fetch/ä b.png');
    const headers = { authorization: `Bearer ${apiKey()}`, 'content-type': 'image/png' };
    const bytes = image(20_000);
    const uploaded = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
    expect(uploaded.status).toBe(201);
    const downloaded = await fetch(url, { headers });
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(bytes)).toBe(true);
  });
});

describe('Limits', () => {
  const bucket = useBucket('limits');
  const refused = /POST .*signed-url/;

  for (const [what, size] of [
    ['4 MiB and one byte', 4 * MiB + 1],
    ['4.4 MiB', Math.floor(4.4 * MiB)],
  ] as const) {
    it(`refuses ${what} with 413 that names POST /api/v2/storage/signed-url`, async () => {
      const path = objectPath(bucket, `large/${size}`);
      expectError(await call('PUT', path, { body: image(size) }), 413, { message: refused });
      expectHeadError(await call('HEAD', path), 404);
    });
  }

  it(
    'refuses 6.5 MB, which no function can be given, with 413 that names POST /api/v2/storage/signed-url',
    ['gateway-responses'],
    async () => {
      const response = await call('PUT', objectPath(bucket, 'larger'), { body: image(6_500_000) });
      expectError(response, 413, { message: refused });
    },
  );

  it('refuses more than 10 MB with 413, and stores nothing', async () => {
    const path = objectPath(bucket, 'largest');
    expectStatus(await call('PUT', path, { body: image(10 * MiB + 1) }), 413);
    expectHeadError(await call('HEAD', path), 404);
  });

  it(
    'refuses more than 10 MB in our own shape, naming POST /api/v2/storage/signed-url',
    ['edge'],
    async () => {
      const response = await call('PUT', objectPath(bucket, 'edge'), { body: image(10 * MiB + 1) });
      expectError(response, 413, { message: refused });
    },
  );

  it('continues to serve after a refused body', async () => {
    expectError(await call('PUT', objectPath(bucket, 'next'), { body: image(4 * MiB + 1) }), 413);
    await put(bucket, 'next', 'small');
    await expectBytes(bucket, 'next', 'small');
  });
});

describe('Content headers and metadata', () => {
  const bucket = useBucket('meta');

  it('stores and returns content-type, cache-control, content-disposition, content-encoding and content-language', async () => {
    const headers = {
      'content-type': 'application/vnd.example+json; charset="utf-8"',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': 'attachment; filename="a b.txt"',
      'content-encoding': 'gzip',
      'content-language': 'de-AT, en',
    };
    const bytes = Buffer.from('1f8b080000000000000303000000000000000000', 'hex');
    await put(bucket, 'content', bytes, { headers });
    const returned = { ...headers, 'cache-control': 'private, max-age=31536000, immutable' };
    expect((await expectBytes(bucket, 'content', bytes)).headers).toMatchObject(returned);
    expect(expectStatus(await head(bucket, 'content'), 200).headers).toMatchObject(returned);
  });

  for (const [stored, returned] of [
    [undefined, 'private, no-cache'],
    ['public, s-maxage=60, must-revalidate', 'private, must-revalidate'],
    ['no-store', 'no-store'],
  ] as const) {
    it(`lets no shared cache store an object with Cache-Control ${stored}: GET, HEAD, 304`, async () => {
      const headers: Record<string, string> = stored ? { 'cache-control': stored } : {};
      const { etag } = await put(bucket, 'cached', 'x', { headers });
      const known = { headers: { 'if-none-match': `"${etag}"` } };
      for (const [response, status] of [
        [await get(bucket, 'cached'), 200],
        [await head(bucket, 'cached'), 200],
        [await get(bucket, 'cached', known), 304],
      ] as const) {
        expect(expectStatus(response, status).headers).toMatchObject({
          'cache-control': returned,
          vary: expect.stringMatching(/\bauthorization\b/i),
        });
      }
    });
  }

  it('returns metadata on GET, HEAD and in the descriptor, names in lower case', async () => {
    const sent = { 'X-Object-Meta-Color': 'blue', 'x-object-meta-two-words': 'a, b; c="d"' };
    const metadata = { color: 'blue', 'two-words': 'a, b; c="d"' };
    const returned = { 'x-object-meta-color': 'blue', 'x-object-meta-two-words': 'a, b; c="d"' };
    const descriptor = await put(bucket, 'meta', 'x', { headers: sent });
    expect(descriptor.metadata).toEqual(metadata);
    expect((await expectBytes(bucket, 'meta', 'x')).headers).toMatchObject(returned);
    expect((await head(bucket, 'meta')).headers).toMatchObject(returned);
  });

  it('stores metadata whose names are built-in properties in JavaScript', async () => {
    const headers = { 'x-object-meta-__proto__': 'a', 'x-object-meta-constructor': 'b' };
    const response = await call('PUT', objectPath(bucket, 'proto'), { headers, body: 'x' });
    const { metadata } = descriptorOf(expectStatus(response, 201));
    expect(JSON.stringify(Object.entries(metadata).sort())).toBe(
      JSON.stringify([
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ]),
    );
    expect((await head(bucket, 'proto')).headers['x-object-meta-constructor']).toBe('b');
  });

  it('replaces metadata and content headers as a whole', async () => {
    const headers = {
      'x-object-meta-a': '1',
      'content-language': 'de',
      'cache-control': 'no-cache',
    };
    await put(bucket, 'replaced', 'x', { headers });
    expect((await put(bucket, 'replaced', 'y')).metadata).toEqual({});
    const response = await expectBytes(bucket, 'replaced', 'y');
    expect(response.headers).not.toHaveProperty('x-object-meta-a');
    expect(response.headers).not.toHaveProperty('content-language');
    expect(response.headers['cache-control']).not.toBe('no-cache');
  });

  it('accepts 1,900 bytes of metadata', async () => {
    const value = 'v'.repeat(950);
    const headers = { 'x-object-meta-a': value, 'x-object-meta-b': value };
    expect((await put(bucket, 'fits', 'x', { headers })).metadata).toEqual({ a: value, b: value });
    expect((await head(bucket, 'fits')).headers['x-object-meta-b']).toBe(value);
  });

  it('refuses more than 2 KiB of metadata in all with 400, and stores nothing', async () => {
    const value = 'v'.repeat(1_100);
    const headers = { 'x-object-meta-a': value, 'x-object-meta-b': value };
    const path = objectPath(bucket, 'too much');
    expectError(await call('PUT', path, { headers, body: 'x' }), 400, { field: 'meta' });
    expectHeadError(await call('HEAD', path), 404);
  });

  it('stores the type that curl sends by default as application/octet-stream', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const stored = await put(bucket, 'by curl', 'x', { headers });
    expect(stored.content_type).toBe('application/octet-stream');
  });

  it('refuses headers of S3 with a hint, and stores nothing', async () => {
    for (const name of ['x-amz-meta-a', 'x-amz-copy-source', 'x-amz-acl', 'x-amz-tagging']) {
      const headers = { [name]: 'a' };
      const path = objectPath(bucket, 's3');
      const response = await call('PUT', path, { headers, body: 'x' });
      expectError(response, 400, { field: name, message: /header of S3; / });
      expectHeadError(await call('HEAD', path), 404);
    }
  });

  it('does not store other headers of a request', async () => {
    const headers = { 'x-custom': 'not stored', 'x-amz-date': '20261120T105000Z' };
    expect((await put(bucket, 'others', 'x', { headers })).metadata).toEqual({});
    expect((await head(bucket, 'others')).headers).not.toHaveProperty('x-custom');
  });
});
