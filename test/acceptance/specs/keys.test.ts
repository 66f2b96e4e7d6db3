import { it, needing } from '../support/behaviour';
import { useBucket } from '../support/buckets';
import { call, callJson } from '../support/http';
import { keysOf } from '../support/listing';
import {
  describeObject,
  descriptorOf,
  expectBytes,
  get,
  head,
  objectPath,
  put,
  remove,
} from '../support/objects';
import { demand, expectError, expectHeadError, expectStatus } from '../support/responses';
import { SIGNED_URL } from '../support/signed';

/** A path whose key part is sent byte for byte. */
const rawPath = (bucket: string, encoded: string) => `/api/v2/storage/objects/${bucket}/${encoded}`;

describe('Keys that come back byte for byte', () => {
  const bucket = useBucket('keys');

  for (const [what, key] of [
    ['spaces', ' two  spaces between '],
    ['a plus sign', 'a+b c+d'],
    ['a percent sign', '100%'],
    ['what looks like a percent-escape', '100%25 %41'],
    ['the letters %2F', 'a%2Fb'],
    ['a question mark', 'what?version=1&view=descriptor'],
    ['a number sign', 'issue#1'],
    ['quotes and backslashes', `"double" 'single' \`back\` \\`],
    ['all of ASCII punctuation', '!"#$%&\'()*+,-.:;<=>?@[\\]^_`{|}~'],
    ['XML', '<Key>&amp;</Key>'],
    ['JSON', '{"key": ["a", null]}'],
    ['emoji', 'zoë/😀👩‍👩‍👧‍👦.png'],
    ['right-to-left and combining characters', 'שלום/a\u0301\u0323'],
    ['U+0080, U+0085, U+00A0, U+2028 and U+FEFF', '\u0080-\u0085-\u00a0-\u2028-\ufeff'],
    ['the first and the last character beyond the surrogates', '\ue000\u{10ffff}'],
    ['the noncharacters U+FFFE and U+FFFF', 'a\ufffe\uffffb'],
    ['dots that are no dot segments', '...a/.b/c./..d/e..'],
    ['three dots', '...'],
    ['the name of a JavaScript member', '__proto__/constructor/toString'],
    ['900 bytes in one segment', 'k'.repeat(900)],
    ['900 bytes in 450 segments', `${'a/'.repeat(449)}ab`],
    ['450 bytes of three-byte characters', '€'.repeat(150)],
    ['450 bytes of two- and four-byte characters', 'é😀'.repeat(75)],
    ['a single character', 'x'],
    ['the name of one of our endpoints', 'api/v2/storage/objects/other/key'],
    ['a colon and a double slash inside', 'https:/example.com/?a=b'],
  ] as const) {
    it(`${what}`, async () => {
      const descriptor = await put(bucket, key, what);
      await expectBytes(bucket, key, what);
      expectStatus(await head(bucket, key), 200);
      expect(await describeObject(bucket, key)).toEqual(descriptor);
      expect(await keysOf(bucket, { prefix: key })).toContain(key);
      expectStatus(await remove(bucket, key), 200);
      expectError(await get(bucket, key), 404);
      expect(await keysOf(bucket, { prefix: key })).not.toContain(key);
    });
  }

  for (const [what, one, other] of [
    ['composed and decomposed Unicode (NFC and NFD)', 'caf\u00e9', 'cafe\u0301'],
    ['upper and lower case', 'Readme.MD', 'README.md'],
    ['the letters %2F and a slash', 'a%2Fb', 'a/b'],
    ['a plus sign and a space', 'a+b', 'a b'],
    ['the compatibility twins K and Kelvin sign', 'K', '\u212a'],
    ['with and without a byte order mark', 'bom', '\ufeffbom'],
    ['with and without a final space', 'end', 'end '],
    ['a key and the folder it names', 'folder', 'folder/file'],
  ] as const) {
    it(`distinguishes ${what}`, async () => {
      await put(bucket, one, 'one');
      expectError(await get(bucket, other), 404);
      expect(await put(bucket, other, 'other')).toMatchObject({ version: 1 });
      await expectBytes(bucket, one, 'one');
      await expectBytes(bucket, other, 'other');
      expectStatus(await remove(bucket, one), 200);
      await expectBytes(bucket, other, 'other');
      expectStatus(await remove(bucket, other), 200);
    });
  }

  for (const [what, encoded, key] of [
    ['lower-case hexadecimal digits', 'caf%c3%a9', 'caf\u00e9'],
    ['letters that needed no escape', '%61%2D%7E', 'a-~'],
    ['a literal plus sign', 'p+q', 'p+q'],
    [
      'punctuation that needs no escape in a path',
      "a!b$c&d'e(f)g*h,i=j:k@l",
      "a!b$c&d'e(f)g*h,i=j:k@l",
    ],
    ['an escaped slash, decoded once', 'a%2Fescaped', 'a/escaped'],
    ['an escaped percent sign, decoded once', 'a%252Fb-once', 'a%2Fb-once'],
  ] as const) {
    it(`reads the path: ${what}`, ['raw-paths'], async () => {
      const response = await call('PUT', rawPath(bucket, encoded), { body: what });
      expect(descriptorOf(expectStatus(response, 201)).key).toBe(key);
      expectStatus(await call('GET', rawPath(bucket, encoded)), 200);
      await expectBytes(bucket, key, what);
    });
  }

  it('reads the path: a semicolon', ['raw-paths'], async () => {
    const response = await call('PUT', rawPath(bucket, 'a;v=1/b;c'), { body: 'x' });
    expect(descriptorOf(expectStatus(response, 201)).key).toBe('a;v=1/b;c');
    await expectBytes(bucket, 'a;v=1/b;c', 'x');
  });

  it('distinguishes the same key in different buckets', async () => {
    await put(bucket, 'shared', 'here');
    await put(elsewhere, 'shared', 'there');
    await expectBytes(bucket, 'shared', 'here');
    await expectBytes(elsewhere, 'shared', 'there');
    expectStatus(await remove(elsewhere, 'shared'), 200);
    await expectBytes(bucket, 'shared', 'here');
  });

  const elsewhere = useBucket('keys2');
});

needing(['raw-paths'], () => {
  describe('Empty segments', () => {
    const bucket = useBucket('slashes');

    for (const [what, key, collapsed] of [
      ['a//b', 'in//side', 'in/side'],
      ['a///b', 'in///three', 'in/three'],
      ['/a', '/leading', 'leading'],
      ['//a', '//leading2', 'leading2'],
      ['a/', 'trailing/', 'trailing'],
      ['a//', 'trailing2//', 'trailing2'],
    ] as const) {
      it(`${what}: stored byte for byte or refused with 400, never another key`, async () => {
        const response = await call('PUT', objectPath(bucket, key), { body: what });
        if (response.status === 400) {
          expectError(response, 400, { field: 'key' });
        } else {
          expect(descriptorOf(expectStatus(response, 201)).key).toBe(key);
          await expectBytes(bucket, key, what);
          expect(await describeObject(bucket, key)).toMatchObject({ key });
        }
        const kept = response.status === 201 ? [key] : [];
        expect(await keysOf(bucket, { prefix: key })).toEqual(kept);
        expectHeadError(await head(bucket, collapsed), 404);
        if (response.status === 201) expectStatus(await remove(bucket, key), 200);
      });
    }

    it('a slash alone: stored byte for byte or refused', async () => {
      const response = await call('PUT', `${rawPath(bucket, '')}/`, { body: 'x' });
      if (response.status === 201) {
        expect(descriptorOf(response).key).toBe('/');
        await expectBytes(bucket, '/', 'x');
      } else {
        expectError(response, 400, { field: 'key' });
      }
    });
  });

  describe('Keys that only a long path can address', () => {
    const bucket = useBucket('longpath');

    for (const [what, key] of [
      ['900 bytes of two-byte characters', 'é'.repeat(450)],
      ['900 bytes of three-byte characters', '€'.repeat(300)],
      ['900 bytes of four-byte characters', '😀'.repeat(225)],
    ] as const) {
      it(`${what}: stored byte for byte or refused by both PUT and signed URLs`, async () => {
        const response = await call('PUT', objectPath(bucket, key), { body: what });
        if (response.status === 201) {
          await expectBytes(bucket, key, what);
          expectStatus(await remove(bucket, key), 200);
          return;
        }
        // API Gateway itself returns 414 to a path that makes a method ARN above 1,600 bytes.
        expectStatus(response, 400, 414);
        const wish = { bucket, key, method: 'PUT' };
        expectError(await callJson('POST', SIGNED_URL, wish), 400, { field: 'key' });
      });
    }
  });

  describe('Keys that are refused', () => {
    const bucket = useBucket('refused');

    for (const [what, encoded] of [
      ['a NUL', 'a%00b'],
      ['a tab', 'a%09b'],
      ['a line feed', 'a%0Ab'],
      ['a carriage return', 'a%0D'],
      ['U+0001', '%01'],
      ['U+001F', 'a%1F'],
      ['DEL, U+007F', 'a%7Fb'],
      ['a segment "." first', './a'],
      ['a segment "." inside', 'a/./b'],
      ['a segment "." last', 'a/.'],
      ['a key "."', '.'],
      ['a key ".."', '..'],
      ['a segment ".." inside', 'a/../b'],
      ['a segment ".." last', 'a/..'],
      ['".." out of the bucket', '../other/a'],
      ['".." out of everything', '../../../../../../etc/passwd'],
      ['an escaped segment ".."', 'a/%2e%2e/b'],
      ['an escaped segment "..", upper case', 'a/%2E%2E/b'],
      ['a half-escaped segment ".."', 'a/.%2e/b'],
      ['an escaped segment "."', 'a/%2e/b'],
      ['".." between escaped slashes', 'a%2F..%2Fb'],
      ['the byte FF', 'a%FFb'],
      ['a lone continuation byte', 'a%80b'],
      ['a truncated UTF-8 sequence', 'a%E2%82'],
      ['an overlong UTF-8 sequence', 'a%C0%AFb'],
      ['a UTF-8 surrogate', 'a%ED%A0%80b'],
      ['a code point beyond U+10FFFF', 'a%F4%90%80%80'],
      ['a percent sign alone', 'a%'],
      ['an incomplete percent-escape', 'a%4'],
      ['a percent-escape that is not hexadecimal', 'a%zzb'],
      ['901 bytes', 'k'.repeat(901)],
    ] as const) {
      it(`${what}: 400, and nothing is stored`, async () => {
        const path = rawPath(bucket, encoded);
        const response = await call('PUT', path, { body: 'never stored' });
        // Dot segments that leave /objects/{bucket} may name another path for the gateway, which
        // then does not exist.
        const leaves = encoded.startsWith('../');
        if (leaves) demand([400, 403, 404, 405].includes(response.status), 'a refusal', response);
        else expectError(response, 400, { field: 'key' });
        for (const method of ['GET', 'DELETE']) {
          const { status } = await call(method, path);
          expect(leaves ? [400, 403, 404, 405] : [400]).toContain(status);
        }
        expect(await keysOf(bucket, {})).toEqual([]);
      });
    }
  });
});
