/** When changes of a key apply to an instance, and what it counts. On the fakes. */

import { claimOf } from '../../../core/access/key-claim';
import type { ApiKeyRecord, Permission } from '../../../core/access/ports';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { LEASE_MS } from '../../../core/access/token-bucket';
import { DEFAULT_RATES } from '../../../core/limits';
import { createFakes } from '../../support/fakes/fakes';
import { EVERYTHING } from '../../support/requests';

const DAY = 86_400_000;
const NARROW: readonly Permission[] = [{ buckets: ['photos'], actions: ['read'] }];
const rateTiers = {
  default: DEFAULT_RATES,
  small: { ...DEFAULT_RATES, read: { rate: 1, burst: 2 } },
};

function setUp(extra: Partial<ApiKeyRecord> = {}) {
  const fakes = createFakes();
  const { clock, state } = fakes;
  let key: ApiKeyRecord = {
    id: 'k',
    name: 'k',
    secretHash: '',
    permissions: EVERYTHING,
    createdAt: clock.iso(),
    ...extra,
  };
  state.apiKeys.set(key.id, key);
  const cost = { reads: 0, leases: 0 };
  const { get } = fakes.apiKeys;
  fakes.apiKeys.get = (id) => {
    cost.reads += 1;
    return get.call(fakes.apiKeys, id);
  };
  const { lease } = fakes.rates;
  fakes.rates.lease = (...request) => {
    cost.leases += 1;
    return lease.apply(fakes.rates, request);
  };
  const limiter = new RateLimiter({ ...fakes, rateTiers });
  // API Gateway caches it for minutes.
  const cached = claimOf(key, key.generation ?? 0, clock.now());
  clock.advance(60_000);
  return {
    clock,
    fakes,
    limiter,
    cost,
    cached,
    take: (claim = cached) => limiter.takeToken(claim, 'read'),
    /** A change by hand or by the administration, which the administration or the stream marks. */
    async change(change: Partial<ApiKeyRecord>, mark = true) {
      key = { ...key, ...change };
      state.apiKeys.set(key.id, key);
      if (mark) await fakes.rates.markChanged(key.id, clock.now());
    },
  };
}

const unauthorized = { code: 'unauthorized' };
const limited = { code: 'rate_limited' };

test('a revoked key is refused when the lease ends, even if API Gateway still has it cached', async () => {
  const { take, change, clock } = setUp();
  await take();
  await change({ revokedAt: clock.iso() });
  clock.advance(LEASE_MS);
  await expect(take()).rejects.toMatchObject(unauthorized);
});

test('many requests with a revoked key read it at most once per lease', async () => {
  const { take, change, clock, cost } = setUp({});
  await change({ revokedAt: clock.iso() });
  for (let n = 0; n < 100; n++) {
    await expect(take()).rejects.toMatchObject(unauthorized);
    clock.advance(50);
  }
  expect(Math.max(cost.reads, cost.leases)).toBeLessThanOrEqual(3);
});

test('a key that is deleted is refused', async () => {
  const { take, clock, fakes } = setUp();
  fakes.state.apiKeys.delete('k');
  await fakes.rates.markChanged('k', clock.now());
  await expect(take()).rejects.toMatchObject(unauthorized);
  expect(fakes.log.lines).toEqual([
    { level: 'info', event: 'key_refused', fields: { keyId: 'k' } },
  ]);
});

test('a key that loses a permission is read at most once, not for each lease', async () => {
  const { take, change, clock, cost } = setUp();
  expect((await take()).caller.permissions).toEqual(EVERYTHING);
  await change({ permissions: NARROW });
  for (let n = 0; n < 5; n++) {
    clock.advance(LEASE_MS);
    expect((await take()).caller).toMatchObject({ keyId: 'k', permissions: NARROW });
  }
  expect(cost.reads).toBeLessThanOrEqual(1);
});

test('a newer claim of the authorizer replaces the cached key', async () => {
  const { take, change, clock, cached } = setUp();
  await change({ permissions: NARROW });
  await take();
  await change({ permissions: EVERYTHING });
  clock.advance(3_000);
  const fresh = { ...cached, readAt: clock.now() };
  expect((await take(fresh)).caller.permissions).toEqual(EVERYTHING);
});

test('a change within the difference of two clocks counts as later than the read', async () => {
  const { take, change, clock, cached } = setUp();
  await change({ permissions: NARROW });
  clock.advance(1_000);
  const claim = { ...cached, readAt: clock.now() };
  expect((await take(claim)).caller.permissions).toEqual(NARROW);
});

test('an expiry applies when it is moved to an earlier or a later time', async () => {
  const { take, change, clock } = setUp({ expiresAt: '2026-01-02T00:00:00.000Z' });
  await take();
  await change({ expiresAt: new Date(clock.now() + 10_000).toISOString() });
  clock.advance(LEASE_MS);
  await take();
  clock.advance(8_000);
  await expect(take()).rejects.toMatchObject(unauthorized);
  await change({ expiresAt: new Date(clock.now() + DAY).toISOString() });
  clock.advance(LEASE_MS);
  await take();
});

test('a key is refused from its expiry on, even while a lease lasts', async () => {
  const expiresAt = new Date(Date.UTC(2026, 0, 1) + 61_000).toISOString();
  const { take, clock } = setUp({ expiresAt });
  await take();
  await take();
  clock.advance(1_000);
  await expect(take()).rejects.toMatchObject(unauthorized);
});

test('a replaced secret works until the overlap ends, and the new one afterwards', async () => {
  const { take, change, clock, cached } = setUp();
  await take();
  const previousUntil = new Date(clock.now() + 10_000).toISOString();
  await change({ secretHash: '1', generation: 1, previousSecretHash: '0', previousUntil });
  const replacement = { ...cached, generation: 1 };
  clock.advance(LEASE_MS);
  await take();
  await take(replacement);
  clock.advance(8_000);
  await expect(take()).rejects.toMatchObject(unauthorized);
  await take(replacement);
});

test('both secrets of a key take tokens from the same bucket', async () => {
  const { take, cached } = setUp({ tier: 'small' });
  await take();
  await take({ ...cached, generation: 1 });
  await expect(take()).rejects.toMatchObject(limited);
});

test('a new tier applies from the next lease on, and an unknown tier is the default', async () => {
  const { take, change, clock } = setUp();
  expect((await take()).headers['RateLimit-Policy']).toBe('"read";q=1000;w=1');
  await change({ tier: 'small' });
  clock.advance(LEASE_MS);
  expect((await take()).headers['RateLimit-Policy']).toBe('"read";q=2;w=2');
  await change({ tier: 'gone' });
  clock.advance(LEASE_MS);
  expect((await take()).headers['RateLimit-Policy']).toBe('"read";q=1000;w=1');
  await change({ tier: '__proto__' });
  clock.advance(LEASE_MS);
  expect((await take()).headers['RateLimit-Policy']).toBe('"read";q=1000;w=1');
});

test('the headers show the tokens left and the wait, and refused requests cost no lease', async () => {
  const { take, clock, cost } = setUp({ tier: 'small' });
  expect((await take()).headers.RateLimit).toBe('"read";r=1;t=1');
  expect((await take()).headers.RateLimit).toBe('"read";r=0;t=1');
  const refusal = {
    ...limited,
    details: { class: 'read', retry_after: 1 },
    headers: {
      'Retry-After': '1',
      'RateLimit-Policy': '"read";q=2;w=2',
      RateLimit: '"read";r=0;t=1',
    },
  };
  await expect(take()).rejects.toMatchObject(refusal);
  const { leases } = cost;
  for (let n = 0; n < 10; n++) await expect(take()).rejects.toMatchObject(refusal);
  expect(cost.leases).toBe(leases);
  clock.advance(1_000);
  await take();
});

test('a key that is revoked while its bucket is empty is refused as unauthorized', async () => {
  const { take, change, clock, cached } = setUp({ tier: 'small' });
  const slow = { ...cached, tier: 'small' };
  for (let n = 0; n < 2; n++) await take(slow);
  await expect(take(slow)).rejects.toMatchObject(limited);
  await change({ revokedAt: clock.iso() });
  clock.advance(LEASE_MS);
  await expect(take(slow)).rejects.toMatchObject(unauthorized);
});

test('every request is counted once, with its lease or with the next one', async () => {
  const { take, clock, fakes, limiter, cached } = setUp({ tier: 'small' });
  const counts = async () => (await fakes.rates.uses(['k'])).get('k')?.counts;
  await take();
  expect(await counts()).toEqual({ read: 1 });
  await take();
  for (let n = 0; n < 3; n++) await expect(take()).rejects.toMatchObject(limited);
  await limiter.takeToken(cached, 'write');
  expect(await counts()).toEqual({ read: 2, limited: 3, write: 1 });
  clock.advance(DAY);
  await take();
  expect(await fakes.rates.usage('k', ['2026-01-01', '2026-01-02'])).toEqual([
    { hour: '2026-01-01T00:00:00.000Z', counts: { read: 2, limited: 3, write: 1 } },
    { hour: '2026-01-02T00:00:00.000Z', counts: { read: 1 } },
  ]);
});

test('concurrent requests share their leases', async () => {
  const { take, cost, fakes } = setUp();
  await Promise.all(Array.from({ length: 100 }, () => take()));
  expect(cost.leases).toBeLessThanOrEqual(5);
  await take();
  const { read = 0 } = (await fakes.rates.uses(['k'])).get('k')?.counts ?? {};
  expect(read).toBeGreaterThan(20);
});

test('a request fails when no lease can be taken, and its count is saved for the next one', async () => {
  const { take, fakes } = setUp();
  await take();
  await take();
  await take();
  jest.spyOn(fakes.rates, 'lease').mockRejectedValueOnce(new Error('broken'));
  await expect(
    (async () => {
      for (let n = 0; n < 10; n++) await take();
    })(),
  ).rejects.toThrow('broken');
  for (let n = 0; n < 30; n++) await take();
  const { read = 0 } = (await fakes.rates.uses(['k'])).get('k')?.counts ?? {};
  expect(read).toBeGreaterThanOrEqual(5);
});
