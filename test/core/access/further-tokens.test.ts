/** Tokens of a request that has taken one already, and needs more. On the fakes. */
import { claimOf } from '../../../core/access/key-claim';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { LEASE_MS } from '../../../core/access/token-bucket';
import { DEFAULT_RATES } from '../../../core/limits';
import { createFakes } from '../../support/fakes/fakes';
import { EVERYTHING } from '../../support/requests';

const { burst: BURST } = DEFAULT_RATES.write;
/** One token every two seconds, at most ten. */
const SLOW = { rate: 0.5, burst: 10 };

function setUp(write = DEFAULT_RATES.write) {
  const fakes = createFakes();
  const { clock, state } = fakes;
  const key: ApiKeyRecord = {
    ...{ id: 'k', name: 'k', secretHash: '', permissions: EVERYTHING, createdAt: clock.iso() },
  };
  state.apiKeys.set('k', key);
  const lease = jest.spyOn(fakes.rates, 'lease');
  const get = jest.spyOn(fakes.apiKeys, 'get');
  const rateTiers = { default: { ...DEFAULT_RATES, write } };
  const limiter = new RateLimiter({ ...fakes, rateTiers });
  const claim = claimOf(key, 0, clock.now());
  clock.advance(60_000);
  const take = () => limiter.takeToken(claim, 'write');
  const further = (count: number, orFewer = true) =>
    limiter.takeFurther(claim, 'write', { count, orFewer });
  /** Takes one by one until a lease has tokens to spare. */
  const takeMany = async () => {
    for (let n = 0; n < 50; n++) {
      await take();
      clock.advance(60);
    }
    lease.mockClear();
  };
  /** What was counted until the next lease, which counts one more. */
  const counts = async () => {
    clock.advance(LEASE_MS);
    await take();
    return (await fakes.rates.uses(['k'])).get('k')?.counts;
  };
  return { fakes, clock, key, limiter, claim, lease, get, take, further, takeMany, counts };
}

test('are as many as there are, and each is counted', async () => {
  const { take, further, counts } = setUp();
  await take();
  expect((await further(100)).tokens).toBe(100);
  expect((await further(290)).tokens).toBe(BURST - 101);
  const none = await further(5);
  expect([none.tokens, none.headers.RateLimit]).toEqual([0, '"write";r=0;t=1']);
  expect(await counts()).toEqual({ write: BURST + 1 });
});

test('are at most as many as the bucket holds beside the first', async () => {
  const { take, further } = setUp(SLOW);
  await take();
  expect((await further(100)).tokens).toBe(9);
});

test('are first those of the lease, which are then used up', async () => {
  const { takeMany, further, lease, counts } = setUp();
  await takeMany();
  expect((await further(1)).tokens).toBe(1);
  expect(lease).not.toHaveBeenCalled();
  expect((await further(200)).tokens).toBe(200);
  const [[, asked] = []] = lease.mock.calls;
  const left = 200 - (asked?.maxTokens ?? 0);
  expect(left).toBeGreaterThan(0);
  expect(asked).toMatchObject({ class: 'write', minTokens: 1, counts: { write: left + 1 } });
  expect((await further(7)).tokens).toBe(7);
  expect(lease.mock.calls[1]?.[1]).toMatchObject({ maxTokens: 7 });
  expect(await counts()).toEqual({ write: 50 + 1 + 200 + 7 + 1 });
});

test('are none of a lease that has ended', async () => {
  const { takeMany, further, clock, lease, take } = setUp();
  await takeMany();
  clock.advance(LEASE_MS);
  await take();
  expect((await further(1)).tokens).toBe(1);
  expect(lease).toHaveBeenCalledTimes(1);
  clock.advance(LEASE_MS);
  expect((await further(3)).tokens).toBe(3);
  expect(lease.mock.calls.at(-1)?.[1]).toMatchObject({ maxTokens: 3 });
});

test('are none of a bucket that holds one', async () => {
  const { further, lease } = setUp({ rate: 1, burst: 1 });
  expect((await further(5)).tokens).toBe(0);
  expect(lease).not.toHaveBeenCalled();
});

describe('in an exact number', () => {
  test('are all or none, with the wait until the whole request can be repeated', async () => {
    const { fakes, clock, take, further } = setUp(SLOW);
    await take();
    expect((await further(5, false)).tokens).toBe(5);
    await expect(further(7, false)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { class: 'write', retry_after: 8 },
      headers: {
        'Retry-After': '8',
        'RateLimit-Policy': '"write";q=10;w=20',
        RateLimit: '"write";r=0;t=8',
      },
    });
    expect(fakes.meter.amounts('Throttles')).toEqual([1]);
    expect((await further(4, false)).tokens).toBe(4);
    await expect(further(3, false)).rejects.toMatchObject({ details: { retry_after: 8 } });
    clock.advance(8_000);
    await take();
    expect((await further(3, false)).tokens).toBe(3);
    clock.advance(20_000);
    await take();
    expect((await fakes.rates.uses(['k'])).get('k')?.counts).toEqual({ write: 15, limited: 2 });
  });

  test('leave those of the lease to others when they are refused', async () => {
    const { takeMany, further, lease, take } = setUp();
    await takeMany();
    lease.mockResolvedValueOnce({ result: 'refused', fullAt: 0 });
    await expect(further(BURST - 1, false)).rejects.toMatchObject({ code: 'rate_limited' });
    await take();
    expect((await further(1)).tokens).toBe(1);
    expect(lease).toHaveBeenCalledTimes(1);
  });
});

describe('of a key that was changed meanwhile', () => {
  test('are those of the key as it is now, which is read once', async () => {
    const { fakes, clock, takeMany, further, lease, get, counts } = setUp();
    await takeMany();
    await fakes.rates.markChanged('k', clock.now());
    expect((await further(200)).tokens).toBe(200);
    expect([lease.mock.calls.length, get.mock.calls.length]).toEqual([2, 1]);
    const [before, after] = lease.mock.calls.map(([, { maxTokens }]) => maxTokens);
    expect(before).toBe(after);
    expect(await counts()).toEqual({ write: 251 });
  });

  test('are none when it is revoked', async () => {
    const { fakes, clock, key, take, further } = setUp();
    await take();
    fakes.state.apiKeys.set('k', { ...key, revokedAt: clock.iso() });
    await fakes.rates.markChanged('k', clock.now());
    await expect(further(2)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('fail with 503 when it changes ten times in a row', async () => {
    const { fakes, further, lease } = setUp();
    lease.mockImplementation(async () => ({ result: 'outdated', changedAt: fakes.clock.now() }));
    await expect(further(2)).rejects.toMatchObject({ code: 'unavailable' });
    expect(lease).toHaveBeenCalledTimes(10);
  });
});

test('an hour has no count of a class without requests', async () => {
  const { fakes, clock, limiter, claim, take, further } = setUp();
  await take();
  expect((await further(1)).tokens).toBe(1);
  clock.advance(3_600_000);
  await limiter.takeToken(claim, 'read');
  expect((await fakes.rates.uses(['k'])).get('k')?.counts).toEqual({ read: 1 });
});
