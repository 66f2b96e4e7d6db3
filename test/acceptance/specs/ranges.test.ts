import { it } from '../support/behaviour';
import { useBucket } from '../support/buckets';
import { sha256 } from '../support/descriptor';
import { expectObjectHeaders, get, head, put } from '../support/objects';
import { demand, expectError, expectStatus, headerOf } from '../support/responses';

const BODY = '0123456789';

describe('Ranges', () => {
  const bucket = useBucket('ranges');
  const key = 'ten bytes';
  beforeAll(async () => {
    await put(bucket, key, BODY, { headers: { 'content-type': 'text/digits' } });
    await put(bucket, 'empty', '');
  });
  const getRange = (range: string, more: Record<string, string> = {}) =>
    get(bucket, key, { headers: { range, ...more } });

  for (const [range, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=9-9', 9, 9],
    ['bytes=3-6', 3, 6],
    ['bytes=0-9', 0, 9],
    ['bytes=0-', 0, 9],
    ['bytes=4-', 4, 9],
    ['bytes=9-', 9, 9],
    ['bytes=-1', 9, 9],
    ['bytes=-3', 7, 9],
    ['bytes=-10', 0, 9],
    ['bytes=-11', 0, 9],
    ['bytes=5-99', 5, 9],
    ['bytes=0-99999999999999999999', 0, 9],
  ] as const) {
    it(`${range}: 206 with bytes ${first} to ${last} of 10`, async () => {
      const response = expectStatus(await getRange(range), 206);
      expect(response.body.toString()).toBe(BODY.slice(first, last + 1));
      expect(headerOf(response, 'content-range')).toBe(`bytes ${first}-${last}/10`);
      expect(headerOf(response, 'content-type')).toBe('text/digits');
      for (const name of ['etag', 'last-modified', 'x-object-version', 'x-object-cursor']) {
        headerOf(response, name);
      }
      expect(headerOf(response, 'x-object-size')).toBe('10');
      const length = response.headers['content-length'];
      demand([undefined, String(last - first + 1)].includes(length), 'the length', response);
    });
  }

  for (const range of [
    'bytes=10-',
    'bytes=10-10',
    'bytes=99-100',
    'bytes=-0',
    'bytes=99999999999999999999-',
  ]) {
    it(`${range}: 416 with Content-Range: bytes */10`, async () => {
      const response = await getRange(range);
      expectError(response, 416);
      expect(headerOf(response, 'content-range')).toBe('bytes */10');
    });
  }

  for (const [what, range] of [
    ['several ranges', 'bytes=0-0,2-2'],
    ['an end before the start', 'bytes=5-2'],
    ['another unit', 'items=0-1'],
    ['no numbers', 'bytes=-'],
    ['nothing', 'bytes='],
    ['letters', 'bytes=a-b'],
    ['a negative start', 'bytes=-1-2'],
    ['hexadecimal numbers', 'bytes=0x0-0x1'],
    ['no unit', '0-1'],
  ] as const) {
    it(`${what} (${range}): ignored, 200 with everything (RFC 9110 §14.2)`, async () => {
      const response = expectStatus(await getRange(range), 200);
      expect(response.body.toString()).toBe(BODY);
      expect(response.headers).not.toHaveProperty('content-range');
    });
  }

  it('an empty object has no byte 0: 416 with Content-Range: bytes */0', async () => {
    const response = await get(bucket, 'empty', { headers: { range: 'bytes=0-0' } });
    expectError(response, 416);
    expect(headerOf(response, 'content-range')).toBe('bytes */0');
  });

  it('the last byte of an empty object: 200 without bytes, or 416', async () => {
    const response = await get(bucket, 'empty', { headers: { range: 'bytes=-1' } });
    if (expectStatus(response, 200, 416).status === 416) expectError(response, 416);
    else expect(response.body).toHaveLength(0);
  });

  it('If-Range with the etag: 206', async () => {
    const etag = headerOf(await head(bucket, key), 'etag');
    const response = await getRange('bytes=0-1', { 'if-range': etag });
    expect(expectStatus(response, 206).body.toString()).toBe('01');
  });

  for (const [what, value] of [
    ['another etag', '"0123456789abcdef0123456789abcdef"'],
    ['an earlier date', 'Sat, 29 Oct 1994 19:43:31 GMT'],
    ['what is neither an etag nor a date', 'nonsense'],
  ] as const) {
    it(`If-Range with ${what}: 200 with everything`, async () => {
      const response = expectStatus(await getRange('bytes=0-1', { 'if-range': value }), 200);
      expect(response.body.toString()).toBe(BODY);
    });
  }

  it('If-Range with the etag marked weak: 200 with everything (RFC 9110 §13.1.5)', async () => {
    const etag = headerOf(await head(bucket, key), 'etag');
    const response = await getRange('bytes=0-1', { 'if-range': `W/${etag}` });
    expect(expectStatus(response, 200).body.toString()).toBe(BODY);
  });

  it('If-Range that does not hold, with a range beyond the end: 200 with everything', async () => {
    const response = await getRange('bytes=99-', { 'if-range': '"other"' });
    expect(expectStatus(response, 200).body.toString()).toBe(BODY);
  });

  it('pieces of a 1 MB object put together are the object', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000_003 }, (_, n) => (n * 7919) % 251));
    const descriptor = await put(bucket, 'pieces', bytes);
    const pieces: Buffer[] = [];
    for (let start = 0; start < bytes.length; start += 262_144) {
      const end = Math.min(start + 262_144, bytes.length) - 1;
      const range = `bytes=${start}-${end}`;
      const response = expectStatus(await get(bucket, 'pieces', { headers: { range } }), 206);
      expectObjectHeaders(response, descriptor);
      pieces.push(response.body);
    }
    expect(sha256(Buffer.concat(pieces))).toBe(sha256(bytes));
  });
});
