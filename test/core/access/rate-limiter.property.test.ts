/**
 * The guarantees of the rate limits: random requests of one key to any number of function
 * instances.
 */
import fc from 'fast-check';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { LEASE_MS, tokenBucketOf } from '../../../core/access/token-bucket';
import type { ServiceError } from '../../../core/errors';
import { DEFAULT_RATES, type Rate } from '../../../core/limits';
import { FakeClock } from '../../support/fakes/clock';
import { createFakes } from '../../support/fakes/fakes';

interface Request {
  /** Milliseconds since the previous request. */
  readonly after: number;
  /** The instance that serves it. */
  readonly instance: number;
}

interface Outcome {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Seconds; absent: allowed. */
  readonly retryAfter?: number;
}

const claim = { keyId: 'k', permissions: [], tier: 'default', generation: 0, readAt: 0 };

/** Serves the requests in order; returns the leases, too. */
async function serve(rate: Rate, requests: readonly Request[]) {
  const clock = new FakeClock();
  const fakes = createFakes({ clock });
  const leases: { readonly at: number; readonly tokens: number }[] = [];
  let calls = 0;
  const rates = {
    lease: async (...call: Parameters<typeof fakes.rates.lease>) => {
      const lease = await fakes.rates.lease(...call);
      calls += 1;
      if (lease.result === 'granted') leases.push({ at: clock.now(), tokens: lease.tokens });
      return lease;
    },
  };
  const rateTiers = { default: { ...DEFAULT_RATES, read: rate } };
  const instances = new Map<number, RateLimiter>();
  const outcomes: Outcome[] = [];
  for (const { after, instance } of requests) {
    clock.advance(after);
    const limiter = instances.get(instance) ?? new RateLimiter({ ...fakes, rates, rateTiers });
    instances.set(instance, limiter);
    const at = clock.now();
    outcomes.push(
      await limiter.takeToken(claim, 'read').then(
        () => ({ at }),
        (error: ServiceError) => ({ at, retryAfter: Number(error.headers['Retry-After']) }),
      ),
    );
  }
  return { outcomes, leases, calls };
}

const rate = fc.record({
  rate: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0.05, max: 1, noNaN: true })),
  burst: fc.integer({ min: 1, max: 40 }),
});

const request = (instances: number) =>
  fc.record({
    after: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 3_000 }),
    ),
    instance: fc.nat(instances - 1),
  });

const traffic = fc
  .integer({ min: 1, max: 6 })
  .chain((instances) => fc.array(request(instances), { minLength: 20, maxLength: 150 }));

const isAllowed = ({ retryAfter }: Outcome) => retryAfter === undefined;

test('no window admits more requests than the rate, the burst and the leases before it permit', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(rate, traffic, async (limit, requests) => {
      const { outcomes, leases } = await serve(limit, requests);
      const { interval } = tokenBucketOf(limit);
      const times = outcomes.filter(isAllowed).map(({ at }) => at);
      refused += outcomes.length - times.length;
      times.forEach((from, first) => {
        const leased = leases
          .filter(({ at }) => at < from && at + LEASE_MS > from)
          .reduce((total, { tokens }) => total + tokens, 0);
        times.slice(first).forEach((to, more) => {
          const most = limit.burst + Math.floor(((to - from) * 1000) / interval) + leased;
          expect(more + 1).toBeLessThanOrEqual(most);
        });
      });
    }),
    { numRuns: 150 },
  );
  // Otherwise the test would show nothing.
  expect(refused).toBeGreaterThan(1_000);
});

test('every instance admits a request after Retry-After, and the refusing instance refuses it a second earlier', async () => {
  let longest = 0;
  await fc.assert(
    fc.asyncProperty(rate, traffic, async (limit, requests) => {
      const { outcomes } = await serve(limit, requests);
      const n = outcomes.findLastIndex((outcome) => !isAllowed(outcome));
      const { retryAfter = 0 } = outcomes[n] ?? {};
      if (n < 0) return;
      expect(Number.isInteger(retryAfter) && retryAfter >= 1).toBe(true);
      longest = Math.max(longest, retryAfter);
      const past = requests.slice(0, n + 1);
      const repeat = async (seconds: number, instance: number) =>
        (await serve(limit, [...past, { after: seconds * 1000, instance }])).outcomes.at(-1);
      for (const instance of new Set([99, ...past.map((one) => one.instance)])) {
        expect(await repeat(retryAfter, instance)).not.toHaveProperty('retryAfter');
      }
      const same = past[n]?.instance ?? 0;
      expect(await repeat(retryAfter - 1, same)).toHaveProperty('retryAfter');
    }),
    { numRuns: 80 },
  );
  expect(longest).toBeGreaterThan(5);
});

test('requests that are refused during the wait do not prolong it', async () => {
  let meanwhile = 0;
  await fc.assert(
    fc.asyncProperty(rate, traffic, async (limit, requests) => {
      const { outcomes } = await serve(limit, requests);
      const n = outcomes.findIndex(({ at, retryAfter = 0 }, index) =>
        outcomes
          .slice(index)
          .every((later) => later.at > at + retryAfter * 1000 || !isAllowed(later)),
      );
      const { at = 0, retryAfter } = outcomes[n] ?? {};
      if (retryAfter === undefined) return;
      const back = at + retryAfter * 1000;
      const before = outcomes.filter((outcome) => outcome.at <= back);
      meanwhile += before.length - n - 1;
      const past = requests.slice(0, before.length);
      const after = back - (before.at(-1)?.at ?? 0);
      for (const instance of new Set(past.map((one) => one.instance))) {
        const again = await serve(limit, [...past, { after, instance }]);
        expect(again.outcomes.at(-1)).not.toHaveProperty('retryAfter');
      }
    }),
    { numRuns: 300 },
  );
  expect(meanwhile).toBeGreaterThan(300);
});

test('every instance admits the whole burst after a pause', async () => {
  await fc.assert(
    fc.asyncProperty(rate, traffic, fc.nat(9), async (limit, requests, instance) => {
      const rest = { after: Math.ceil((limit.burst / limit.rate) * 1000) + LEASE_MS, instance };
      const burst = Array.from({ length: limit.burst - 1 }, () => ({ after: 0, instance }));
      const { outcomes } = await serve(limit, [...requests, rest, ...burst]);
      expect(outcomes.slice(-limit.burst).every(isAllowed)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('leased tokens that are not used expire with the lease', async () => {
  const limit = { rate: 0.1, burst: 6 };
  const now = { after: 0, instance: 0 };
  // The second request leases four tokens.
  const { outcomes, leases } = await serve(limit, [
    now,
    now,
    { after: LEASE_MS, instance: 0 },
    now,
  ]);
  expect(leases.map(({ tokens }) => tokens)).toEqual([1, 4, 1]);
  expect(outcomes.map(isAllowed)).toEqual([true, true, true, false]);
});

test.each([
  [1, 20],
  [2, 20],
  [5, 60],
])(
  'a key that asks for far too much from %i instances is given all of its rate',
  async (instances, perSecond) => {
    const limit = { rate: 10, burst: 10 };
    const requests = Array.from({ length: 30 * perSecond }, (_, n) => ({
      after: 1000 / perSecond,
      instance: (n * 7) % instances,
    }));
    const { outcomes } = await serve(limit, requests);
    const allowed = outcomes.filter(isAllowed).length;
    expect(Math.abs(allowed / (limit.rate * 30 + limit.burst) - 1)).toBeLessThan(0.05);
  },
);

test('a key within its rate costs at most one lease per half second', async () => {
  for (const perSecond of [20, 100, 500]) {
    const requests = Array.from({ length: 10 * perSecond }, () => ({
      after: 1000 / perSecond,
      instance: 0,
    }));
    const { outcomes, calls } = await serve({ rate: 1000, burst: 1000 }, requests);
    expect(outcomes.every(isAllowed)).toBe(true);
    expect(calls).toBeLessThanOrEqual(20);
  }
});
