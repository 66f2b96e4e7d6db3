/** Keys of sessions of the dashboard. */
import { authenticate } from '../../../core/access/authentication';
import {
  type Actor,
  changeKey,
  createKey,
  createSession,
  endSessions,
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

describe('the key of a session', () => {
  const session = (fakes: Fakes, until: number) =>
    createSession(fakes, ALICE, { permissions: READ, until });

  test('expires after an hour, or earlier with the credentials of the person', async () => {
    const fakes = createFakes();
    const now = fakes.clock.now();
    expect((await session(fakes, now + 10 * HOUR)).expiresAt).toBe(
      new Date(now + HOUR).toISOString(),
    );
    const short = await session(fakes, now + 60_000);
    expect(short.key).toStrictEqual({
      ...{ id: short.key.id, name: 'dashboard of alice', permissions: READ, kind: 'session' },
      ...{ secretHash: short.key.secretHash, createdAt: fakes.clock.iso(), createdBy: 'alice' },
      ...{ expiresAt: short.expiresAt, actorId: 'sub-alice' },
    });
    expect(short.expiresAt).toBe(new Date(now + 60_000).toISOString());
    fakes.clock.advance(60_000);
    expect(await opens(fakes, short.text)).toBe(false);
  });

  test('is audited, is not listed, and can only be revoked', async () => {
    const fakes = createFakes();
    const { key, text } = await session(fakes, fakes.clock.now() + HOUR);
    expect((await fakes.keys.list(10)).keys).toEqual([]);
    const { records } = await fakes.audit.list(100);
    expect(records).toMatchObject([{ action: 'session', keyId: key.id }]);
    expect(records[0]?.details).toEqual({ expires_at: key.expiresAt });
    for (const attempt of [
      getKey(fakes, key.id),
      changeKey(fakes, ALICE, key.id, { expiresAt: null }),
      rotateKey(fakes, ALICE, key.id, 60),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
    }
    await revokeKey(fakes, ALICE, key.id);
    expect(await opens(fakes, text)).toBe(false);
  });

  test('is revoked with every other of its person when the person signs out', async () => {
    const fakes = createFakes();
    const until = fakes.clock.now() + HOUR;
    const [over] = [await session(fakes, fakes.clock.now() + 1000), await session(fakes, until)];
    fakes.clock.advance(1000);
    const open = [await session(fakes, until), await session(fakes, until)];
    await revokeKey(fakes, ALICE, open[0]?.key.id ?? '');
    const other = await createSession(fakes, BOB, { permissions: READ, until });
    const { text } = await createKey(fakes, ALICE, SETTINGS);

    expect(await endSessions(fakes, ALICE)).toBe(2);
    expect((await fakes.keys.sessionsOf(ALICE.id)).filter(({ revokedAt }) => !revokedAt)).toEqual([
      over?.key,
    ]);
    expect(await opens(fakes, other.text)).toBe(true);
    expect(await opens(fakes, text)).toBe(true);
    expect(await endSessions(fakes, ALICE)).toBe(0);
    const actions = (await fakes.audit.list(100)).records.map(({ action }) => action);
    expect(actions.filter((action) => action === 'revoke')).toHaveLength(3);
  });
});
