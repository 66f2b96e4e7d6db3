import { authenticate } from '../../../core/access/authentication';
import {
  type Actor,
  changeKey,
  createKey,
  getKey,
  revokeKey,
  rotateKey,
} from '../../../core/access/keys';
import type { Permission } from '../../../core/access/ports';
import { createFakes, type Fakes } from '../../support/fakes/fakes';

const ALICE: Actor = { id: 'sub-alice', name: 'alice' };
const BOB: Actor = { id: 'sub-bob', name: 'bob' };
const READ: Permission[] = [{ buckets: ['photos'], actions: ['read'] }];
const SETTINGS = { name: 'k', permissions: READ, tier: 'default' };
const HOUR = 3_600_000;

const opens = async (fakes: Fakes, text: string) =>
  (await authenticate(fakes.keys, text, fakes.clock.now())).key !== undefined;
const auditRecords = async (fakes: Fakes) => (await fakes.audit.list(100)).records;

describe('a new key', () => {
  test('authenticates, names its creator, and has an audit record without its secret', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, { ...SETTINGS, name: 'team' });

    expect(await opens(fakes, text)).toBe(true);
    expect(await getKey(fakes, key.id)).toStrictEqual({
      ...{ id: key.id, name: 'team', permissions: READ, tier: 'default' },
      ...{ secretHash: key.secretHash, createdAt: fakes.clock.iso(), createdBy: 'alice' },
    });
    expect(await auditRecords(fakes)).toEqual([
      expect.objectContaining({
        action: 'create',
        actor: 'alice',
        actorId: 'sub-alice',
        keyId: key.id,
        at: fakes.clock.iso(),
        details: { name: 'team', permissions: READ, tier: 'default' },
      }),
    ]);
    const [, , secret = 'none'] = text.split('_');
    const stored = JSON.stringify([...fakes.state.apiKeys.values(), ...fakes.state.audit.values()]);
    expect(stored).not.toContain(secret);
    expect(JSON.stringify(await auditRecords(fakes))).not.toContain(key.secretHash);
  });

  test('expires at expires_at', async () => {
    const fakes = createFakes();
    const expiresAt = new Date(fakes.clock.now() + HOUR).toISOString();
    const { text } = await createKey(fakes, ALICE, { ...SETTINGS, expiresAt });
    fakes.clock.advance(HOUR - 1);
    expect(await opens(fakes, text)).toBe(true);
    fakes.clock.advance(1);
    expect(await opens(fakes, text)).toBe(false);
  });
});

describe('a change', () => {
  test('has an audit record with the settings before and after', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    const expiresAt = new Date(fakes.clock.now() + HOUR).toISOString();
    await changeKey(fakes, BOB, key.id, { name: 'new', expiresAt });
    await changeKey(fakes, BOB, key.id, { expiresAt: null });

    const [second, first] = await auditRecords(fakes);
    expect(first).toMatchObject({ action: 'change', actor: 'bob' });
    expect(first?.details).toEqual({
      name: 'new',
      before: { name: 'k' },
      after: { name: 'new', expires_at: expiresAt },
    });
    expect(second?.details).toEqual({
      name: 'new',
      before: { expires_at: expiresAt },
      after: {},
    });
    expect(await getKey(fakes, key.id)).not.toHaveProperty('expiresAt');
  });

  test('marks cached copies of the key as out of date', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    fakes.clock.advance(HOUR);
    await changeKey(fakes, ALICE, key.id, { permissions: READ, name: 'other' });
    expect(fakes.state.rates.get(key.id)?.changedAt).toBe(fakes.clock.now());
  });

  test('is neither written nor audited when nothing changes', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    await changeKey(fakes, BOB, key.id, { ...SETTINGS, permissions: [...READ] });
    expect(await auditRecords(fakes)).toHaveLength(1);
    expect((await getKey(fakes, key.id)).revision).toBeUndefined();
  });

  test('succeeds when the key cannot be marked, because the stream marks it again', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    const rates = { markChanged: () => Promise.reject(new Error('throttled')) };
    await revokeKey({ ...fakes, rates }, ALICE, key.id);
    expect((await getKey(fakes, key.id)).revokedAt).toBeDefined();
    expect(fakes.log.lines).toEqual([
      {
        ...{ level: 'error', event: 'change_not_marked' },
        fields: { keyId: key.id, error: new Error('throttled') },
      },
    ]);
  });

  test('is combined with a concurrent change of another person, and both are audited', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    await Promise.all([
      changeKey(fakes, ALICE, key.id, { name: 'from alice' }),
      changeKey(fakes, BOB, key.id, { tier: 'small' }),
    ]);
    expect(await getKey(fakes, key.id)).toMatchObject({ name: 'from alice', tier: 'small' });
    const changes = (await auditRecords(fakes)).filter(({ action }) => action === 'change');
    expect(changes.map(({ actor }) => actor).sort()).toEqual(['alice', 'bob']);
  });

  test('fails with 503 when five other changes in a row come first, and not when four do', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    const { save } = fakes.keys;
    const change = (name: string, others: number) => {
      let attempts = 0;
      jest.spyOn(fakes.keys, 'save').mockImplementation(async (...given) => {
        attempts++;
        return attempts > others && save.apply(fakes.keys, given);
      });
      return changeKey(fakes, ALICE, key.id, { name });
    };
    await expect(change('x', 5)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await change('y', 4)).toMatchObject({ name: 'y' });
  });

  test('fails with 404 when there is no such key', async () => {
    const fakes = createFakes();
    const refusal = { code: 'not_found', message: expect.stringContaining('key') };
    for (const attempt of [
      changeKey(fakes, ALICE, 'aaaaaaaaaaaa', { name: 'x' }),
      getKey(fakes, 'aaaaaaaaaaaa'),
    ]) {
      await expect(attempt).rejects.toMatchObject(refusal);
    }
  });
});

describe('revocation', () => {
  test('ends the key, and is audited once when repeated', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, SETTINGS);
    const first = await revokeKey(fakes, BOB, key.id);
    fakes.clock.advance(HOUR);
    const again = await revokeKey(fakes, ALICE, key.id);

    expect(again).toEqual(first);
    const revokedAt = new Date(fakes.clock.now() - HOUR).toISOString();
    expect(first).toStrictEqual({ ...key, revokedAt, revokedBy: 'bob', revision: 1 });
    expect(await opens(fakes, text)).toBe(false);
    expect((await auditRecords(fakes)).map(({ action }) => action)).toEqual(['revoke', 'create']);
    for (const attempt of [
      changeKey(fakes, ALICE, key.id, { name: 'x' }),
      rotateKey(fakes, ALICE, key.id, 0),
    ]) {
      await expect(attempt).rejects.toMatchObject({
        code: 'conflict',
        details: { reason: 'revoked' },
      });
    }
  });

  test('ends the replaced secret too', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, SETTINGS);
    const rotated = await rotateKey(fakes, ALICE, key.id, 3600);
    await revokeKey(fakes, ALICE, key.id);
    expect(await opens(fakes, text)).toBe(false);
    expect(await opens(fakes, rotated.text)).toBe(false);
  });
});
