/**
 * The storage of buckets. Each port has two implementations that pass one contract suite
 * (`test/contract`): the AWS adapter in `adapters/` and the in-memory fake in `test/support/fakes`.
 * "Not found" is `undefined`; no SDK type crosses a port. Reads are strongly consistent unless a
 * comment says otherwise.
 */
import type { AuditRecord, KeyHolder } from '../access/ports';
import type { BucketRef } from '../bucket-ref';
import type { NameRange, Page } from '../pages';
import type { IdempotencyRecord } from './uploads';

export interface BucketRecord extends BucketRef {
  /** The cursor that was allocated last; 0 in a new bucket. */
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** Set while the bucket is being deleted: it allocates no cursors. ISO 8601 UTC. */
  readonly closingAt?: string;
  /** Who deletes it. Absent in a bucket that an earlier release was deleting. */
  readonly closingBy?: KeyHolder;
}

/** The digest of a bucket's entries up to a cursor: core/log/digest.ts. */
export interface LogDigest {
  /** Base64. */
  readonly sha256: string;
  /** The cursor after which it covers every entry: 0, unless it began in an old log. */
  readonly since: number;
}

/** The slow-moving facts about a bucket, kept apart from its hot counter. */
export interface BucketStats {
  /** The bucket's id. A record that is read separately may be of another incarnation. */
  readonly id: string;
  /** The cursor of the oldest entry that can be read; 1 in a new bucket. */
  readonly oldest: number;
  /**
   * Every entry below this one has been deleted, with the blob that it superseded. 1 <= trimmed <=
   * oldest.
   */
  readonly trimmed: number;
  /**
   * The published mark: entries 1..published are counted, and pushed to the subscribers that could
   * be reached in time. oldest <= published + 1.
   */
  readonly published: number;
  /**
   * The digest of the log up to the cursor `at`, which is the published mark unless an earlier
   * release or a restore has moved it: core/log/digest.ts.
   */
  readonly digest?: LogDigest & { readonly at: number };
  readonly objectCount: number;
  /** Bytes of the current versions. */
  readonly totalSize: number;
  /** Absent: no instance is pushing the bucket's changes. */
  readonly pushLease?: StoredPushLease;
}

/** Keeps other instances from pushing the same changes of a bucket: core/log/push-lease.ts. */
export interface StoredPushLease {
  readonly holder: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * A deleted bucket whose log, tombstones and blobs are still to be removed, once retention has
 * passed.
 */
export interface DeletedBucket extends BucketRef {
  /** The cursor that was allocated last. */
  readonly cursor: number;
  /** Every entry below this one has been removed. */
  readonly trimmed: number;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
}

/** An existing bucket with its statistics, both of the same incarnation. */
export interface ListedBucket {
  readonly record: BucketRecord;
  readonly stats: BucketStats;
}

/** Moves the published mark from `from` to `to` and adds to the counters. */
export interface PublishedStep {
  readonly from: number;
  readonly to: number;
  readonly objects: number;
  readonly bytes: number;
  /** The digest of the log up to `to`. */
  readonly digest?: LogDigest;
  /**
   * Ends the push lease without comparing its holder. So an instance that stalled until its lease
   * was over may end the lease of its successor. A third one then pushes the same entries again,
   * which clients ignore.
   */
  readonly endsLease?: boolean;
}

/** What the counters lack, counted as of the cursor `asOf`. */
export interface CounterCorrection {
  readonly asOf: number;
  readonly objects: number;
  readonly bytes: number;
}

/** Deletes the objects under a prefix when their version reaches an age in days. */
export interface LifecycleRule {
  /** Empty: every object of the bucket. */
  readonly prefix: string;
  readonly expireAfterDays: number;
}

/** A bucket with lifecycle rules. */
export interface RuledBucket {
  readonly name: string;
  readonly rules: readonly LifecycleRule[];
}

export interface Buckets {
  get(name: string): Promise<BucketRecord | undefined>;
  stats(name: string): Promise<BucketStats | undefined>;
  /** Records and stats of existing buckets in name order. At most `limit` (1-1000) items. */
  list(range: NameRange, limit: number): Promise<Page<ListedBucket>>;
  /**
   * Creates the record, its statistics and its directory entry, and saves the idempotency record if
   * given, all or nothing.
   */
  create(
    record: BucketRecord,
    idempotency?: IdempotencyRecord,
  ): Promise<'created' | 'exists' | 'duplicate'>;
  /**
   * Stops the allocation of cursors and returns the record as it is then, or undefined when no
   * bucket of this name has this id. Repeatable; without `by`, who closed it before stays known.
   */
  close(bucket: BucketRef, at: string, by?: KeyHolder): Promise<BucketRecord | undefined>;
  /** Undoes `close`. */
  reopen(bucket: BucketRef): Promise<void>;
  /**
   * Replaces a closing bucket's record, statistics and directory entry by the record of a deleted
   * bucket and an audit record, all or nothing. Returns false when the bucket was not closing, or
   * is gone.
   */
  remove(
    deleted: DeletedBucket,
    saved?: { readonly idempotency?: IdempotencyRecord; readonly audit?: AuditRecord },
  ): Promise<boolean>;
  /**
   * Moves the published mark and adds to the counters, if the mark still is at `from`. Returns
   * false when another instance has moved it.
   */
  movePublished(bucket: BucketRef, step: PublishedStep): Promise<boolean>;
  /**
   * Takes the push lease, if the published mark still is at `published` and no other holder has a
   * valid lease at `now`.
   */
  acquirePushLease(
    bucket: BucketRef,
    lease: StoredPushLease & { readonly now: number; readonly published: number },
  ): Promise<boolean>;
  /**
   * Sets the end of the holder's lease. Returns false when another holder has taken it, or it was
   * ended.
   */
  extendPushLease(bucket: BucketRef, lease: StoredPushLease): Promise<boolean>;
  /** Raises `oldest` (never lowers it). */
  raiseOldest(bucket: BucketRef, oldest: number): Promise<void>;
  /** Raises `trimmed` (never lowers it). */
  raiseTrimmed(bucket: BucketRef, trimmed: number): Promise<void>;
  /**
   * Adds a correction to the counters, unless one as of the same or a later cursor was added
   * before: so a repeated call adds nothing.
   */
  correct(bucket: BucketRef, correction: CounterCorrection): Promise<void>;
  /** Empty for a bucket without rules, and when there is no such bucket. */
  lifecycle(name: string): Promise<readonly LifecycleRule[]>;
  /**
   * Replaces the rules of the bucket, and saves the idempotency record if given, all or nothing.
   * `at`: ISO 8601 UTC.
   */
  setLifecycle(
    bucket: RuledBucket,
    at: string,
    idempotency?: IdempotencyRecord,
  ): Promise<'set' | 'missing' | 'duplicate'>;
  /** The first bucket with rules whose name is `from` or follows it. */
  nextWithLifecycle(from: string): Promise<RuledBucket | undefined>;
  deletedBuckets(): Promise<readonly DeletedBucket[]>;
  purge(id: string): Promise<void>;
}
