import fc from 'fast-check';
import {
  available,
  isOverdrawn,
  leaseDelay,
  nextLease,
  rateHeaders,
  taken,
  tokenBucketOf,
  untilMore,
  untilToken,
} from '../../../core/access/token-bucket';

const NOW = Date.UTC(2026, 10, 20) * 1000;

const rates = fc.record({
  rate: fc.oneof(
    fc.integer({ min: 1, max: 10_000 }),
    fc.double({ min: 0.001, max: 50, noNaN: true }),
  ),
  burst: fc.integer({ min: 1, max: 100_000 }),
});

/** A bucket in any state that it can be in at NOW. */
const states = fc.tuple(rates, fc.double({ min: 0, max: 1, noNaN: true })).map(([rate, share]) => {
  const bucket = tokenBucketOf(rate);
  return { rate, bucket, full: NOW - 1000 + Math.floor(share * (bucket.depth + 1000)) };
});

test('a bucket holds at least 0 tokens and at most its burst', () => {
  fc.assert(
    fc.property(states, ({ rate, bucket, full }) => {
      const left = available(bucket, full, NOW);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(rate.burst);
      expect(available(bucket, 0, NOW)).toBe(rate.burst);
      expect(isOverdrawn(bucket, full, NOW)).toBe(false);
    }),
  );
});

test('untilToken is exact to the microsecond', () => {
  fc.assert(
    fc.property(states, ({ bucket, full }) => {
      const empty = taken(bucket, full, NOW, available(bucket, full, NOW));
      const wait = untilToken(bucket, empty, NOW);
      expect(wait).toBeGreaterThan(0);
      expect(available(bucket, empty, NOW + wait)).toBe(1);
      expect(available(bucket, empty, NOW + wait - 1)).toBe(0);
      expect(untilMore(bucket, empty, NOW)).toBe(wait);
    }),
  );
});

test('untilMore is exact to the microsecond', () => {
  fc.assert(
    fc.property(states, ({ rate, bucket, full }) => {
      const left = available(bucket, full, NOW);
      const wait = untilMore(bucket, full, NOW);
      if (wait === 0) return expect(left).toBe(rate.burst);
      expect(available(bucket, full, NOW + wait)).toBe(left + 1);
      expect(available(bucket, full, NOW + wait - 1)).toBe(left);
    }),
  );
});

test('leaseDelay is at least the wait, has the same whole seconds, and lets no bucket overflow', () => {
  fc.assert(
    fc.property(states, ({ bucket, full }) => {
      const empty = taken(bucket, full, NOW, available(bucket, full, NOW));
      const wait = untilToken(bucket, empty, NOW);
      const paused = leaseDelay(bucket, empty, NOW);
      expect(paused * 1000).toBeGreaterThanOrEqual(wait);
      expect(Math.ceil(paused / 1000)).toBe(Math.ceil(Math.ceil(wait / 1000) / 1000));
      // Unless the wait for one token is as long.
      if (bucket.depth >= 2 * bucket.interval) {
        expect(paused * 1000 - 1000).toBeLessThanOrEqual(empty - NOW);
      }
    }),
  );
});

test('the rate of a bucket is exact to within half a percent', () => {
  fc.assert(
    fc.property(rates, (rate) => {
      const { interval, depth } = tokenBucketOf(rate);
      expect(Math.abs((interval * rate.rate) / 1e6 - 1)).toBeLessThan(0.005);
      expect(Number.isSafeInteger(NOW + 2 * depth)).toBe(true);
    }),
  );
});

test.each([
  ['the first lease is one token', { requests: 1, elapsed: 0, last: 0 }, 1],
  ['two requests in a row are no demand yet', { requests: 1, elapsed: 1, last: 1 }, 4],
  ['a steady demand is leased for', { requests: 50, elapsed: 1000, last: 60 }, 100],
  ['a demand that ends is not', { requests: 1, elapsed: 60_000, last: 60 }, 1],
  ['refused requests count as demand', { requests: 40, elapsed: 1000, last: 20 }, 80],
])('%s', (_what, demand, tokens) => {
  expect(nextLease(demand)).toBe(tokens);
});

test('rateHeaders returns the headers of the draft', () => {
  expect(rateHeaders('write', { rate: 10, burst: 25 }, { left: 3, more: 1 })).toEqual({
    'RateLimit-Policy': '"write";q=25;w=3',
    RateLimit: '"write";r=3;t=1',
  });
  expect(rateHeaders('list', { rate: 100, burst: 5 }, { left: 5, more: 0 })).toEqual({
    'RateLimit-Policy': '"list";q=5;w=1',
    RateLimit: '"list";r=5;t=0',
  });
});
