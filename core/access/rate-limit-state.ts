/**
 * State of a key's bucket of one rate class as an instance knows it, and the headers that show it.
 */
import { ServiceError } from '../errors';
import type { Rate, RateClass } from '../limits';
import type { UsageCounts } from './ports';
import {
  available,
  LEASE_MS,
  leaseDelay,
  rateHeaders,
  tokenBucketOf,
  untilMore,
} from './token-bucket';

/** Times in epoch milliseconds, except `fullAt`. */
export interface ClassState {
  /** Tokens that may be used until `until`. */
  left: number;
  until: number;
  /** Requests that will use those tokens and were counted with the lease. */
  counted: number;
  /** The bucket is known to be empty until this time; no lease is requested before it. */
  emptyUntil: number;
  /** When the bucket will have tokens again. */
  refilledAt: number;
  /** See `TokenLease`: epoch microseconds. */
  fullAt: number;
  /** Requests since the last lease. */
  requests: number;
  leasedAt: number;
  /** Tokens requested with the last lease. */
  lastRequested: number;
  leasing?: Promise<void>;
}

export function classStateOf(
  classes: Map<RateClass, ClassState>,
  name: RateClass,
  now: number,
): ClassState {
  const existing = classes.get(name);
  if (existing) return existing;
  const nothing = { left: 0, until: 0, counted: 0, emptyUntil: 0, refilledAt: 0, fullAt: 0 };
  const state = { ...nothing, requests: 0, leasedAt: now, lastRequested: 0 };
  classes.set(name, state);
  return state;
}

export function addCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  const counts: Record<string, number> = { ...a };
  for (const [name, more] of Object.entries(b)) counts[name] = (counts[name] ?? 0) + more;
  return counts;
}

/**
 * Sets `emptyUntil` if the bucket is still empty according to the last lease. Only time refills a
 * bucket, so the state of the last lease is used for as long as its tokens would be.
 */
export function markIfEmpty(limit: ClassState, rate: Rate, now: number): void {
  if (limit.emptyUntil > now) return;
  const bucket = tokenBucketOf(rate);
  if (available(bucket, limit.fullAt, now * 1000) > 0) return;
  limit.refilledAt = now + leaseDelay(bucket, limit.fullAt, now * 1000);
  limit.emptyUntil = Math.min(limit.refilledAt, limit.leasedAt + LEASE_MS);
}

export function headersOf(name: RateClass, rate: Rate, limit: ClassState, now: number) {
  const bucket = tokenBucketOf(rate);
  const { fullAt } = limit;
  return rateHeaders(name, rate, {
    left: Math.min(rate.burst, limit.left + available(bucket, fullAt, now * 1000)),
    more: untilMore(bucket, fullAt, now * 1000),
  });
}

export function limited(name: RateClass, rate: Rate, limit: ClassState, now: number): ServiceError {
  const more = (limit.refilledAt - now) * 1000;
  const seconds = Math.ceil(more / 1e6);
  return new ServiceError('rate_limited', {
    message: `too many ${name} requests with this API key; wait for Retry-After seconds`,
    details: { class: name, retry_after: seconds },
    headers: { 'Retry-After': String(seconds), ...rateHeaders(name, rate, { left: 0, more }) },
  });
}
