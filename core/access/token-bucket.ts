/**
 * The arithmetic of rate limits: a token bucket by the generic cell rate algorithm
 * (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm). Its whole state is one time,
 * `fullAt`: when the bucket will be full again. Times are whole microseconds, so that DynamoDB and
 * JavaScript calculate with them exactly; 2^53 microseconds reach to the year 2255.
 */
import type { Rate } from '../limits';

/**
 * Validity of leased tokens, milliseconds. An instance sees a change of a key after at most this
 * time.
 */
export const LEASE_MS = 2_000;

export interface TokenBucket {
  /** Microseconds per token. */
  readonly interval: number;
  /** Microseconds until an empty bucket is full. */
  readonly depth: number;
}

export function tokenBucketOf({ rate, burst }: Rate): TokenBucket {
  const interval = Math.max(1, Math.round(1e6 / rate));
  return { interval, depth: burst * interval };
}

/** Returns the tokens in the bucket at `now`. */
export function available({ interval, depth }: TokenBucket, fullAt: number, now: number): number {
  return Math.max(0, Math.floor((now + depth - Math.max(fullAt, now)) / interval));
}

/** Returns the microseconds until the bucket has a token; 0 when it has one. */
export function untilToken({ interval, depth }: TokenBucket, fullAt: number, now: number): number {
  return Math.max(0, fullAt + interval - depth - now);
}

/** Returns the microseconds until the bucket has one more token; 0 when it is full. */
export function untilMore(bucket: TokenBucket, fullAt: number, now: number): number {
  if (fullAt <= now) return 0;
  const wait = untilToken(bucket, fullAt, now);
  return wait > 0 ? wait : (fullAt - now) % bucket.interval || bucket.interval;
}

/** Returns the new `fullAt` after `tokens` were taken out of the bucket. */
export function taken(
  { interval }: TokenBucket,
  fullAt: number,
  now: number,
  tokens: number,
): number {
  return Math.max(fullAt, now) + tokens * interval;
}

/**
 * Reports whether more tokens are missing than the bucket can hold. This happens when the key moves
 * to a tier with a smaller `depth`; the caller then sets the bucket to empty, so that the key does
 * not wait for longer than the new tier requires. Allows a second of difference between the clocks
 * of instances.
 */
export function isOverdrawn({ depth }: TokenBucket, fullAt: number, now: number): boolean {
  return fullAt > now + depth + 1_000_000;
}

/**
 * Returns the milliseconds after which a refused instance requests the next lease. It waits until
 * there is a token, or longer, so that it gets several at once. The wait has two bounds: half the
 * depth of the bucket, so that the bucket does not fill up during the wait; and a second less the
 * time of one token, because another instance may have sent the client a Retry-After in whole
 * seconds, and the client must not be refused again after it.
 */
export function leaseDelay(bucket: TokenBucket, fullAt: number, now: number): number {
  const several = Math.min(1_000_000 - bucket.interval, bucket.depth / 2);
  const wait = untilToken(bucket, fullAt, now);
  return Math.max(Math.ceil(wait / 1000), Math.floor(several / 1000));
}

/**
 * Returns the number of tokens to lease: the current demand during a lease, but at most four times
 * the last lease, because two requests in quick succession do not show a demand yet.
 */
export function nextLease(demand: {
  /** Requests since the last lease, including the current one. */
  readonly requests: number;
  /** Milliseconds since the last lease. */
  readonly elapsed: number;
  /** Tokens requested with the last lease; 0: there was none. */
  readonly last: number;
}): number {
  const use = Math.ceil((demand.requests * LEASE_MS) / Math.max(1, demand.elapsed));
  return Math.max(1, Math.min(use, 4 * demand.last));
}

/**
 * Returns `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: `q` tokens
 * in `w` seconds; `r` are left, and after `t` seconds there are more. `left`: tokens; `more`:
 * microseconds.
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
