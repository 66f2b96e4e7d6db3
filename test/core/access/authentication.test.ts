import { newApiKey } from '../../../core/access/api-key';
import { authenticate } from '../../../core/access/authentication';
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
  const looked: string[] = [];
  const apiKeys: ApiKeys = {
    get: async (wanted) => {
      looked.push(wanted);
      return wanted === record.id ? record : undefined;
    },
  };
  return { id, text, looked, ask: (token?: string) => authenticate(apiKeys, token, NOW) };
}

/** Another secret under the same id, with its checksum right. */
const forged = (id: string) => newApiKey(id).text;

describe('guessing', () => {
  test('a wrong secret, an unknown id, a revoked and an expired key cost one look-up and answer alike', async () => {
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
    for (const { id, text, looked, ask, token } of cases) {
      const guess = token(id, text);
      const answer = await ask(guess);
      expect(answer).toEqual({ id: guess.split('_')[1] });
      expect(looked).toHaveLength(1);
    }
  });

  test('a stolen id without its secret opens nothing', async () => {
    const { id, ask, looked } = setUp();
    for (const token of [id, `osk_${id}`, `osk_${id}__`, `osk_${id}_${'0'.repeat(43)}_000000`]) {
      expect(await ask(token)).toEqual({});
    }
    expect(looked).toEqual([]);
  });

  test('a hash in place of a secret opens nothing', async () => {
    const { secretHash } = newApiKey();
    const { ask } = setUp({ secretHash });
    expect((await ask(`osk_${'a'.repeat(12)}_${secretHash.slice(0, 43)}_aaaaaa`)).key).toBe(
      undefined,
    );
  });

  test('a key without hash, such as a broken row, opens for no secret', async () => {
    const { id, text, ask } = setUp({ secretHash: '' });
    expect((await ask(text)).key).toBeUndefined();
    expect((await ask(forged(id))).key).toBeUndefined();
  });

  test('the hash compared for unknown ids is that of no secret that can be sent', async () => {
    const { ask } = setUp({ secretHash: '0'.repeat(64) });
    expect((await ask(newApiKey().text)).key).toBeUndefined();
  });
});

test('the replaced secret does not open for ever when no end was stored', async () => {
  const { id, text: old, secretHash: previousSecretHash } = newApiKey();
  const { secretHash } = newApiKey(id);
  const { ask } = setUp({ id, secretHash, generation: 1, previousSecretHash });
  expect((await ask(old)).key).toBeUndefined();
});
