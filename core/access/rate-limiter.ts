/**
 * What a function instance remembers of the keys that call it, so that most requests are admitted
 * without any call.
 */

import { ServiceError, unavailable } from '../errors';
import { DEFAULT_TIER, type Rate, type RateClass, type RateTiers } from '../limits';
import type { Clock, Log, Meter } from '../system';
import { isUsable, ofGeneration } from './authentication';
import type { Caller } from './permissions';
import type { ApiKeyRecord, ApiKeys, Permission, Rates, TokenLease, UsageCounts } from './ports';
import {
  available,
  LEASE_MS,
  nextLease,
  pause,
  rateHeaders,
  tokenBucketOf,
  untilMore,
} from './token-bucket';

export interface RateLimiterDeps {
  readonly rates: Pick<Rates, 'lease'>;
  readonly apiKeys: ApiKeys;
  readonly rateTiers: RateTiers;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly meter: Meter;
}

/**
 * What was known of a key when it was judged, however long ago: API Gateway keeps the authorizer's
 * answer for minutes.
 */
export interface KeyClaim {
  readonly keyId: string;
  readonly permissions: readonly Permission[];
  readonly tier: string;
  /** Of the secret that was shown: see ofGeneration. */
  readonly generation: number;
  /** When the key was read; epoch milliseconds. */
  readonly readAt: number;
  /** ISO 8601 UTC. */
  readonly expiresAt?: string;
}

export interface RateAdmission {
  readonly caller: Caller;
  /** For the answer, whatever it will be. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * More than the clocks of two instances differ by: a change of the key within it is taken for one
 * after it was read.
 */
const SKEW_MS = 2_000;

/** Keys that an instance remembers. */
const MAX_KEYS = 2_000;

/** How often a request tries to get a token, when those that came with it took all of a lease. */
const ATTEMPTS = 10;

interface Known {
  readonly claim: KeyClaim;
  /** Whoever shows that secret may do nothing. */
  readonly refused: boolean;
  /** Changes that were marked before this are in it; epoch milliseconds. */
  readonly knows: number;
  /** Epoch milliseconds. */
  readonly readAt: number;
}

/** Times in epoch milliseconds, but for `full`. */
interface ClassState {
  /** Tokens that may be used until `until`. */
  tokens: number;
  until: number;
  /** Requests that will use those tokens and were counted when the lease was taken. */
  counted: number;
  /** Until then the bucket is known to be empty, and is not asked. */
  emptyUntil: number;
  /** When the bucket will have tokens. */
  refilledAt: number;
  /** See Lease: epoch microseconds. */
  full: number;
  /** For nextLease: what came since a lease was asked for last. */
  requests: number;
  askedAt: number;
  want: number;
  leasing?: Promise<void>;
}

interface KeyState {
  /** What this instance found out by itself. */
  own?: Known;
  readonly classes: Map<RateClass, ClassState>;
  /** What is not reported yet. */
  counts: UsageCounts;
}

export class RateLimiter {
  private readonly keys = new Map<string, KeyState>();

  constructor(private readonly deps: RateLimiterDeps) {}

  /**
   * Takes one token of the key's bucket of that class. Throws unauthorized when the key was revoked
   * or has expired, rate_limited when the bucket is empty. AWS calls: none while a lease lasts;
   * else 1 UpdateItem (see DynamoRates.lease), and after a change of the key 1 GetItem.
   */
  async takeToken(claim: KeyClaim, name: RateClass): Promise<RateAdmission> {
    const state = this.stateOf(claim);
    const tokens = classOf(state, name, this.deps.clock.now());
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      tokens.requests += 1;
      const known = await this.usable(state, claim);
      const now = this.deps.clock.now();
      const rate = this.rateOf(known.claim, name);
      if (tokens.until > now && tokens.tokens > 0) {
        tokens.tokens -= 1;
        if (tokens.counted > 0) tokens.counted -= 1;
        else state.counts = sum(state.counts, { [name]: 1 });
        const { keyId, permissions, generation } = known.claim;
        return {
          caller: { keyId, permissions, generation },
          headers: headersOf(name, rate, tokens, now),
        };
      }
      closeIfEmpty(tokens, rate, now);
      if (tokens.emptyUntil > now) {
        state.counts = sum(state.counts, { limited: 1 });
        this.deps.meter.add('Throttles', 1, this.tierOf(known.claim));
        throw limited(name, rate, tokens, now);
      }
      tokens.leasing ??= this.lease(state, tokens, known, name).finally(() => {
        tokens.leasing = undefined;
      });
      await tokens.leasing;
    }
    throw unavailable(new Error(`no token in ${ATTEMPTS} attempts: too many requests at once`));
  }

  /** One memory per secret: a replaced one may be good for less than its successor. */
  private stateOf({ keyId, generation }: KeyClaim): KeyState {
    const id = `${keyId}#${generation}`;
    const state = this.keys.get(id) ?? { classes: new Map(), counts: {} };
    if (!this.keys.has(id)) {
      const [oldest] = this.keys.keys();
      if (this.keys.size >= MAX_KEYS && oldest !== undefined) this.keys.delete(oldest);
      this.keys.set(id, state);
    }
    return state;
  }

  /**
   * The newer of what came with the request and of what this instance found out. Throws
   * unauthorized.
   */
  private async usable(state: KeyState, claim: KeyClaim): Promise<Known> {
    const now = this.deps.clock.now();
    const { readAt } = claim;
    const told = { claim, refused: false, knows: readAt - SKEW_MS, readAt };
    const { own } = state;
    const known = own && own.knows > told.knows ? own : told;
    if (isGood(known, now)) return known;
    // What is refused is looked at again now and then: its expiry may have been put off.
    if (known !== own || now - known.readAt >= LEASE_MS) {
      const fresh = await this.read(claim, Math.max(known.knows, now - SKEW_MS));
      state.own = fresh;
      if (isGood(fresh, now)) return fresh;
    }
    throw new ServiceError('unauthorized');
  }

  /** 1 GetItem. */
  private async read(claim: KeyClaim, knows: number): Promise<Known> {
    const readAt = this.deps.clock.now();
    const record = await this.deps.apiKeys.get(claim.keyId);
    const key = record && ofGeneration(record, claim.generation);
    if (!key || !isUsable(key, readAt)) {
      this.deps.log.info('key_refused', { keyId: claim.keyId });
      return { claim, refused: true, knows, readAt };
    }
    return { claim: claimOf(key, claim.generation, readAt), refused: false, knows, readAt };
  }

  private async lease(
    state: KeyState,
    tokens: ClassState,
    known: Known,
    name: RateClass,
  ): Promise<void> {
    const now = this.deps.clock.now();
    const rate = this.rateOf(known.claim, name);
    const elapsed = now - tokens.askedAt;
    const want = nextLease({ requests: tokens.requests, elapsed, last: tokens.want });
    const { counts } = state;
    state.counts = {};
    let lease: TokenLease | undefined;
    try {
      lease = await this.deps.rates.lease(known.claim.keyId, {
        class: name,
        rate,
        want,
        now,
        knows: known.knows,
        // The request that waits for this lease will have a token of it for certain.
        counts: sum(counts, { [name]: 1 }),
        full: tokens.full,
      });
    } finally {
      if (lease?.result !== 'granted') state.counts = sum(state.counts, counts);
    }
    if (lease.result === 'outdated') {
      state.own = await this.read(known.claim, lease.changedAt + 1);
      return;
    }
    Object.assign(tokens, { full: lease.full, requests: 0, askedAt: now, want });
    if (lease.result === 'granted') {
      Object.assign(tokens, { tokens: lease.tokens, until: now + LEASE_MS, counted: 1 });
    }
  }

  private rateOf(claim: KeyClaim, name: RateClass): Rate {
    const { rateTiers } = this.deps;
    return (rateTiers[this.tierOf(claim)] ?? rateTiers.default)[name];
  }

  /** One that the stack defines: a key may be in a tier that was taken away. */
  private tierOf({ tier }: KeyClaim): string {
    return Object.hasOwn(this.deps.rateTiers, tier) ? tier : DEFAULT_TIER;
  }
}

/** What may be claimed of a key that was read at `readAt`. */
export function claimOf(key: ApiKeyRecord, generation: number, readAt: number): KeyClaim {
  const { id, permissions, tier = DEFAULT_TIER, expiresAt } = key;
  const claim = { keyId: id, permissions, tier, generation, readAt };
  return expiresAt === undefined ? claim : { ...claim, expiresAt };
}

function isGood({ claim: { expiresAt }, refused }: Known, now: number): boolean {
  return !refused && (expiresAt === undefined || Date.parse(expiresAt) > now);
}

function classOf({ classes }: KeyState, name: RateClass, now: number): ClassState {
  const existing = classes.get(name);
  if (existing) return existing;
  const nothing = { tokens: 0, until: 0, counted: 0, emptyUntil: 0, refilledAt: 0, full: 0 };
  const state = { ...nothing, requests: 0, askedAt: now, want: 0 };
  classes.set(name, state);
  return state;
}

export function sum(a: UsageCounts, b: UsageCounts): UsageCounts {
  const counts: Record<string, number> = { ...a };
  for (const [name, more] of Object.entries(b)) counts[name] = (counts[name] ?? 0) + more;
  return counts;
}

/**
 * What was seen of the bucket may tell that it is empty: nobody fills it but time. It is believed
 * as long as a lease is.
 */
function closeIfEmpty(tokens: ClassState, rate: Rate, now: number): void {
  const seenUntil = tokens.askedAt + LEASE_MS;
  if (tokens.emptyUntil > now || seenUntil <= now) return;
  const bucket = tokenBucketOf(rate);
  if (available(bucket, tokens.full, now * 1000) > 0) return;
  tokens.refilledAt = now + pause(bucket, tokens.full, now * 1000);
  tokens.emptyUntil = Math.min(tokens.refilledAt, seenUntil);
}

function headersOf(name: RateClass, rate: Rate, tokens: ClassState, now: number) {
  const bucket = tokenBucketOf(rate);
  const { full } = tokens;
  return rateHeaders(name, rate, {
    left: Math.min(rate.burst, tokens.tokens + available(bucket, full, now * 1000)),
    more: untilMore(bucket, full, now * 1000),
  });
}

function limited(name: RateClass, rate: Rate, tokens: ClassState, now: number): ServiceError {
  const more = (tokens.refilledAt - now) * 1000;
  const seconds = Math.ceil(more / 1e6);
  return new ServiceError('rate_limited', {
    message: `too many ${name} requests with this API key; wait for Retry-After seconds`,
    details: { class: name, retry_after: seconds },
    headers: { 'Retry-After': String(seconds), ...rateHeaders(name, rate, { left: 0, more }) },
  });
}
