import {
  keyExpiry,
  mayConnectionFollow,
  mayFollow,
  permitsAllSubscriptions,
  usableAs,
} from '../../../core/channel/access';
import { newKey } from '../../support/samples';

const key = newKey({
  permissions: [
    { buckets: ['photos'], prefix: 'a/', actions: ['sync'] },
    { buckets: ['music'], actions: ['read'] },
  ],
});

test.each([
  ['photos', 'a/', true],
  ['photos', 'a/b', true],
  ['photos', '', false],
  ['other', 'a/', false],
  ['music', '', false],
])('the key may follow %s below %j: %p', (bucket, prefix, may) => {
  expect(mayFollow(key, { bucket, prefix })).toBe(may);
});

test.each([
  [undefined, 'photos', 'a/', true],
  [undefined, 'photos', '', false],
  [{ bucket: 'photos', prefix: 'a/b' }, 'photos', 'a/b/c', true],
  [{ bucket: 'photos', prefix: 'a/b' }, 'photos', 'a/', false],
  [{ bucket: 'photos', prefix: 'b/' }, 'photos', 'a/b/', false],
  [{ bucket: 'other', prefix: 'a/' }, 'photos', 'a/', false],
  [{ bucket: 'photos', prefix: '' }, 'photos', '', false],
])('a connection with the scope %j may follow %s below %j: %p', (scope, bucket, prefix, may) => {
  expect(mayConnectionFollow(key, { ...(scope && { scope }) }, { bucket, prefix })).toBe(may);
});

test('a key permits a connection when it permits each of its subscriptions', () => {
  const followed = (prefix: string) => ({ bucket: 'photos', bucketId: 'b1', prefix });
  const permits = (...prefixes: string[]) => {
    const subscriptions = new Map(prefixes.map((prefix) => [prefix, followed(prefix)]));
    return permitsAllSubscriptions(key, { id: 'c1', keyId: key.id, connectedAt: 0, subscriptions });
  };
  expect([permits(), permits('a/', 'a/b'), permits('a/', '')]).toEqual([true, true, false]);
});

test('a key is usable with the present secret until it expires', () => {
  const now = Date.parse('2026-06-01T00:00:00.000Z');
  const expiresAt = '2026-06-01T00:00:00.001Z';
  const secret = { keyId: key.id };
  expect(usableAs(key, secret, now)).toEqual(key);
  expect(usableAs(undefined, secret, now)).toBeUndefined();
  expect(usableAs({ ...key, expiresAt }, secret, now)).toMatchObject({ id: key.id, expiresAt });
  expect(usableAs({ ...key, expiresAt }, secret, now + 1)).toBeUndefined();
  expect(usableAs({ ...key, generation: 1 }, secret, now)).toBeUndefined();
  expect(usableAs({ ...key, generation: 1 }, { ...secret, generation: 1 }, now)).toBeDefined();
  const restriction = { permissions: [], expiresAt };
  expect(usableAs(key, { ...secret, restriction }, now)).toMatchObject({ permissions: [] });
  expect(usableAs(key, { ...secret, restriction }, now + 1)).toBeUndefined();
  expect([keyExpiry(key), keyExpiry({ ...key, expiresAt })]).toEqual([undefined, now + 1]);
});
