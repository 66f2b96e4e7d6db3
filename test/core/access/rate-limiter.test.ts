/** What an instance notices of changes of a key, and what it counts. On the fakes. */

import type { ApiKeyRecord, Permission } from '../../../core/access/ports';
import { claimOf, RateLimiter } from '../../../core/access/rate-limiter';
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
  const get = jest.spyOn(fakes.apiKeys, 'get');
  const lease = jest.spyOn(fakes.rates, 'lease');
  const limiter = new RateLimiter({ ...fakes, rateTiers });
  // As API Gateway keeps it for minutes.
  const cached = claimOf(key, key.generation ?? 0, clock.now());
  clock.advance(60_000);
  return {
    clock,
    fakes,
    limiter,
    get,
    lease,
    cached,
    ask: (claim = cached) => limiter.takeToken(claim, 'read'),
    /** By hand or by the administration; marked by it, or by the stream. */
    async change(change: Partial<ApiKeyRecord>, mark = true) {
      key = { ...key, ...change };
      state.apiKeys.set(key.id, key);
      if (mark) await fakes.rates.markChanged(key.id, clock.now());
    },
  };
}

const unauthorized = { code: 'unauthorized' };
const limited = { code: 'rate_limited' };

test('a key that is revoked is refused when the lease ends, whatever the gateway still tells of it', async () => {
  const { ask, change, clock, get } = setUp();
  await ask();
  await change({ revokedAt: clock.iso() });
  clock.advance(LEASE_MS);
  await expect(ask()).rejects.toMatchObject(unauthorized);
  expect(get).toHaveBeenCalledTimes(1);
});

test('a flood with a revoked key reads it once in the time of a lease', async () => {
  const { ask, change, clock, get, lease } = setUp({});
  await change({ revokedAt: clock.iso() });
  for (let n = 0; n < 100; n++) {
    await expect(ask()).rejects.toMatchObject(unauthorized);
    clock.advance(50);
  }
  expect(get.mock.calls.length).toBeLessThanOrEqual(3);
  expect(lease.mock.calls.length).toBeLessThanOrEqual(3);
});

test('a key that is deleted is refused', async () => {
  const { ask, clock, fakes } = setUp();
  fakes.state.apiKeys.delete('k');
  await fakes.rates.markChanged('k', clock.now());
  await expect(ask()).rejects.toMatchObject(unauthorized);
});

test('a narrowed key loses what it lost, and is not read again for each lease', async () => {
  const { ask, change, clock, get } = setUp();
  expect((await ask()).caller.permissions).toEqual(EVERYTHING);
  await change({ permissions: NARROW });
  for (let n = 0; n < 5; n++) {
    clock.advance(LEASE_MS);
    expect((await ask()).caller).toMatchObject({ keyId: 'k', permissions: NARROW });
  }
  expect(get).toHaveBeenCalledTimes(1);
});

test('what the gateway learns later counts more than what the instance found out', async () => {
  const { ask, change, clock, get, cached } = setUp();
  await change({ permissions: NARROW });
  await ask();
  await change({ permissions: EVERYTHING });
  clock.advance(3_000);
  const fresh = { ...cached, readAt: clock.now() };
  expect((await ask(fresh)).caller.permissions).toEqual(EVERYTHING);
  expect(get).toHaveBeenCalledTimes(1);
});

test('a change within the difference of two clocks is taken for a later one', async () => {
  const { ask, change, clock, cached } = setUp();
  await change({ permissions: NARROW });
  clock.advance(1_000);
  const claim = { ...cached, readAt: clock.now() };
  expect((await ask(claim)).caller.permissions).toEqual(NARROW);
});

test('an expiry that is brought forward holds, one that is put off too', async () => {
  const { ask, change, clock } = setUp({ expiresAt: '2026-01-02T00:00:00.000Z' });
  await ask();
  await change({ expiresAt: new Date(clock.now() + 10_000).toISOString() });
  clock.advance(LEASE_MS);
  await ask();
  clock.advance(8_000);
  await expect(ask()).rejects.toMatchObject(unauthorized);
  await change({ expiresAt: new Date(clock.now() + DAY).toISOString() });
  clock.advance(LEASE_MS);
  await ask();
});

test('a key that expires by itself is refused in that moment, though a lease lasts', async () => {
  const expiresAt = new Date(Date.UTC(2026, 0, 1) + 61_000).toISOString();
  const { ask, clock } = setUp({ expiresAt });
  await ask();
  await ask();
  clock.advance(1_000);
  await expect(ask()).rejects.toMatchObject(unauthorized);
});

test('a replaced secret works until the overlap ends, the new one goes on', async () => {
  const { ask, change, clock, cached } = setUp();
  await ask();
  const previousUntil = new Date(clock.now() + 10_000).toISOString();
  await change({ secretHash: '1', generation: 1, previousSecretHash: '0', previousUntil });
  const replacement = { ...cached, generation: 1 };
  clock.advance(LEASE_MS);
  await ask();
  await ask(replacement);
  clock.advance(8_000);
  await expect(ask()).rejects.toMatchObject(unauthorized);
  await ask(replacement);
});

test('both secrets of a key take from the same bucket', async () => {
  const { ask, cached } = setUp({ tier: 'small' });
  await ask();
  await ask({ ...cached, generation: 1 });
  await expect(ask()).rejects.toMatchObject(limited);
});

test('another tier holds from the next lease on; one that is no more is the default', async () => {
  const { ask, change, clock } = setUp();
  expect((await ask()).headers['RateLimit-Policy']).toBe('"read";q=1000;w=1');
  await change({ tier: 'small' });
  clock.advance(LEASE_MS);
  expect((await ask()).headers['RateLimit-Policy']).toBe('"read";q=2;w=2');
  await change({ tier: 'gone' });
  clock.advance(LEASE_MS);
  expect((await ask()).headers['RateLimit-Policy']).toBe('"read";q=1000;w=1');
  await change({ tier: '__proto__' });
  clock.advance(LEASE_MS);
  expect((await ask()).headers['RateLimit-Policy']).toBe('"read";q=1000;w=1');
});

test('what is left and when there is more is told, and refused requests ask nobody', async () => {
  const { ask, clock, lease } = setUp({ tier: 'small' });
  expect((await ask()).headers.RateLimit).toBe('"read";r=1;t=1');
  expect((await ask()).headers.RateLimit).toBe('"read";r=0;t=1');
  const refusal = {
    ...limited,
    details: { class: 'read', retry_after: 1 },
    headers: {
      'Retry-After': '1',
      'RateLimit-Policy': '"read";q=2;w=2',
      RateLimit: '"read";r=0;t=1',
    },
  };
  await expect(ask()).rejects.toMatchObject(refusal);
  const calls = lease.mock.calls.length;
  for (let n = 0; n < 10; n++) await expect(ask()).rejects.toMatchObject(refusal);
  expect(lease).toHaveBeenCalledTimes(calls);
  clock.advance(1_000);
  await ask();
});

test('a key that is revoked while it is over its limit is told so', async () => {
  const { ask, change, clock, cached } = setUp({ tier: 'small' });
  const slow = { ...cached, tier: 'small' };
  for (let n = 0; n < 2; n++) await ask(slow);
  await expect(ask(slow)).rejects.toMatchObject(limited);
  await change({ revokedAt: clock.iso() });
  clock.advance(LEASE_MS);
  await expect(ask(slow)).rejects.toMatchObject(unauthorized);
});

test('every request is counted once: with its lease, or with the next one', async () => {
  const { ask, clock, fakes, limiter, cached } = setUp({ tier: 'small' });
  const counts = async () => (await fakes.rates.uses(['k'])).get('k')?.counts;
  await ask();
  expect(await counts()).toEqual({ read: 1 });
  await ask();
  for (let n = 0; n < 3; n++) await expect(ask()).rejects.toMatchObject(limited);
  await limiter.takeToken(cached, 'write');
  expect(await counts()).toEqual({ read: 2, limited: 3, write: 1 });
  clock.advance(DAY);
  await ask();
  expect(await fakes.rates.usage('k', ['2026-01-01', '2026-01-02'])).toEqual([
    { hour: '2026-01-01T00:00:00.000Z', counts: { read: 2, limited: 3, write: 1 } },
    { hour: '2026-01-02T00:00:00.000Z', counts: { read: 1 } },
  ]);
});

test('of requests that come at once each waits for a lease of the first', async () => {
  const { ask, lease, fakes } = setUp();
  await Promise.all(Array.from({ length: 100 }, () => ask()));
  expect(lease.mock.calls.length).toBeLessThanOrEqual(5);
  await ask();
  const { read = 0 } = (await fakes.rates.uses(['k'])).get('k')?.counts ?? {};
  expect(read).toBeGreaterThan(20);
});

test('when the limits cannot be asked for, the request fails and its count is kept', async () => {
  const { ask, fakes, lease } = setUp();
  await ask();
  await ask();
  await ask();
  lease.mockRejectedValueOnce(new Error('broken'));
  await expect(
    (async () => {
      for (let n = 0; n < 10; n++) await ask();
    })(),
  ).rejects.toThrow('broken');
  for (let n = 0; n < 30; n++) await ask();
  const { read = 0 } = (await fakes.rates.uses(['k'])).get('k')?.counts ?? {};
  expect(read).toBeGreaterThanOrEqual(5);
});

test('of very many keys the oldest are forgotten', async () => {
  const { limiter, cached, lease } = setUp();
  for (let n = 0; n < 2_001; n++) await limiter.takeToken({ ...cached, keyId: `k${n}` }, 'read');
  lease.mockClear();
  await limiter.takeToken({ ...cached, keyId: 'k2000' }, 'read');
  const [[, ask] = []] = lease.mock.calls;
  // Known: its bucket was seen.
  expect(ask?.full).toBeGreaterThan(0);
  await limiter.takeToken({ ...cached, keyId: 'k0' }, 'read');
  expect(lease.mock.calls.at(-1)?.[1].full).toBe(0);
});
