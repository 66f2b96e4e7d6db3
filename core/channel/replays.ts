/**
 * Which replays run: a connection replays a bucket once at a time, and an API key has a few at
 * once, because each occupies a function instance for seconds. A slot of the key stands for each;
 * its end tells one replay of a connection and bucket from the next.
 */
import { randomInt } from 'node:crypto';
import type { Slots } from '../access/ports';
import { ServiceError } from '../errors';
import type { Clock } from '../system';

export interface ReplaysDeps {
  readonly slots: Slots;
  readonly clock: Pick<Clock, 'now'>;
}

/** Above what a replay takes: see catch-up.ts. */
const LEASE_MS = 15_000;

const RETRY_SECONDS = 2;

/** A number holds so many parts of a millisecond of today exactly. */
const FRACTIONS = 4096;

export interface ReplayOwner {
  readonly keyId: string;
  readonly connectionId: string;
  readonly bucketId: string;
  /** How many replays the key may have at once. */
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
   * when the key has as many as it may. AWS calls: those of Slots.take.
   */
  static async begin(deps: ReplaysDeps, owner: ReplayOwner): Promise<Replay> {
    const now = deps.clock.now();
    // A fraction tells replays apart that begin in the same millisecond.
    const until = now + LEASE_MS + randomInt(FRACTIONS) / FRACTIONS;
    const request = { limit: owner.limit, holder: holderOf(owner), now, until };
    if (await deps.slots.take(owner.keyId, 'replay', request)) {
      return new Replay(deps, owner, until);
    }
    throw new ServiceError('rate_limited', {
      message: `this API key catches up ${owner.limit} times at once, as often as its tier allows: wait, then subscribe from your cursor`,
      details: { class: 'wait', retry_after: RETRY_SECONDS, concurrent: owner.limit },
    });
  }

  /** Whether no later replay has taken its place. 1 GetItem. */
  async isCurrent(): Promise<boolean> {
    const holders = await this.deps.slots.holders(this.owner.keyId, 'replay');
    return holders.get(holderOf(this.owner)) === this.until;
  }

  /** 1 UpdateItem. */
  async end(): Promise<void> {
    await this.deps.slots.release(this.owner.keyId, 'replay', holderOf(this.owner), this.until);
  }
}

/** Whether the connection is replaying the bucket. 1 GetItem. */
export async function isReplaying(deps: ReplaysDeps, owner: ReplayOwner): Promise<boolean> {
  const holders = await deps.slots.holders(owner.keyId, 'replay');
  return (holders.get(holderOf(owner)) ?? 0) > deps.clock.now();
}

/** Ends the connection's replay of the bucket, if there is one. 1 UpdateItem. */
export async function stopReplay(deps: ReplaysDeps, owner: ReplayOwner): Promise<void> {
  await deps.slots.release(owner.keyId, 'replay', holderOf(owner));
}

function holderOf({ connectionId, bucketId }: Pick<ReplayOwner, 'connectionId' | 'bucketId'>) {
  return `${connectionId} ${bucketId}`;
}
