/**
 * Limits replays: a connection runs one replay of a bucket at a time, and an API key a few at once,
 * because each occupies a function instance for seconds. Each replay has a slot of the key; the end
 * time of the slot identifies the replay.
 */
import { randomInt } from 'node:crypto';
import type { Slots } from '../access/ports';
import { ServiceError } from '../errors';
import type { Clock } from '../system';

export interface ReplaysDeps {
  readonly slots: Slots;
  readonly clock: Pick<Clock, 'now'>;
}

/** Longer than any replay: see catch-up.ts. */
const LEASE_MS = 15_000;

const RETRY_SECONDS = 2;

/** A double stores today's time to exactly 1/4096 ms. */
const FRACTIONS = 4096;

export interface ReplayOwner {
  readonly keyId: string;
  readonly connectionId: string;
  readonly bucketId: string;
  /** Replays that the key may run at once. */
  readonly limit: number;
}

export class Replay {
  private constructor(
    private readonly deps: ReplaysDeps,
    private readonly owner: ReplayOwner,
    private readonly until: number,
  ) {}

  /**
   * Begins a replay in place of the connection's earlier one of that bucket. Throws rate_limited
   * when the key has reached its limit. AWS calls: those of Slots.take.
   */
  static async begin(deps: ReplaysDeps, owner: ReplayOwner): Promise<Replay> {
    const now = deps.clock.now();
    // A random fraction distinguishes replays that begin in the same millisecond.
    const until = now + LEASE_MS + randomInt(FRACTIONS) / FRACTIONS;
    const request = { limit: owner.limit, holder: holderOf(owner), now, until };
    if (await deps.slots.take(owner.keyId, 'replay', request)) {
      return new Replay(deps, owner, until);
    }
    throw new ServiceError('rate_limited', {
      message: `too many concurrent catch-ups for this API key (limit ${owner.limit}): wait, then subscribe from your cursor`,
      details: { class: 'wait', retry_after: RETRY_SECONDS, concurrent: owner.limit },
    });
  }

  /** Reports whether no later replay has taken the place of this one. AWS calls: 1 GetItem. */
  async isCurrent(): Promise<boolean> {
    const holders = await this.deps.slots.holders(this.owner.keyId, 'replay');
    return holders.get(holderOf(this.owner)) === this.until;
  }

  /** Ends the replay. AWS calls: 1 UpdateItem. */
  async end(): Promise<void> {
    await this.deps.slots.release(this.owner.keyId, 'replay', holderOf(this.owner), this.until);
  }
}

/** Reports whether the connection is replaying the bucket. AWS calls: 1 GetItem. */
export async function isReplaying(deps: ReplaysDeps, owner: ReplayOwner): Promise<boolean> {
  const holders = await deps.slots.holders(owner.keyId, 'replay');
  return (holders.get(holderOf(owner)) ?? 0) > deps.clock.now();
}

/** Ends the connection's replay of the bucket, if there is one. AWS calls: 1 UpdateItem. */
export async function stopReplay(deps: ReplaysDeps, owner: ReplayOwner): Promise<void> {
  await deps.slots.release(owner.keyId, 'replay', holderOf(owner));
}

function holderOf({ connectionId, bucketId }: Pick<ReplayOwner, 'connectionId' | 'bucketId'>) {
  return `${connectionId} ${bucketId}`;
}
