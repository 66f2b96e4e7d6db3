/**
 * What delivering changes to targets needs from outside, beside core/ports.ts. Like there, every
 * port has an AWS adapter and an in-memory fake that pass one contract suite.
 */
import type { BucketRef } from '../bucket-ref';
import type { Notification } from './notifications';

/** How far a target has been told of a bucket. */
export interface TargetCursor {
  readonly bucket: BucketRef;
  /** The target was told of every number up to this one. */
  readonly cursor: number;
  /** Attempts in a row that the target did not take. */
  readonly failures: number;
}

/** One instance at a time delivers a bucket to a target. */
export interface TargetLease {
  /** Who holds it: a name of this one attempt. */
  readonly holder: string;
  /** When it is over although nobody gave it back. Epoch milliseconds. */
  readonly until: number;
}

export interface Registration {
  /** When the target was seen first. Epoch milliseconds. */
  readonly since: number;
  /** It has a position in each bucket that was there then: in all others it begins at 0. */
  readonly complete: boolean;
}

/** The positions of the targets. A position never moves back. */
export interface TargetCursors {
  /** Notes that the target is there as of `now`, unless that was noted before. */
  register(target: string, now: number): Promise<Registration>;
  completeRegistration(target: string): Promise<void>;
  /** Where the target begins in a bucket; nothing happens when it has a position there. */
  initialize(target: string, bucket: BucketRef, cursor: number): Promise<void>;
  get(target: string, bucketId: string): Promise<TargetCursor | undefined>;
  list(target: string): Promise<readonly TargetCursor[]>;
  /**
   * Takes the lease, and the position 0 where there is none. undefined: at `now` somebody else
   * holds it, or it rests after a failure. A lease that is over may be taken although its holder
   * still works: what it does then is repeated, never lost.
   */
  acquireLease(
    target: string,
    bucket: BucketRef,
    lease: TargetLease & { readonly now: number },
  ): Promise<TargetCursor | undefined>;
  /**
   * Moves the position and prolongs the lease; without `until` gives it back. False: it is not this
   * holder's any more.
   */
  advance(
    target: string,
    bucketId: string,
    step: {
      readonly from: number;
      readonly to: number;
      readonly holder: string;
      readonly until?: number;
    },
  ): Promise<boolean>;
  /**
   * After a failure: gives the lease back, counts, and lets nobody take it before `until`. Nothing
   * when it is not this holder's.
   */
  backOff(target: string, bucketId: string, lease: TargetLease): Promise<void>;
  remove(target: string, bucketId: string): Promise<void>;
}

/** Somebody who is told of changes, outside of this service. */
export interface Target {
  readonly id: string;
  /** Names, or prefixes that end in `*`. */
  readonly buckets: readonly string[];
  /** Where it begins in buckets that were there before it. */
  readonly startFrom: 'now' | 'oldest';
  /** Numbers that one message covers at most: 1-100. */
  readonly maxBatchSize: number;
  /** Milliseconds that a call of `send` may take. */
  readonly timeoutMs: number;
  /**
   * Sends the messages in order. Answers how many of them, counted from the first, have arrived for
   * certain; later ones may have. Throws when it is none.
   */
  send(messages: readonly Notification[]): Promise<number>;
}

/** Buckets to deliver to one target. */
export interface TargetTask {
  readonly target: string;
  /** At most 100. */
  readonly buckets: readonly BucketRef[];
}

/**
 * Work for another instance, so that no target waits for another one. It may get lost: the next
 * round finds what is left.
 */
export interface TargetTasks {
  send(errand: TargetTask): Promise<void>;
}
