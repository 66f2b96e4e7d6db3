/** How a key gets another secret. */
import { authenticate, ofGeneration } from '../../../core/access/authentication';
import { type Actor, createKey, rotateKey } from '../../../core/access/keys';
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

describe('rotation', () => {
  test('permits both secrets until the overlap ends, then only the new one', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, SETTINGS);
    const rotated = await rotateKey(fakes, BOB, key.id, 3600);

    expect(rotated.key).toStrictEqual({
      ...key,
      ...{ secretHash: rotated.key.secretHash, generation: 1, revision: 1 },
      previousSecretHash: key.secretHash,
      previousUntil: new Date(fakes.clock.now() + HOUR).toISOString(),
    });
    expect(rotated.text).toContain(`osk_${key.id}_`);
    expect(rotated.text).not.toBe(text);
    fakes.clock.advance(HOUR - 1);
    expect(await opens(fakes, text)).toBe(true);
    expect(await opens(fakes, rotated.text)).toBe(true);
    fakes.clock.advance(1);
    expect(await opens(fakes, text)).toBe(false);
    expect(await opens(fakes, rotated.text)).toBe(true);
  });

  test('ends the old secret of a stored key that expires beyond 9999', async () => {
    const fakes = createFakes();
    const expiresAt = '+010000-01-01T04:59:59.000Z';
    const { key, text } = await createKey(fakes, ALICE, { ...SETTINGS, expiresAt });
    await rotateKey(fakes, BOB, key.id, 3600);
    expect(await opens(fakes, text)).toBe(true);
    fakes.clock.advance(HOUR);
    expect(await opens(fakes, text)).toBe(false);
  });

  test('ends the old secret at once when the overlap is 0', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, SETTINGS);
    await rotateKey(fakes, ALICE, key.id, 3600);
    const rotated = await rotateKey(fakes, ALICE, key.id, 0);
    expect(rotated.key).toMatchObject({ generation: 2, revision: 2 });
    expect(rotated.key).not.toHaveProperty('previousSecretHash');
    expect(rotated.key).not.toHaveProperty('previousUntil');
    expect(await opens(fakes, text)).toBe(false);
    expect(await opens(fakes, rotated.text)).toBe(true);
  });

  test('leaves at most two secrets when repeated', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, SETTINGS);
    const second = await rotateKey(fakes, ALICE, key.id, 3600);
    const third = await rotateKey(fakes, ALICE, key.id, 3600);
    expect(await opens(fakes, text)).toBe(false);
    expect(await opens(fakes, second.text)).toBe(true);
    expect(await opens(fakes, third.text)).toBe(true);
  });

  test('has an audit record without either secret', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    const rotated = await rotateKey(fakes, ALICE, key.id, 60);
    const [record] = await auditRecords(fakes);
    expect(record).toMatchObject({ action: 'rotate', keyId: key.id });
    expect(record?.details.after).toEqual({
      generation: 1,
      previous_until: new Date(fakes.clock.now() + 60_000).toISOString(),
    });
    const text = JSON.stringify(record);
    expect(text).not.toContain(rotated.key.secretHash);
    expect(text).not.toContain(key.secretHash);
  });

  test('gives the old secret the end of the overlap as its expiry, which cached results of the authorizer contain', async () => {
    const fakes = createFakes();
    const { key, text } = await createKey(fakes, ALICE, SETTINGS);
    const rotated = await rotateKey(fakes, ALICE, key.id, 60);
    const old = await authenticate(fakes.keys, text, fakes.clock.now());
    expect(old).toMatchObject({
      generation: 0,
      key: { expiresAt: new Date(fakes.clock.now() + 60_000).toISOString() },
    });
    const current = await authenticate(fakes.keys, rotated.text, fakes.clock.now());
    expect(current).toMatchObject({ generation: 1 });
    expect(current.key).not.toHaveProperty('expiresAt');
  });

  test('gives the old secret the key’s own expiry when that comes first', async () => {
    const fakes = createFakes();
    const expiresAt = new Date(fakes.clock.now() + 30_000).toISOString();
    const { key, text } = await createKey(fakes, ALICE, { ...SETTINGS, expiresAt });
    await rotateKey(fakes, ALICE, key.id, 60);
    const { key: old } = await authenticate(fakes.keys, text, fakes.clock.now());
    expect(old?.expiresAt).toBe(expiresAt);
  });

  test('fails when the key has expired', async () => {
    const fakes = createFakes();
    const expiresAt = new Date(fakes.clock.now() + 1000).toISOString();
    const { key } = await createKey(fakes, ALICE, { ...SETTINGS, expiresAt });
    fakes.clock.advance(1000);
    await expect(rotateKey(fakes, ALICE, key.id, 0)).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'expired' },
    });
  });

  test('accepts only the last two generations', async () => {
    const fakes = createFakes();
    const { key } = await createKey(fakes, ALICE, SETTINGS);
    await rotateKey(fakes, ALICE, key.id, 60);
    const record = (await rotateKey(fakes, ALICE, key.id, 60)).key;
    const known = [-1, 0, 1, 2, 3].map((n) => ofGeneration(record, n) !== undefined);
    expect(known).toEqual([false, false, true, true, false]);
  });
});
