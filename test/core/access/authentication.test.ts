import { newApiKey } from '../../../core/access/api-key';
import {
  authenticate,
  bearerToken,
  isUsable,
  ofGeneration,
} from '../../../core/access/authentication';
import { claimOf } from '../../../core/access/key-claim';
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

  test('reads nothing without a token', async () => {
    const { check, read } = setUp();
    expect(await check(undefined)).toEqual({});
    expect(await check('ost_a.b')).toEqual({});
    expect(read).toEqual([]);
  });

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

describe('ofGeneration', () => {
  const record: ApiKeyRecord = {
    ...{ id: 'k', name: 'k', secretHash: '', permissions: EVERYTHING, createdAt: '' },
    ...{ generation: 2, previousUntil: '2026-06-01T00:00:00.000Z' },
  };

  test.each([
    [undefined, '2026-06-01T00:00:00.000Z'],
    ['2026-05-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'],
    ['2026-07-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z'],
  ])('ends the replaced secret of a key that expires at %s at %s', (expiresAt, end) => {
    const key = { ...record, ...(expiresAt && { expiresAt }) };
    expect(ofGeneration(key, 1)).toEqual({ ...key, expiresAt: end });
    expect(ofGeneration(key, 2)).toBe(key);
  });

  test('rejects the replaced secret when the record has no end of the overlap', async () => {
    const { id, text: old, secretHash: previousSecretHash } = newApiKey();
    const { secretHash } = newApiKey(id);
    const { check } = setUp({ id, secretHash, generation: 1, previousSecretHash });
    expect((await check(old)).key).toBeUndefined();
  });
});

test('a key is usable until it is revoked, and until its expiry', () => {
  const key = { id: 'k', name: 'k', secretHash: '', permissions: EVERYTHING, createdAt: '' };
  const expiresAt = new Date(NOW).toISOString();
  expect(isUsable(key, NOW)).toBe(true);
  expect(isUsable({ ...key, expiresAt }, NOW - 1)).toBe(true);
  expect(isUsable({ ...key, expiresAt }, NOW)).toBe(false);
  expect(isUsable({ ...key, revokedAt: expiresAt }, NOW - 1)).toBe(false);
});

test('the claim of a key has its expiry if it has one, and the default tier if it has none', () => {
  const key = { id: 'k', name: 'k', secretHash: '', permissions: EVERYTHING, createdAt: '' };
  const claim = { keyId: 'k', permissions: EVERYTHING, generation: 3, readAt: NOW };
  expect(claimOf(key, 3, NOW)).toStrictEqual({ ...claim, tier: 'default' });
  const expiresAt = new Date(NOW).toISOString();
  expect(claimOf({ ...key, tier: 'small', expiresAt }, 3, NOW)).toStrictEqual({
    ...{ ...claim, tier: 'small', expiresAt },
  });
});
