/**
 * What notifying targets needs from outside. Each port has an AWS adapter and an in-memory fake
 * that pass one contract suite (`test/contract`).
 */
import type { BucketRef } from '../bucket-ref';
import type { Notification } from './notifications';

/** How far a target has been notified of the changes of one bucket. */
export interface TargetCursor {
  readonly bucket: BucketRef;
  /** The target has accepted every entry up to this cursor. */
  readonly cursor: number;
  /** Failed attempts since the cursor last moved. */
  readonly failures: number;
}

/** Lets one instance at a time notify a target of the changes of one bucket. */
export interface TargetLease {
  /** Id of the attempt that holds the lease. */
  readonly holder: string;
  /** When the lease ends if its holder neither extends nor releases it. Epoch milliseconds. */
  readonly until: number;
}

export interface CursorStep {
  readonly from: number;
  /** At least `from`. */
  readonly to: number;
  readonly holder: string;
  /** The new end of the lease, epoch milliseconds; absent: the lease is released. */
  readonly until?: number;
}

export interface Registration {
  /** When the target was first seen. Epoch milliseconds. */
  readonly since: number;
  /**
   * The target has a cursor in each bucket that existed at `since`. In every other bucket it starts
   * at 0.
   */
  readonly complete: boolean;
}

/** The cursors of the targets. A cursor never moves back. */
export interface TargetCursors {
  /** Records that the target exists since `now`, unless an earlier time is recorded. */
  register(target: string, now: number): Promise<Registration>;
  completeRegistration(target: string): Promise<void>;
  /** Sets the first cursor of the target in a bucket; does nothing if it has one there. */
  initialize(target: string, bucket: BucketRef, cursor: number): Promise<void>;
  get(target: string, bucketId: string): Promise<TargetCursor | undefined>;
  list(target: string): Promise<readonly TargetCursor[]>;
  /**
   * Acquires the lease, and sets the cursor to 0 if the target has none. Returns undefined when at
   * `now` another attempt holds the lease, or the target backs off after a failure. A lease that
   * has ended can be acquired while its holder still works: what that holder then sends is sent
   * twice, and nothing is lost.
   */
  acquireLease(
    target: string,
    bucket: BucketRef,
    lease: TargetLease & { readonly now: number },
  ): Promise<TargetCursor | undefined>;
  /**
   * Moves the cursor, and extends or releases the lease. Returns false when `holder` no longer
   * holds the lease, or the cursor is not at `from`.
   */
  advance(target: string, bucketId: string, step: CursorStep): Promise<boolean>;
  /**
   * Releases the lease after a failure, counts the failure, and refuses every lease before `until`.
   * Does nothing if `holder` does not hold the lease.
   */
  backOff(target: string, bucketId: string, lease: TargetLease): Promise<void>;
  remove(target: string, bucketId: string): Promise<void>;
}

/** A destination outside this service that is notified of changes. */
export interface Target {
  readonly id: string;
  /** Names, or prefixes that end in `*`. */
  readonly buckets: readonly string[];
  /** Where the target starts in buckets that existed before it. */
  readonly startFrom: 'now' | 'oldest';
  /** Log entries that one notification covers at most: 1-100. */
  readonly maxBatchSize: number;
  /** How long a call of `send` may take, milliseconds. */
  readonly timeoutMs: number;
  /**
   * Sends the notifications in order. Returns how many of them, counted from the first, the target
   * has certainly accepted; it may have accepted later ones too. Throws if the first one failed.
   */
  send(notifications: readonly Notification[]): Promise<number>;
}

/** Buckets of whose changes one target is to be notified. */
export interface TargetTask {
  readonly target: string;
  /** At most 100. */
  readonly buckets: readonly BucketRef[];
}

/**
 * Sends tasks to other instances, so that no target waits for another one. A task may get lost: the
 * next sweep finds what is left.
 */
export interface TargetTasks {
  send(task: TargetTask): Promise<void>;
}
