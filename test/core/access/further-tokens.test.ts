/** Tokens that a request takes beside its first one. On the fakes. */
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
  const rateTiers = { default: { ...DEFAULT_RATES, write } };
  const limiter = new RateLimiter({ ...fakes, rateTiers });
  const claim = claimOf(key, 0, clock.now());
  clock.advance(60_000);
  const take = () => limiter.takeToken(claim, 'write');
  const upTo = async (count: number) =>
    (await limiter.takeFurther(claim, 'write', { count, orFewer: true })).tokens;
  const exactly = async (count: number) =>
    (await limiter.takeFurther(claim, 'write', { count, orFewer: false })).tokens;
  /** What was counted until the next lease, which counts one more. */
  const counts = async () => {
    clock.advance(LEASE_MS);
    await take();
    return (await fakes.rates.uses(['k'])).get('k')?.counts;
  };
  return { fakes, clock, key, take, upTo, exactly, counts };
}

test('a request for up to N tokens gets those that are left, and each is counted', async () => {
  const { take, upTo, counts } = setUp();
  await take();
  expect([await upTo(100), await upTo(290), await upTo(5)]).toEqual([100, BURST - 101, 0]);
  expect(await counts()).toEqual({ write: BURST + 1 });
});

test.each([
  [SLOW, 9],
  [{ rate: 1, burst: 1 }, 0],
])('a request takes at most the burst of %j with its first token', async (rate, most) => {
  const { take, upTo } = setUp(rate);
  await take();
  expect(await upTo(100)).toBe(most);
});

test('a request for exactly N tokens gets all or none, and the wait for the whole request', async () => {
  const { fakes, clock, take, exactly } = setUp(SLOW);
  await take();
  expect(await exactly(5)).toBe(5);
  await expect(exactly(7)).rejects.toMatchObject({
    code: 'rate_limited',
    details: { class: 'write', retry_after: 8 },
    headers: {
      'Retry-After': '8',
      'RateLimit-Policy': '"write";q=10;w=20',
      RateLimit: '"write";r=0;t=8',
    },
  });
  expect(fakes.meter.amounts('Throttles')).toEqual([1]);
  expect(await exactly(4)).toBe(4);
  await expect(exactly(3)).rejects.toMatchObject({ details: { retry_after: 8 } });
  clock.advance(8_000);
  await take();
  expect(await exactly(3)).toBe(3);
  clock.advance(20_000);
  await take();
  expect((await fakes.rates.uses(['k'])).get('k')?.counts).toEqual({ write: 15, limited: 2 });
});

test('a request for exactly N tokens that is refused takes none of those leased before', async () => {
  const { clock, take, upTo, exactly } = setUp();
  for (let n = 0; n < 50; n++) {
    await take();
    clock.advance(60);
  }
  const before = BURST - 1;
  await upTo(BURST - 100);
  await expect(exactly(before)).rejects.toMatchObject({ code: 'rate_limited' });
  await take();
  expect(await upTo(1)).toBe(1);
});

test('a key that was revoked after its first token gets no further one', async () => {
  const { fakes, clock, key, take, upTo } = setUp();
  await take();
  fakes.state.apiKeys.set('k', { ...key, revokedAt: clock.iso() });
  await fakes.rates.markChanged('k', clock.now());
  await expect(upTo(2)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a key that keeps changing gets 503 in the end', async () => {
  const { fakes, upTo } = setUp();
  fakes.rates.lease = async () => ({ result: 'outdated', changedAt: fakes.clock.now() });
  await expect(upTo(2)).rejects.toMatchObject({ code: 'unavailable' });
});
