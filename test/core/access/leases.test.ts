/** When an instance leases tokens anew, and what it counts. On the fakes. */
import { claimOf } from '../../../core/access/key-claim';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { LEASE_MS } from '../../../core/access/token-bucket';
import { DEFAULT_RATES, type Rate } from '../../../core/limits';
import { createFakes } from '../../support/fakes/fakes';
import { EVERYTHING } from '../../support/requests';

function setUp(read: Rate = DEFAULT_RATES.read, extra: Partial<ApiKeyRecord> = {}) {
  const fakes = createFakes();
  const { clock, state } = fakes;
  let key: ApiKeyRecord = {
    ...{ id: 'k', name: 'k', secretHash: '', permissions: EVERYTHING, createdAt: clock.iso() },
    ...extra,
  };
  state.apiKeys.set('k', key);
  const lease = jest.spyOn(fakes.rates, 'lease');
  const get = jest.spyOn(fakes.apiKeys, 'get');
  const rateTiers = { default: { ...DEFAULT_RATES, read } };
  const limiter = new RateLimiter({ ...fakes, rateTiers });
  const claim = claimOf(key, 0, clock.now());
  return {
    ...{ fakes, clock, lease, get, claim },
    take: (given = claim) => limiter.takeToken(given, 'read'),
    async change(fields: Partial<ApiKeyRecord>) {
      key = { ...key, ...fields };
      state.apiKeys.set('k', key);
      await fakes.rates.markChanged('k', clock.now());
    },
  };
}

test('each request is counted exactly once, however many tokens a lease has', async () => {
  const { fakes, clock, take } = setUp();
  for (let n = 0; n < 200; n++) {
    await take();
    clock.advance(20);
  }
  clock.advance(LEASE_MS);
  await take();
  expect((await fakes.rates.uses(['k'])).get('k')?.counts).toEqual({ read: 201 });
});

test('what a failed lease did not count is counted by the next one', async () => {
  const { fakes, clock, lease, take } = setUp();
  for (let n = 0; n < 10; n++) {
    await take();
    clock.advance(20);
  }
  clock.advance(LEASE_MS);
  lease.mockRejectedValueOnce(new Error('broken'));
  await expect(take()).rejects.toThrow('broken');
  await take();
  expect((await fakes.rates.uses(['k'])).get('k')?.counts).toEqual({ read: 11 });
});

test('a client that asks again meanwhile does not wait for longer', async () => {
  const { clock, lease, take } = setUp({ rate: 10, burst: 10 });
  for (let n = 0; n < 10; n++) await take();
  for (const later of [50, 450]) {
    await expect(take()).rejects.toMatchObject({ details: { retry_after: 1 } });
    clock.advance(later);
  }
  lease.mockClear();
  await take();
  expect(lease).toHaveBeenCalledTimes(1);
});

test('Retry-After is the whole wait of a slow bucket, in seconds', async () => {
  const { clock, take } = setUp({ rate: 0.2, burst: 1 });
  await take();
  const refusal = (seconds: number) => ({
    code: 'rate_limited',
    details: { class: 'read', retry_after: seconds },
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': '"read";q=1;w=5',
      RateLimit: `"read";r=0;t=${seconds}`,
    },
  });
  for (const seconds of [5, 4, 3, 2, 1]) {
    await expect(take()).rejects.toMatchObject(refusal(seconds));
    clock.advance(1_000);
  }
  await take();
});

test('a key that changes ten times in a row fails with 503', async () => {
  const { fakes, lease, take } = setUp();
  lease.mockImplementation(async () => ({ result: 'outdated', changedAt: fakes.clock.now() }));
  await expect(take()).rejects.toMatchObject({ code: 'unavailable' });
  expect(lease).toHaveBeenCalledTimes(10);
});

test('a temporary key is refused from its end on, although its maker is valid', async () => {
  const { clock, claim, take } = setUp();
  const expiresAt = new Date(clock.now() + 1_000).toISOString();
  const permissions = [{ buckets: ['photos'], actions: ['read' as const] }];
  const restriction = { permissions, expiresAt };
  const { caller } = await take({ ...claim, restriction });
  expect(caller).toEqual({
    ...{ keyId: 'k', generation: 0, tier: 'default', permissions, restriction },
  });
  clock.advance(999);
  await take({ ...claim, restriction });
  clock.advance(1);
  await expect(take({ ...claim, restriction })).rejects.toMatchObject({ code: 'unauthorized' });
  await take();
});

describe('a key whose claim has expired', () => {
  const expiring = () => setUp(undefined, { expiresAt: '2026-01-01T00:00:00.500Z' });

  test('is read again at once, because its expiry may have been extended', async () => {
    const { clock, get, change, take } = expiring();
    await change({ expiresAt: '2026-01-02T00:00:00.000Z' });
    clock.advance(500);
    await take();
    expect(get).toHaveBeenCalled();
  });

  test('is read once when its expiry was extended long ago', async () => {
    const { clock, get, change, take } = expiring();
    await change({ expiresAt: '2026-01-02T00:00:00.000Z' });
    clock.advance(60_000);
    await take();
    await take();
    expect(get).toHaveBeenCalledTimes(1);
  });

  test('is read again when it changes right after it was read', async () => {
    const { clock, change, take } = expiring();
    await change({ expiresAt: '2026-01-02T00:00:00.000Z' });
    clock.advance(60_000);
    await take();
    clock.advance(1_000);
    await change({ revokedAt: clock.iso() });
    clock.advance(LEASE_MS);
    await expect(take()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
