/**
 * The lease under which an instance pushes the changes of a bucket. A stream has several shards, so
 * several instances of fanout are invoked for one bucket at once, and each would push the same run
 * to every subscriber. The lease saves these copies and nothing else: order and completeness rest
 * on the published mark, which moves by compare-and-set.
 */

import type { BucketRef } from '../bucket-ref';
import type { BucketStats, Buckets } from '../store/buckets';
import type { Clock } from '../system';

/** How long a dead holder keeps others from pushing. */
export const PUSH_LEASE_MS = 5_000;

/**
 * When the holder extends its lease: this long after it took or last extended it. The holder checks
 * between two posts. The 3 seconds that are then left of the lease outlast one post and the call
 * that extends it.
 */
const EXTEND_AFTER_MS = 2_000;

export interface PushLeaseDeps {
  readonly buckets: Pick<Buckets, 'acquirePushLease' | 'extendPushLease'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Reports whether a lease with that end keeps other instances from pushing. An end further ahead
 * than `latestEnd` comes from an instance whose clock is wrong: such a lease is ignored.
 */
export function isPushLeaseValid(until: number, now: number): boolean {
  return until >= now && until <= latestEnd(now);
}

/** The latest end that a valid lease can have: twice its length allows for clocks that differ. */
export function latestEnd(now: number): number {
  return now + 2 * PUSH_LEASE_MS;
}

/** The lease as one instance sees it, for one bucket at a time. */
export class PushLease {
  private held: { readonly bucket: BucketRef; readonly since: number } | undefined;
  private extending: Promise<boolean> | undefined;
  private lost = false;

  constructor(
    private readonly deps: PushLeaseDeps,
    /** Names the instance, which pushes the changes of one bucket at a time. */
    readonly holder: string,
  ) {}

  /** Another instance is pushing, or has pushed, what this one was about to push. */
  get isLost(): boolean {
    return this.lost;
  }

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  /** Reports whether another instance is pushing the bucket's changes. AWS calls: none. */
  isHeldByAnother({ pushLease }: BucketStats): boolean {
    if (pushLease === undefined || pushLease.holder === this.holder) return false;
    return isPushLeaseValid(pushLease.until, this.deps.clock.now());
  }

  /**
   * Takes the lease to push what follows `published`. Returns false when another instance has the
   * lease, or has moved the published mark. AWS calls: 1 UpdateItem.
   */
  async acquire(bucket: BucketRef, published: number): Promise<boolean> {
    const now = this.deps.clock.now();
    const lease = { holder: this.holder, until: now + PUSH_LEASE_MS, now, published };
    const isAcquired = await this.deps.buckets.acquirePushLease(bucket, lease);
    this.held = isAcquired ? { bucket, since: now } : undefined;
    this.lost = !isAcquired;
    return isAcquired;
  }

  /**
   * Reports whether the instance may continue to push. Extends the lease in time. AWS calls: 1
   * UpdateItem each two seconds.
   */
  async keep(): Promise<boolean> {
    const now = this.deps.clock.now();
    if (this.held === undefined || now < this.held.since + EXTEND_AFTER_MS) return !this.lost;
    this.extending ??= this.extend(this.held.bucket, now).finally(() => {
      this.extending = undefined;
    });
    return this.extending;
  }

  /** Ends a lease that no move of the published mark has ended. AWS calls: 1 UpdateItem if held. */
  async release(): Promise<void> {
    const bucket = this.held?.bucket;
    this.ended();
    const lease = { holder: this.holder, until: 0 };
    if (bucket) await this.deps.buckets.extendPushLease(bucket, lease);
  }

  /** The move of the published mark has ended the lease. */
  ended(): void {
    this.held = undefined;
    this.lost = false;
  }

  private async extend(bucket: BucketRef, now: number): Promise<boolean> {
    const lease = { holder: this.holder, until: now + PUSH_LEASE_MS };
    const isExtended = await this.deps.buckets.extendPushLease(bucket, lease);
    this.held = isExtended ? { bucket, since: now } : undefined;
    this.lost = !isExtended;
    return isExtended;
  }
}
