import { it, needing } from '../../support/behaviour';
import {
  BUCKETS,
  bucketCursor,
  createBucket,
  useBucket,
  useBucketName,
} from '../../support/buckets';
import { type Descriptor, sha256 } from '../../support/descriptor';
import { call, send } from '../../support/http';
import { keysOf } from '../../support/listing';
import {
  describeObject,
  descriptorOf,
  expectBytes,
  expectObjectHeaders,
  head,
  objectPath,
  put,
} from '../../support/objects';
import { demand, expectHeadError, expectStatus, headerOf } from '../../support/responses';
import { type SignedUrl, signUrl, useUrl } from '../../support/signed';
import { until } from '../../support/wait';

describe('POST /api/v2/storage/signed-url, method PUT', () => {
  const bucket = useBucket('sign-put');
  const reborn = useBucketName('sign-reborn');
  const wish = (key: string, more: object = {}) => ({ bucket, key, method: 'PUT', ...more });

  /** The object once the upload was reported and committed in that version. */
  const committed = (key: string, version = 1): Promise<Descriptor> =>
    until(`version ${version} of ${key}`, async () => {
      const response = await call('GET', `${objectPath(bucket, key)}?view=descriptor`);
      if (response.status === 404) return undefined;
      const descriptor = descriptorOf(expectStatus(response, 200));
      return descriptor.version >= version ? descriptor : undefined;
    });

  /** Uploads that must be taken by the storage. */
  const upload = async (signed: SignedUrl, body: Uint8Array | string) =>
    expectStatus(await useUrl(signed, body), 200);

  /** Waits until an upload that began after everything else has been committed. */
  const settle = async (label: string) => {
    await upload(await signUrl(wish(`settle/${label}`)), 'x');
    return committed(`settle/${label}`);
  };

  it('returns 201 with url, method PUT, the headers to send, and expires_at', async () => {
    const signed = await signUrl(wish('shape', { content_type: 'text/plain', content_length: 4 }));
    expect(signed.method).toBe('PUT');
    const names = Object.keys(signed.headers).map((name) => name.toLowerCase());
    expect(names).toEqual(expect.arrayContaining(['if-none-match', 'content-type']));
    expect(Date.parse(signed.expires_at)).toBeGreaterThan(Date.now());
  });

  it('stores nothing before the upload', async () => {
    await signUrl(wish('unused'));
    expectHeadError(await head(bucket, 'unused'), 404);
    expect(await keysOf(bucket, { prefix: 'unused' })).toEqual([]);
  });

  needing(['s3-events'], () => {
    it('the uploaded object appears with descriptor, version, cursor and bytes exactly as with PUT', async () => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 31) % 256));
      const before = await bucketCursor(bucket);
      await upload(await signUrl(wish('appears', { content_type: 'image/x-test' })), bytes);
      const descriptor = await committed('appears');
      expect(descriptor).toMatchObject({
        size: bytes.length,
        version: 1,
        content_type: 'image/x-test',
        metadata: {},
      });
      expect(descriptor.cursor).toBeGreaterThan(before);
      expectObjectHeaders(await expectBytes(bucket, 'appears', bytes), descriptor);
      expect(await keysOf(bucket, { prefix: 'appears' })).toEqual(['appears']);
    });

    it('replaces an existing object with the next version, and the old one stays readable', async () => {
      const first = await put(bucket, 'replaced', 'first');
      await upload(await signUrl(wish('replaced')), 'second');
      const second = await committed('replaced', 2);
      expect(second.version).toBe(2);
      expect(second.created_at).toBe(first.created_at);
      await expectBytes(bucket, 'replaced', 'second');
      const old = await call('GET', `${objectPath(bucket, 'replaced')}?version=1`);
      expect(expectStatus(old, 200).body.toString()).toBe('first');
    });

    for (const [what, key] of [
      ['spaces, a plus sign and a percent sign', 'a b+c%d%2F.txt'],
      ['emoji and decomposed letters', 'e\u0301/😀.png'],
      ['empty segments', 'a//b'],
      ['quotes, an ampersand and angle brackets', `"'&<>`],
      ['900 bytes', 'k'.repeat(900)],
      ['400 bytes of two-byte characters', 'é'.repeat(200)],
    ] as const) {
      it(`uploads to a key with ${what}`, async () => {
        await upload(await signUrl(wish(key)), what);
        expect((await committed(key)).key).toBe(key);
        await expectBytes(bucket, key, what);
      });
    }

    it('a declared checksum is in the descriptor and in Repr-Digest', async () => {
      const checksum = sha256('checked');
      await upload(await signUrl(wish('checked', { checksum_sha256: checksum })), 'checked');
      expect((await committed('checked')).checksum_sha256).toBe(checksum);
      const response = await expectBytes(bucket, 'checked', 'checked');
      expect(headerOf(response, 'repr-digest')).toBe(`sha-256=:${checksum}:`);
    });

    it('an empty upload makes an empty object', async () => {
      await upload(await signUrl(wish('empty', { content_length: 0 })), '');
      expect((await committed('empty')).size).toBe(0);
      await expectBytes(bucket, 'empty', '');
    });

    it('if_none_match is checked at the commit of the upload: an object created after signing stays', async () => {
      const signed = await signUrl(wish('late/none', { if_none_match: '*' }));
      const first = await put(bucket, 'late/none', 'was faster');
      await upload(signed, 'too late');
      await settle('none');
      expect(await describeObject(bucket, 'late/none')).toEqual(first);
      await expectBytes(bucket, 'late/none', 'was faster');
    });

    it('if_none_match lets the upload make a new object', async () => {
      await upload(await signUrl(wish('new/none', { if_none_match: '*' })), 'new');
      expect((await committed('new/none')).version).toBe(1);
    });

    it('if_match is checked at the commit of the upload: a version created after signing stays', async () => {
      const first = await put(bucket, 'late/match', 'first');
      const signed = await signUrl(wish('late/match', { if_match: first.etag }));
      const second = await put(bucket, 'late/match', 'second');
      await upload(signed, 'too late');
      await settle('match');
      expect(await describeObject(bucket, 'late/match')).toEqual(second);
    });

    it('if_match lets the upload replace that version', async () => {
      const { etag } = await put(bucket, 'same/match', 'first');
      await upload(await signUrl(wish('same/match', { if_match: `"${etag}"` })), 'second');
      expect((await committed('same/match', 2)).version).toBe(2);
      await expectBytes(bucket, 'same/match', 'second');
    });

    it('an upload for a deleted bucket never appears in a new bucket of the same name', async () => {
      await createBucket(reborn);
      const old = await signUrl({ bucket: reborn, key: 'old', method: 'PUT' });
      expectStatus(await call('DELETE', `${BUCKETS}/${reborn}`), 204);
      await createBucket(reborn);
      await upload(old, 'meant for the old bucket');
      await upload(await signUrl({ bucket: reborn, key: 'new', method: 'PUT' }), 'new');
      await until('the upload into the new bucket', async () =>
        (await head(reborn, 'new')).status === 200 ? true : undefined,
      );
      expectHeadError(await head(reborn, 'old'), 404);
      expect(await keysOf(reborn, {})).toEqual(['new']);
    });

    it(
      'is good for one upload: the storage returns 412 to a second body, and the first stays',
      ['s3-conditions'],
      async () => {
        const signed = await signUrl(wish('once'));
        await upload(signed, 'first');
        expectStatus(await useUrl(signed, 'second'), 412);
        await committed('once');
        expectStatus(await useUrl(signed, 'third'), 412);
        await settle('once');
        expect((await describeObject(bucket, 'once')).version).toBe(1);
        await expectBytes(bucket, 'once', 'first');
      },
    );
  });

  needing(['s3-signatures'], () => {
    it('refuses the upload without the If-None-Match that was signed', async () => {
      const { method, url, headers } = await signUrl(wish('unconditional'));
      const rest = Object.entries(headers).filter(([name]) => !/^if-none-match$/i.test(name));
      const response = await send(method, url, { headers: Object.fromEntries(rest), body: 'x' });
      expectStatus(response, 403);
    });

    it('refuses a body of another length than content_length', async () => {
      for (const body of ['123', '12345', '']) {
        const signed = await signUrl(wish('length', { content_length: 4 }));
        const { 'content-length': _, ...headers } = signed.headers;
        const response = await send('PUT', signed.url, { headers, body });
        expectStatus(response, 400, 403);
      }
    });

    it('refuses another content type than content_type', async () => {
      const signed = await signUrl(wish('type', { content_type: 'image/png' }));
      expectStatus(await useUrl(signed, 'x', { 'content-type': 'text/html' }), 403);
    });

    it('refuses bytes that do not have checksum_sha256, and another checksum in addition', async () => {
      const signed = await signUrl(wish('sum', { checksum_sha256: sha256('right') }));
      expectStatus(await useUrl(signed, 'wrong'), 400);
      const name = Object.keys(signed.headers).find((each) => /checksum-sha256$/i.test(each)) ?? '';
      expectStatus(await useUrl(signed, 'wrong', { [name]: sha256('wrong') }), 403);
      expectHeadError(await head(bucket, 'sum'), 404);
    });

    it('an expired URL is 403 from the storage', async () => {
      const signed = await signUrl(wish('expired', { expires_in: 1 }));
      await until('the URL to expire', async () =>
        Date.now() > Date.parse(signed.expires_at) + 1_500 ? true : undefined,
      );
      expectStatus(await useUrl(signed, 'too late'), 403);
      expectHeadError(await head(bucket, 'expired'), 404);
    });

    it('does not serve for reading, deleting or another key', async () => {
      const { url, headers } = await signUrl(wish('only-put'));
      for (const method of ['GET', 'DELETE'])
        expectStatus(await send(method, url, { headers }), 403);
      // A storage whose URLs have no key in them signs a token.
      const altered = url.replace('only-put', 'other-put').replace('signed=e', 'signed=f');
      demand(altered !== url, 'the key in the URL', await head(bucket, 'only-put'));
      expectStatus(await send('PUT', altered, { headers, body: 'x' }), 403);
    });
  });
});
