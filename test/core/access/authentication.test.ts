import { newApiKey } from '../../../core/access/api-key';
import { authenticate, bearerToken } from '../../../core/access/authentication';
import type { ApiKeyRecord, ApiKeys } from '../../../core/access/ports';
import { FAKE_EPOCH } from '../../support/fakes/clock';
import { EVERYTHING } from '../../support/requests';

const NOW = FAKE_EPOCH;

function setUp(extra: Partial<ApiKeyRecord> = {}) {
  const { id, text, secretHash } = newApiKey();
  const createdAt = new Date(NOW).toISOString();
  const record: ApiKeyRecord = {
    id,
    name: 'k',
    secretHash,
    permissions: EVERYTHING,
    createdAt,
    ...extra,
  };
  const read: string[] = [];
  const apiKeys: ApiKeys = {
    get: async (wanted) => {
      read.push(wanted);
      return wanted === record.id ? record : undefined;
    },
  };
  return { id, text, read, check: (token?: string) => authenticate(apiKeys, token, NOW) };
}

/** Another secret under the same id, with a valid checksum. */
const forged = (id: string) => newApiKey(id).text;

describe('authenticate', () => {
  test('reads once and returns the same result for a wrong secret, an unknown id, a revoked key and an expired key', async () => {
    const past = new Date(NOW - 1).toISOString();
    const cases = [
      { ...setUp(), token: (id: string, _text: string) => forged(id) },
      { ...setUp(), token: () => newApiKey().text },
      { ...setUp({ revokedAt: past }), token: (_id: string, text: string) => text },
      { ...setUp({ expiresAt: past }), token: (_id: string, text: string) => text },
      {
        ...setUp({ generation: 1, previousSecretHash: 'ab'.repeat(32), previousUntil: past }),
        token: (id: string, _text: string) => forged(id),
      },
    ];
    for (const { id, text, read, check, token } of cases) {
      const guess = token(id, text);
      const result = await check(guess);
      expect(result).toEqual({ id: guess.split('_')[1] });
      expect(read).toHaveLength(1);
    }
  });

  test('rejects an id without its secret', async () => {
    const { id, check, read } = setUp();
    for (const token of [id, `osk_${id}`, `osk_${id}__`]) expect(await check(token)).toEqual({});
    expect(read).toEqual([]);
  });

  test('recognizes a mistyped key by its checksum, without a look-up', async () => {
    const { id, text, check, read } = setUp();
    const unknown = newApiKey().text;
    const other = (last: string) => (last === '0' ? '1' : '0');
    for (const key of [text, unknown]) {
      const mistyped = key.slice(0, -1) + other(key.slice(-1));
      expect(await check(mistyped)).toEqual({ isMistyped: true });
    }
    expect(await check(`osk_${id}_${'0'.repeat(43)}_000000`)).toEqual({ isMistyped: true });
    expect(read).toEqual([]);
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'accepts the scheme as %s (RFC 9110 §11.1)',
    (scheme) => {
      expect(bearerToken(`${scheme} a-token`)).toBe('a-token');
    },
  );

  test.each(['Basic Bearer a', 'Bearer a b', 'Bearer a ', 'Bearer  a', ' Bearer a', 'Bearer', 'a'])(
    'finds no token in %j',
    (authorization) => {
      expect(bearerToken(authorization)).toBeUndefined();
    },
  );

  test('rejects a hash in place of a secret', async () => {
    const { secretHash } = newApiKey();
    const { check } = setUp({ secretHash });
    expect((await check(`osk_${'a'.repeat(12)}_${secretHash.slice(0, 43)}_aaaaaa`)).key).toBe(
      undefined,
    );
  });

  test('rejects every secret when the stored key has no hash', async () => {
    const { id, text, check } = setUp({ secretHash: '' });
    expect((await check(text)).key).toBeUndefined();
    expect((await check(forged(id))).key).toBeUndefined();
  });

  test('compares unknown ids with a hash that no secret has', async () => {
    const { check } = setUp({ secretHash: '0'.repeat(64) });
    expect((await check(newApiKey().text)).key).toBeUndefined();
  });
});
