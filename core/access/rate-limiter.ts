/**
 * Admits requests by the rate limits of their API keys. A function instance caches the keys and
 * leases tokens in advance, so that most requests need no AWS call.
 */

import { ServiceError, unavailable } from '../errors';
import { DEFAULT_TIER, type Rate, type RateClass, type RateTiers, ratesOf } from '../limits';
import type { Clock, Log, Meter } from '../system';
import { isUsable, ofGeneration } from './authentication';
import { claimOf, type KeyClaim } from './key-claim';
import { type Caller, intersection } from './permissions';
import type { ApiKeys, Rates, Restriction, TokenLease, UsageCounts } from './ports';
import {
  addCounts,
  type ClassState,
  classStateOf,
  headersOf,
  limited,
  markIfEmpty,
} from './rate-limit-state';
import { isOver } from './temporary-keys';
import { LEASE_MS, nextLease, tokenBucketOf, untilToken } from './token-bucket';

export interface RateLimiterDeps {
  readonly rates: Pick<Rates, 'lease'>;
  readonly apiKeys: ApiKeys;
  readonly rateTiers: RateTiers;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly meter: Meter;
}

export interface RateAdmission {
  readonly caller: Caller;
  /** Headers of the response, whatever its status. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface FurtherTokens {
  readonly count: number;
  readonly orFewer?: boolean;
}

export interface TakenTokens {
  readonly tokens: number;
  /** Headers of the response. */
  readonly headers: RateAdmission['headers'];
}

/**
 * Upper bound of the difference between the clocks of two instances. A read may miss a change of
 * the key that was marked within this time before it.
 */
const SKEW_MS = 2_000;

/** Keys that an instance caches. */
const MAX_KEYS = 2_000;

/** Attempts of a request to get a token while concurrent requests use up every lease. */
const ATTEMPTS = 10;

interface CachedKey {
  readonly claim: KeyClaim;
  /** The secret is not valid, or the key is revoked or expired. */
  readonly isRefused: boolean;
  /** Includes every change that was marked before this; epoch milliseconds. */
  readonly knownUntil: number;
  /** Epoch milliseconds. */
  readonly readAt: number;
}

interface KeyState {
  /** The key as this instance read it. */
  cached?: CachedKey;
  readonly classes: Map<RateClass, ClassState>;
  /** Counts that no lease has stored yet. */
  counts: UsageCounts;
}

export class RateLimiter {
  private readonly keys = new Map<string, KeyState>();

  constructor(private readonly deps: RateLimiterDeps) {}

  /**
   * Takes one token of the key's bucket of that class. Throws unauthorized when the key is revoked
   * or has expired, rate_limited when the bucket is empty, unavailable when the key keeps changing.
   * AWS calls: none while a lease lasts; else 1 UpdateItem (see DynamoRates.lease), and after a
   * change of the key 1 GetItem.
   */
  async takeToken(claim: KeyClaim, name: RateClass): Promise<RateAdmission> {
    const state = this.stateOf(claim);
    const limit = classStateOf(state.classes, name, this.deps.clock.now());
    const { restriction } = claim;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      limit.requests += 1;
      const key = await this.usableKey(state, claim);
      const now = this.deps.clock.now();
      if (isOver(restriction, now)) throw new ServiceError('unauthorized');
      const rate = this.rateOf(key.claim, name);
      if (limit.until > now && limit.left > 0) {
        limit.left -= 1;
        if (limit.counted > 0) limit.counted -= 1;
        else state.counts = addCounts(state.counts, { [name]: 1 });
        return {
          caller: this.callerOf(key.claim, restriction),
          headers: headersOf(name, rate, limit, now),
        };
      }
      markIfEmpty(limit, rate, now);
      if (limit.emptyUntil > now) {
        state.counts = addCounts(state.counts, { limited: 1 });
        this.deps.meter.add('Throttles', 1, this.tierOf(key.claim));
        throw limited(name, rate, limit, now);
      }
      limit.leasing ??= this.lease(state, limit, key, name).finally(() => {
        limit.leasing = undefined;
      });
      await limit.leasing;
    }
    throw unavailable(new Error(`no token in ${ATTEMPTS} attempts: too many requests at once`));
  }

  /**
   * Takes `count` more tokens for a request that has taken one, or throws rate_limited and takes
   * none. With `orFewer` it takes the available tokens, up to `count`. The total is at most the
   * burst, because a smaller bucket could never admit the request otherwise. Throws as `takeToken`.
   * AWS calls: none while the lease has enough tokens, else 1 UpdateItem, and after a change of the
   * key 1 GetItem and 1 UpdateItem.
   */
  async takeFurther(
    claim: KeyClaim,
    name: RateClass,
    { count, orFewer }: FurtherTokens,
  ): Promise<TakenTokens> {
    const state = this.stateOf(claim);
    const limit = classStateOf(state.classes, name, this.deps.clock.now());
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const key = await this.usableKey(state, claim);
      const now = this.deps.clock.now();
      const rate = this.rateOf(key.claim, name);
      const most = Math.min(count, rate.burst - 1);
      const taken = (tokens: number, counted = 0): TakenTokens => {
        if (tokens > counted) state.counts = addCounts(state.counts, { [name]: tokens - counted });
        return { tokens, headers: headersOf(name, rate, limit, now) };
      };
      // Tokens of the lease first: the bucket may be empty because this instance leased its tokens.
      const own = limit.until > now ? Math.min(limit.left, most) : 0;
      limit.left -= own;
      const wanted = most - own;
      if (wanted === 0) return taken(own);
      const counted = orFewer ? own + 1 : most;
      const lease = await this.deps.rates.lease(key.claim.keyId, {
        ...{ class: name, rate, maxTokens: wanted, minTokens: orFewer ? 1 : wanted, now },
        knownUntil: key.knownUntil,
        counts: { [name]: counted },
        fullAt: limit.fullAt,
      });
      if (lease.result === 'outdated') {
        limit.left += own;
        state.cached = await this.read(key.claim, lease.changedAt + 1);
        continue;
      }
      limit.fullAt = lease.fullAt;
      if (lease.result === 'granted') return taken(own + lease.tokens, counted);
      if (orFewer) return taken(own);
      limit.left += own;
      state.counts = addCounts(state.counts, { limited: 1 });
      this.deps.meter.add('Throttles', 1, this.tierOf(key.claim));
      const { interval } = tokenBucketOf(rate);
      const more = untilToken(tokenBucketOf(rate), lease.fullAt + wanted * interval, now * 1000);
      throw limited(name, rate, { ...limit, refilledAt: now + Math.ceil(more / 1000) }, now);
    }
    throw unavailable(new Error('the API key keeps changing'));
  }

  /**
   * Returns the state for the secret of the claim: a replaced secret expires earlier than its
   * successor.
   */
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
   * Returns the newer of the claim and the cached key, or reads the key again if that does not
   * permit the request. Throws unauthorized. AWS calls: none, or 1 GetItem.
   */
  private async usableKey(state: KeyState, claim: KeyClaim): Promise<CachedKey> {
    const now = this.deps.clock.now();
    const { readAt } = claim;
    const claimed = { claim, isRefused: false, knownUntil: readAt - SKEW_MS, readAt };
    const { cached } = state;
    const newest = cached && cached.knownUntil > claimed.knownUntil ? cached : claimed;
    if (isUsableAt(newest, now)) return newest;
    // A refused key is read again once per lease: its expiry may have been extended.
    if (newest !== cached || now - newest.readAt >= LEASE_MS) {
      const read = await this.read(claim, Math.max(newest.knownUntil, now - SKEW_MS));
      state.cached = read;
      if (isUsableAt(read, now)) return read;
    }
    throw new ServiceError('unauthorized');
  }

  /** Reads the key. AWS calls: 1 GetItem. */
  private async read(claim: KeyClaim, knownUntil: number): Promise<CachedKey> {
    const readAt = this.deps.clock.now();
    const record = await this.deps.apiKeys.get(claim.keyId);
    const key = record && ofGeneration(record, claim.generation);
    if (key && isUsable(key, readAt)) {
      const fresh = claimOf(key, claim.generation, readAt);
      return { claim: fresh, isRefused: false, knownUntil, readAt };
    }
    this.deps.log.info('key_refused', { keyId: claim.keyId });
    return { claim, isRefused: true, knownUntil, readAt };
  }

  private async lease(
    state: KeyState,
    limit: ClassState,
    key: CachedKey,
    name: RateClass,
  ): Promise<void> {
    const now = this.deps.clock.now();
    const rate = this.rateOf(key.claim, name);
    const { requests, leasedAt, lastRequested: last } = limit;
    const maxTokens = nextLease({ requests, elapsed: now - leasedAt, last });
    const { counts } = state;
    state.counts = {};
    let lease: TokenLease | undefined;
    try {
      lease = await this.deps.rates.lease(key.claim.keyId, {
        class: name,
        rate,
        maxTokens,
        now,
        knownUntil: key.knownUntil,
        // One token of the lease is for the request that waits for it.
        counts: addCounts(counts, { [name]: 1 }),
        fullAt: limit.fullAt,
      });
    } finally {
      if (lease?.result !== 'granted') state.counts = addCounts(state.counts, counts);
    }
    if (lease.result === 'outdated') {
      state.cached = await this.read(key.claim, lease.changedAt + 1);
      return;
    }
    const { fullAt } = lease;
    Object.assign(limit, { fullAt, requests: 0, leasedAt: now, lastRequested: maxTokens });
    if (lease.result === 'granted') {
      Object.assign(limit, { left: lease.tokens, until: now + LEASE_MS, counted: 1 });
    }
  }

  private rateOf(claim: KeyClaim, name: RateClass): Rate {
    return ratesOf(this.deps.rateTiers, claim.tier)[name];
  }

  private callerOf(claim: KeyClaim, restriction: Restriction | undefined): Caller {
    const { keyId, permissions, generation } = claim;
    const caller = { keyId, permissions, generation, tier: this.tierOf(claim) };
    if (restriction === undefined) return caller;
    return {
      ...caller,
      permissions: intersection(permissions, restriction.permissions),
      restriction,
    };
  }

  /** Returns the default tier if the stack no longer defines the tier of the key. */
  private tierOf({ tier }: KeyClaim): string {
    return Object.hasOwn(this.deps.rateTiers, tier) ? tier : DEFAULT_TIER;
  }
}

function isUsableAt({ claim: { expiresAt }, isRefused }: CachedKey, now: number): boolean {
  return !isRefused && (expiresAt === undefined || Date.parse(expiresAt) > now);
}
