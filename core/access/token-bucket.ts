/**
 * The arithmetic of rate limits: a token bucket as GCRA
 * (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm), whose whole state is one moment,
 * `full`: when the bucket will be full again. Times are whole microseconds, so that what is stored,
 * added and compared is exact wherever it is done; up to 2^53 they reach to the year 2255.
 */
import type { Rate } from '../limits';

/**
 * How long leased tokens may be used: so long at most a change of a key may go unseen by an
 * instance. Milliseconds.
 */
export const LEASE_MS = 2_000;

export interface TokenBucket {
  /** Microseconds per token. */
  readonly interval: number;
  /** Microseconds that an empty bucket takes to be full. */
  readonly depth: number;
}

export function tokenBucketOf({ rate, burst }: Rate): TokenBucket {
  const interval = Math.max(1, Math.round(1e6 / rate));
  return { interval, depth: burst * interval };
}

/** Tokens in the bucket at `now`. */
export function available({ interval, depth }: TokenBucket, full: number, now: number): number {
  return Math.max(0, Math.floor((now + depth - Math.max(full, now)) / interval));
}

/** Microseconds until there is a token; 0: there is one. */
export function untilToken({ interval, depth }: TokenBucket, full: number, now: number): number {
  return Math.max(0, full + interval - depth - now);
}

/** Microseconds until there is one token more than now; 0: the bucket is full. */
export function untilMore(bucket: TokenBucket, full: number, now: number): number {
  if (full <= now) return 0;
  const wait = untilToken(bucket, full, now);
  return wait > 0 ? wait : (full - now) % bucket.interval || bucket.interval;
}

/** The bucket after `tokens` were taken out of it. */
export function taken(
  { interval }: TokenBucket,
  full: number,
  now: number,
  tokens: number,
): number {
  return Math.max(full, now) + tokens * interval;
}

/**
 * The bucket as it is to be taken: no emptier than empty. It is left emptier by a tier that filled
 * more slowly, and its debt must not be paid at the new one's price. A second of tolerance, because
 * the clocks of instances differ a little.
 */
export function isOverdrawn({ depth }: TokenBucket, full: number, now: number): boolean {
  return full > now + depth + 1_000_000;
}

/**
 * Milliseconds for which an instance that was refused does not ask again: until there is a token,
 * or longer, so that it gets several at once. But not so long that the bucket could overflow
 * meanwhile; nor that a client is refused here which was told elsewhere, up to one token earlier,
 * to come back in so many whole seconds.
 */
export function pause(bucket: TokenBucket, full: number, now: number): number {
  const several = Math.min(1_000_000 - bucket.interval, bucket.depth / 2);
  const wait = untilToken(bucket, full, now);
  return Math.max(Math.ceil(wait / 1000), Math.floor(several / 1000));
}

/**
 * Tokens to lease: what the present demand uses up in the life of a lease, but no more than four
 * times the lease before, because two requests in a row are no demand yet.
 */
export function nextLease(demand: {
  /** Requests since the lease before, the present one included. */
  readonly requests: number;
  /** Milliseconds in which they came. */
  readonly elapsed: number;
  /** The lease before; 0: there was none. */
  readonly last: number;
}): number {
  const use = Math.ceil((demand.requests * LEASE_MS) / Math.max(1, demand.elapsed));
  return Math.max(1, Math.min(use, 4 * demand.last));
}

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: `q` tokens in `w`
 * seconds; `r` are left, and in `t` seconds there are more. `left`: tokens; `more`: microseconds.
 */
export function rateHeaders(
  name: string,
  { rate, burst }: Rate,
  { left, more }: { readonly left: number; readonly more: number },
): Readonly<Record<string, string>> {
  const window = Math.max(1, Math.ceil(burst / rate));
  return {
    'RateLimit-Policy': `"${name}";q=${burst};w=${window}`,
    RateLimit: `"${name}";r=${left};t=${Math.ceil(more / 1e6)}`,
  };
}
