import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { call, callJson, send } from '../../support/http';
import { objectPath, put, remove } from '../../support/objects';
import { demand, expectError, expectStatus, headerOf, jsonOf } from '../../support/responses';
import { SIGNED_URL, signUrl, useUrl } from '../../support/signed';
import { until } from '../../support/wait';

describe('POST /api/v2/storage/signed-url, method GET', () => {
  const bucket = useBucket('sign-get');
  const wish = (key: string, more: object = {}) => ({ bucket, key, method: 'GET', ...more });

  it('returns 201 with url, method, headers and expires_at: the URL serves the bytes without a key', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
    await put(bucket, 'a', bytes, { headers: { 'content-type': 'image/png' } });
    const signed = await signUrl(wish('a'));
    expect(signed.method).toBe('GET');
    const response = expectStatus(await useUrl(signed), 200);
    expect(response.body.equals(bytes)).toBe(true);
    expect(response.headers['content-type']).toBe('image/png');
  });

  it('serves the stored Cache-Control through the URL unchanged', async () => {
    const stored = 'public, max-age=60, s-maxage=600';
    await put(bucket, 'cached', 'x', { headers: { 'cache-control': stored } });
    const response = expectStatus(await useUrl(await signUrl(wish('cached'))), 200);
    expect(response.headers['cache-control']).toBe(stored);
  });

  it('is what GET with redirect=false returns too: a URL for the bytes, without a redirect', async () => {
    const { etag, version } = await put(bucket, 'plain', 'the bytes');
    const path = `${objectPath(bucket, 'plain')}?redirect=false`;
    const signed = jsonOf(expectStatus(await call('GET', path), 200));
    expect(signed).toMatchObject({ method: 'GET', bucket, key: 'plain', size: 9, etag, version });
    const response = expectStatus(await send('GET', String(signed.url)), 200);
    expect(response.body.toString()).toBe('the bytes');
    const other = await call('GET', `${objectPath(bucket, 'plain')}?redirect=true`);
    expectError(other, 400, { field: 'redirect' });
  });

  it('serves ranges through the URL', async () => {
    await put(bucket, 'ranged', '0123456789');
    const signed = await signUrl(wish('ranged'));
    const response = expectStatus(await useUrl(signed, undefined, { range: 'bytes=2-4' }), 206);
    expect(response.body.toString()).toBe('234');
  });

  it('expires after expires_in, 300 s by default, by expires_at', async () => {
    await put(bucket, 'when');
    for (const [more, seconds] of [
      [{}, 300],
      [{ expires_in: 60 }, 60],
      [{ expires_in: 3600 }, 3600],
    ] as const) {
      const before = Date.now();
      const left = Date.parse((await signUrl(wish('when', more))).expires_at) - before;
      // Clocks differ by seconds; credentials may expire earlier than asked for.
      expect(left).toBeLessThan((seconds + 30) * 1000);
      expect(left).toBeGreaterThan(Math.min(seconds - 30, 120) * 1000);
    }
  });

  it('continues to serve the version that was current after the object is replaced', async () => {
    await put(bucket, 'replaced', 'first');
    const signed = await signUrl(wish('replaced'));
    await put(bucket, 'replaced', 'second');
    expect(expectStatus(await useUrl(signed), 200).body.toString()).toBe('first');
  });

  for (const [what, key] of [
    ['spaces, a plus sign and a percent sign', 'a b+c%d%2F.txt'],
    ['a question mark, a number sign and quotes', `?x=1&y#z"'`],
    ['emoji and decomposed letters', 'e\u0301/😀.png'],
    ['empty segments', 'a//b'],
  ] as const) {
    it(`signs a key with ${what}`, async () => {
      await put(bucket, key, what);
      expect(expectStatus(await useUrl(await signUrl(wish(key))), 200).body.toString()).toBe(what);
    });
  }

  for (const [what, given, expected] of [
    ['attachment', 'attachment', /^attachment$/],
    ['inline', 'inline', /^inline$/],
    ['an ASCII file name', 'attachment; filename="a b.txt"', /^attachment; filename="a b\.txt"$/],
    [
      'a file name outside ASCII',
      'attachment; filename="naïve €.txt"',
      /^attachment;.*filename\*=UTF-8''na%C3%AFve%20%E2%82%AC\.txt/,
    ],
  ] as const) {
    it(`returns the Content-Disposition that was asked for: ${what}`, async () => {
      await put(bucket, 'named', 'bytes');
      const signed = await signUrl(wish('named', { content_disposition: given }));
      const response = expectStatus(await useUrl(signed), 200);
      expect(headerOf(response, 'content-disposition')).toMatch(expected);
      expect(response.body.toString()).toBe('bytes');
    });
  }

  for (const [what, value] of [
    ['a line break', 'attachment; filename="a\r\nSet-Cookie: x=1"'],
    ['a stray quote', 'attachment; filename="a"b"'],
    ['an unknown disposition', 'form-data; name="x"'],
    ['a number', 5],
  ] as const) {
    it(`refuses a content_disposition with ${what} with 400`, async () => {
      await put(bucket, 'named');
      const response = await callJson(
        'POST',
        SIGNED_URL,
        wish('named', { content_disposition: value }),
      );
      expectError(response, 400, { field: 'content_disposition' });
    });
  }

  it('returns 404 for a missing and for a deleted object', async () => {
    expectError(await callJson('POST', SIGNED_URL, wish('missing')), 404);
    await put(bucket, 'deleted');
    await remove(bucket, 'deleted');
    expectError(await callJson('POST', SIGNED_URL, wish('deleted')), 404);
  });

  it('with Idempotency-Key, a retry gets the response of the first call', async () => {
    await put(bucket, 'retried', 'first');
    const headers = { 'idempotency-key': `${bucket}-retried` };
    const first = await signUrl(wish('retried'), { headers });
    await put(bucket, 'retried', 'second');
    expect(await signUrl(wish('retried'), { headers })).toEqual(first);
  });

  needing(['s3-signatures'], () => {
    it('an expired URL is 403 from the storage', async () => {
      await put(bucket, 'expired', 'bytes');
      const signed = await signUrl(wish('expired', { expires_in: 1 }));
      const response = await until('the URL to expire', async () => {
        const tried = await useUrl(signed);
        return tried.status === 200 ? undefined : tried;
      });
      expectStatus(response, 403);
      demand(!response.body.includes('bytes'), 'nothing of the object', response);
    });

    it('an altered URL is 403: another key, a later expiry, another method', async () => {
      await put(bucket, 'mine', 'mine');
      await put(bucket, 'other', 'other');
      const { url } = await signUrl(wish('mine', { expires_in: 60 }));
      const [path = '', query = ''] = url.split('?');
      const altered = `${path.slice(0, -1)}${path.endsWith('0') ? '1' : '0'}?${query}`;
      expectStatus(await send('GET', altered), 403, 404);
      const later = url.replace('X-Amz-Expires=60', 'X-Amz-Expires=3600');
      // A storage that signs a token has the expiry in it.
      expectStatus(await send('GET', later.replace('signed=e', 'signed=f')), 403);
      expectStatus(await send('GET', `${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`), 403);
      expectStatus(await send('GET', path), 403, 404);
      for (const method of ['PUT', 'DELETE']) expectStatus(await send(method, url), 403);
      expectStatus(await send('GET', url), 200);
    });
  });
});

describe('POST /api/v2/storage/signed-url, validation', () => {
  const bucket = useBucket('sign-400');
  const get = { bucket, key: 'a', method: 'GET' };
  const upload = { bucket, key: 'a', method: 'PUT' };
  const GiB = 1024 ** 3;

  for (const [what, wish, field] of [
    ['no method', { bucket, key: 'a' }, 'method'],
    ['method DELETE', { ...get, method: 'DELETE' }, 'method'],
    ['a method in lower case', { ...get, method: 'get' }, 'method'],
    ['no bucket', { key: 'a', method: 'GET' }, 'bucket'],
    ['a bucket that is no name', { ...get, bucket: 'No Name' }, 'bucket'],
    ['no key', { bucket, method: 'PUT' }, 'key'],
    ['an empty key', { ...upload, key: '' }, 'key'],
    ['a key that is a number', { ...upload, key: 7 }, 'key'],
    ['a key with a dot segment', { ...upload, key: 'a/../b' }, 'key'],
    ['a key with a control character', { ...upload, key: 'a\u0000b' }, 'key'],
    ['a key with a lone surrogate', { ...upload, key: 'a\ud800b' }, 'key'],
    ['a key of 901 bytes', { ...upload, key: 'k'.repeat(901) }, 'key'],
    ['a key of 902 bytes of multi-byte characters', { ...upload, key: 'é'.repeat(451) }, 'key'],
    ['expires_in 0', { ...get, expires_in: 0 }, 'expires_in'],
    ['expires_in 3601', { ...get, expires_in: 3601 }, 'expires_in'],
    ['expires_in -1', { ...get, expires_in: -1 }, 'expires_in'],
    ['expires_in 1.5', { ...get, expires_in: 1.5 }, 'expires_in'],
    ['expires_in as text', { ...get, expires_in: '300' }, 'expires_in'],
    ['a negative content_length', { ...upload, content_length: -1 }, 'content_length'],
    ['a content_length above 5 GiB', { ...upload, content_length: 5 * GiB + 1 }, 'content_length'],
    ['a content_length as text', { ...upload, content_length: '10' }, 'content_length'],
    [
      'a content_type with a line break',
      { ...upload, content_type: 'a/b\r\nx: y' },
      'content_type',
    ],
    [
      'a checksum in hexadecimal',
      { ...upload, checksum_sha256: 'ab'.repeat(32) },
      'checksum_sha256',
    ],
    ['a checksum that is too short', { ...upload, checksum_sha256: 'AAAA' }, 'checksum_sha256'],
    ['if_none_match other than *', { ...upload, if_none_match: 'x' }, 'if_none_match'],
    ['if_match as a number', { ...upload, if_match: 5 }, 'if_match'],
    ['a misspelled field', { ...upload, content_lenght: 10 }, 'content_lenght'],
    ['a multipart GET', { ...get, multipart: { size: 10 } }, 'multipart'],
    ['multipart without size', { ...upload, multipart: {} }, 'multipart'],
    ['multipart of size 0', { ...upload, multipart: { size: 0 } }, 'multipart'],
    ['multipart above 5 TiB', { ...upload, multipart: { size: 5 * 1024 * GiB + 1 } }, 'multipart'],
    ['parts below 5 MiB', { ...upload, multipart: { size: GiB, part_size: 1024 } }, 'multipart'],
    [
      'more than 10,000 parts',
      { ...upload, multipart: { size: 100 * GiB, part_size: 5 * 1024 * 1024 } },
      'multipart',
    ],
  ] as const) {
    it(`returns 400 that names the field: ${what}`, async () => {
      expectError(await callJson('POST', SIGNED_URL, wish), 400, { field });
    });
  }

  it('returns 400 to malformed JSON and to a JSON list', async () => {
    expectError(await callJson('POST', SIGNED_URL, []), 400);
    expectError(await callJson('POST', SIGNED_URL, 'text'), 400);
  });

  it('returns 404 for an upload into a bucket that does not exist', async () => {
    const wish = { ...upload, bucket: `${bucket}x`.slice(0, 63) };
    expectError(await callJson('POST', SIGNED_URL, wish), 404);
  });
});
