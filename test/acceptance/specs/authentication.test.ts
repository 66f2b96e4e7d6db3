import { forgeKey } from '../support/api-key';
import { it, needing } from '../support/behaviour';
import { BUCKETS, uniqueName, useBucket } from '../support/buckets';
import { call, send } from '../support/http';
import { expectBytes, objectPath, put } from '../support/objects';
import { expectError, expectHeadError, expectStatus } from '../support/responses';
import { SIGNED_URL } from '../support/signed';
import { apiKey, baseUrl } from '../support/target';

needing(['gateway-responses'], () => {
  describe('Authentication', () => {
    const bucket = useBucket('auth');
    beforeAll(() => put(bucket, 'a', 'protected'));

    const endpoints = [
      ['GET', () => BUCKETS],
      ['POST', () => BUCKETS],
      ['GET', () => `${BUCKETS}/${bucket}`],
      ['DELETE', () => `${BUCKETS}/${bucket}`],
      ['GET', () => `/api/v2/storage/objects/${bucket}`],
      ['GET', () => objectPath(bucket, 'a')],
      ['HEAD', () => objectPath(bucket, 'a')],
      ['PUT', () => objectPath(bucket, 'a')],
      ['DELETE', () => objectPath(bucket, 'a')],
      ['POST', () => SIGNED_URL],
    ] as const;

    for (const [method, pathOf] of endpoints) {
      const shown = pathOf().replace(bucket, '{bucket}');
      it(`${method} ${shown} without a key: 401 with WWW-Authenticate: Bearer`, async () => {
        const response = await call(method, pathOf(), { key: null });
        if (method === 'HEAD') expectHeadError(response, 401);
        else expectError(response, 401);
        expect(response.headers['www-authenticate']).toMatch(/^Bearer\b/);
        await expectBytes(bucket, 'a', 'protected');
      });
    }

    const [, id = '', secret = ''] = (process.env.STOWAGE_KEY ?? '').split('_');
    const other = (text: string) => text.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
    for (const [what, key] of [
      ['a word', 'secret'],
      ['nothing after Bearer', ''],
      ['a key with a wrong checksum', `osk_${id}_${secret}_000000`],
      ['a key with one letter too few', apiKeyOrEmpty().slice(0, -1)],
      ['a key with one letter too many', `${apiKeyOrEmpty()}0`],
      ['a well-formed key of an unknown id', forgeKey(other(id), secret)],
      ['the id of a key with another secret', forgeKey(id, other(secret))],
      ['a key in another case', apiKeyOrEmpty().toUpperCase()],
      ['two keys', `${apiKeyOrEmpty()} ${apiKeyOrEmpty()}`],
      ['8 KB of letters', 'x'.repeat(8_000)],
    ] as const) {
      it(`refuses ${what} with 401`, async () => {
        expectError(await call('GET', objectPath(bucket, 'a'), { key }), 401);
      });
    }

    it('says to compare a mistyped key with what was copied, whether or not its id exists', async () => {
      const messages = [id, other(id)].map(async (some) => {
        const key = `osk_${some}_${secret}_000000`;
        const response = await call('GET', objectPath(bucket, 'a'), { key });
        return expectError(response, 401, { message: /compare it with what you copied/ }).message;
      });
      expect(new Set(await Promise.all(messages)).size).toBe(1);
    });

    for (const scheme of ['Basic', 'Token', 'Bearer:', '']) {
      it(`refuses a valid key under the scheme "${scheme}" with 401`, async () => {
        const headers = { authorization: `${scheme} ${apiKey()}`.trim() };
        const response = await send('GET', baseUrl() + objectPath(bucket, 'a'), { headers });
        expectError(response, 401);
      });
    }

    it('takes no key from the query', async () => {
      const path = `${objectPath(bucket, 'a')}?authorization=Bearer%20${apiKey()}&key=${apiKey()}`;
      expectError(await call('GET', path, { key: null }), 401);
    });

    it('says the same whether or not the bucket and the object exist', async () => {
      const message = async (path: string) =>
        expectError(await call('GET', path, { key: null }), 401).message;
      const known = await message(objectPath(bucket, 'a'));
      expect(await message(objectPath(uniqueName('none'), 'a'))).toBe(known);
    });
  });
});

describe('Authentication of a valid key', () => {
  const bucket = useBucket('auth-ok');

  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    it(`takes the scheme as ${scheme}`, async () => {
      const headers = { authorization: `${scheme} ${apiKey()}` };
      expectStatus(await send('GET', baseUrl() + BUCKETS, { headers }), 200);
    });
  }

  it('holds for one request after another, whatever other keys did between', async () => {
    await put(bucket, 'a', 'x');
    for (let n = 0; n < 3; n++) {
      await call('GET', objectPath(bucket, 'a'), { key: null });
      expectStatus(await call('GET', objectPath(bucket, 'a')), 200);
    }
  });
});

function apiKeyOrEmpty(): string {
  return process.env.STOWAGE_KEY ?? '';
}
