import fc from 'fast-check';
import { newApiKey } from '../../../core/access/api-key';
import { authenticate } from '../../../core/access/authentication';
import {
  ACTIONS,
  intersection,
  lacking,
  mayOnBucket,
  mayOnObject,
} from '../../../core/access/permissions';
import type { ApiKeyRecord, Permission } from '../../../core/access/ports';
import {
  newTemporaryKey,
  parseTemporaryKey,
  restricted,
  TemporaryKeySecret,
} from '../../../core/access/temporary-keys';
import { FakeClock } from '../../support/fakes/clock';
import { createFakes } from '../../support/fakes/fakes';

const READ: readonly Permission[] = [{ buckets: ['photos'], prefix: 'a/', actions: ['read'] }];

async function setUp(extra: Partial<ApiKeyRecord> = {}) {
  const fakes = createFakes();
  const { id, secretHash } = newApiKey();
  const maker: ApiKeyRecord = {
    ...{ id, name: 'k', secretHash, createdAt: fakes.clock.iso() },
    permissions: [{ buckets: ['*'], actions: ACTIONS }],
    ...extra,
  };
  fakes.state.apiKeys.set(id, maker);
  const secret = new TemporaryKeySecret(fakes.serviceState, fakes.clock);
  const now = fakes.clock.now();
  const restriction = { permissions: READ, expiresAt: new Date(now + 60_000).toISOString() };
  const generation = maker.generation ?? 0;
  const text = newTemporaryKey(await secret.toMake(), maker, { generation }, restriction);
  const check = (token = text) => authenticate(fakes.apiKeys, token, fakes.clock.now(), secret);
  const change = (fields: Partial<ApiKeyRecord>) =>
    fakes.state.apiKeys.set(id, { ...maker, ...fields });
  return { fakes, maker, text, restriction, secret, check, change };
}

test('a temporary key authenticates as its maker with its restriction, until it ends', async () => {
  const { fakes, maker, restriction, check } = await setUp();
  expect(await check()).toEqual({ key: maker, generation: 0, restriction });
  fakes.clock.advance(59_999);
  expect(await check()).toHaveProperty('key');
  fakes.clock.advance(1);
  expect(await check()).toEqual({ id: maker.id });
});

test('a temporary key ends with its maker: revoked, expired, rotated or deleted', async () => {
  const { fakes, maker, check, change } = await setUp();
  change({ revokedAt: fakes.clock.iso() });
  expect(await check()).toEqual({ id: maker.id });
  change({ expiresAt: fakes.clock.iso() });
  expect(await check()).toEqual({ id: maker.id });
  change({ generation: 1, secretHash: 'f'.repeat(64) });
  expect(await check()).toEqual({ id: maker.id });
  fakes.state.apiKeys.delete(maker.id);
  expect(await check()).toEqual({ id: maker.id });
});

test('a temporary key of a replaced secret works for the overlap', async () => {
  const { fakes, maker, check, change } = await setUp();
  const previousUntil = new Date(fakes.clock.now() + 1000).toISOString();
  const previousSecretHash = maker.secretHash;
  change({ generation: 1, secretHash: 'f'.repeat(64), previousSecretHash, previousUntil });
  expect(await check()).toMatchObject({ generation: 0 });
  fakes.clock.advance(1000);
  expect(await check()).toEqual({ id: maker.id });
});

test('a changed character anywhere makes a temporary key invalid', async () => {
  const { text, check } = await setUp();
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length - 1), async (at) => {
      // The last character of base64url may have bits without a meaning.
      const changed = text[at] === 'A' ? 'w' : 'A';
      expect(await check(text.slice(0, at) + changed + text.slice(at + 1))).not.toHaveProperty(
        'key',
      );
    }),
  );
});

test.each(['', 'ost_', 'ost_x.y', `ost_${'A'.repeat(40)}.${'A'.repeat(43)}`, 'x'.repeat(3000)])(
  '%j is no temporary key',
  (text) => {
    expect(parseTemporaryKey(text)).toBeUndefined();
  },
);

/** A text in the form of a temporary key with these claims; its signature is made up. */
const textOf = (claims: unknown, mac = 'A'.repeat(43)) =>
  `ost_${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${mac}`;
const ID = '0123456789AB';

test.each([
  ['an id that is no key', ['iam:reader', 0, 1_800_000_000, READ]],
  ['an id in a list', [[ID], 0, 1_800_000_000, READ]],
  ['a number for an id', [123_456_789_012, 0, 1_800_000_000, READ]],
  ['half a generation', [ID, 0.5, 1_800_000_000, READ]],
  ['a generation as a string', [ID, '0', 1_800_000_000, READ]],
  ['no generation', [ID, null, 1_800_000_000, READ]],
  ['an end between two seconds', [ID, 0, 1_800_000_000.5, READ]],
  ['an end as a string', [ID, 0, '1800000000', READ]],
  ['an end after all dates', [ID, 0, 2 ** 52, READ]],
  ['no permissions', [ID, 0, 1_800_000_000]],
  ['permissions that no key may have', [ID, 0, 1_800_000_000, [{ buckets: ['*'], actions: [] }]]],
  ['an object', { keyId: ID, generation: 0 }],
])('a temporary key with %s is none', (_, claims) => {
  expect(parseTemporaryKey(textOf(claims))).toBeUndefined();
});

test('a temporary key of another secret, or of none, is refused', async () => {
  const { fakes, text, maker, check } = await setUp();
  fakes.state.service.clear();
  fakes.clock.advance(50_000);
  const other = new TemporaryKeySecret(createFakes().serviceState, new FakeClock());
  expect(await authenticate(fakes.apiKeys, text, fakes.clock.now(), other)).toEqual({});
  await other.toMake();
  const now = fakes.clock.now();
  expect(await authenticate(fakes.apiKeys, text, now, other)).toEqual({ id: maker.id });
  expect(await authenticate(fakes.apiKeys, text, now)).toEqual({});
  // Every instance notices within five minutes that an operator removed the secret.
  expect(await check()).toHaveProperty('key');
  fakes.clock.advance(249_999);
  expect(await check()).toEqual({ id: maker.id });
  fakes.clock.advance(1);
  expect(await check()).toEqual({});
});

const permission = fc.record(
  {
    buckets: fc.array(fc.constantFrom('a', 'b', 'ab', '*', 'a*', 'ab*', 'b*'), {
      minLength: 1,
      maxLength: 3,
    }),
    prefix: fc.constantFrom('', 'x', 'x/', 'x/y', 'z'),
    actions: fc.subarray([...ACTIONS], { minLength: 1 }),
  },
  { requiredKeys: ['buckets', 'actions'] },
);
const permissions = fc.array(permission, { minLength: 1, maxLength: 4 });

test('an intersection allows exactly what both lists allow, of objects and of buckets', () => {
  fc.assert(
    fc.property(permissions, permissions, (ones, others) => {
      const caller = (list: readonly Permission[]) => ({ keyId: 'k', permissions: list });
      const both = caller(intersection(ones, others));
      for (const action of ['read', 'list', 'create_bucket'] as const) {
        for (const bucket of ['a', 'b', 'ab', 'abc', 'c']) {
          const inBoth = (may: typeof mayOnBucket) =>
            may(caller(ones), action, bucket) && may(caller(others), action, bucket);
          expect(mayOnBucket(both, action, bucket)).toBe(inBoth(mayOnBucket));
          for (const key of ['x', 'x/', 'x/y/1', 'z', 'q']) {
            expect(mayOnObject(both, action, bucket, key)).toBe(
              inBoth((...args) => mayOnObject(...args, key)),
            );
          }
        }
      }
    }),
  );
});

test('permissions that are not lacking lose nothing in the intersection', () => {
  fc.assert(
    fc.property(permissions, permissions, (own, wanted) => {
      fc.pre(lacking({ permissions: own }, wanted) === undefined);
      const both = { keyId: 'k', permissions: intersection(own, wanted) };
      const all = { keyId: 'k', permissions: wanted };
      for (const bucket of ['a', 'b', 'ab', 'c']) {
        for (const key of ['x', 'x/y', 'z', 'q']) {
          expect(mayOnObject(both, 'read', bucket, key)).toBe(
            mayOnObject(all, 'read', bucket, key),
          );
        }
      }
    }),
  );
});

test('a restricted key has the earlier end, and the permissions that both have', async () => {
  const { maker, restriction } = await setUp();
  const narrow = { ...maker, permissions: [{ buckets: ['photos'], actions: ['list' as const] }] };
  expect(restricted(maker, restriction)).toMatchObject(restriction);
  expect(restricted(narrow, restriction).permissions).toEqual([]);
  const early = { ...maker, expiresAt: '2000-01-01T00:00:00.000Z' };
  expect(restricted(early, restriction).expiresAt).toBe(early.expiresAt);
  const late = { ...maker, expiresAt: '+010000-01-01T04:59:59.000Z' };
  expect(restricted(late, restriction).expiresAt).toBe(restriction.expiresAt);
  expect(restricted(maker, undefined)).toBe(maker);
});
