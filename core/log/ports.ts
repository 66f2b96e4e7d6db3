/**
 * The storage of the change log. As with every port, an AWS adapter and a fake pass one contract
 * suite (`test/contract`).
 */
import type { BucketRef } from '../bucket-ref';
import type { ObjectRecord, ShownRecord } from '../store/objects';
import type { IdempotencyRecord } from '../store/uploads';

/** The first and the last cursor of a commit, whose cursors are consecutive. */
export interface CursorRange {
  readonly first: number;
  readonly last: number;
}

/** One entry of a bucket's change log, which never changes. */
export type ChangeEntry<R extends ShownRecord = ObjectRecord> =
  | {
      readonly type: 'put' | 'delete';
      readonly bucket: string;
      readonly cursor: number;
      /** ISO 8601 UTC with milliseconds. */
      readonly at: string;
      /** live for put, deleted for delete. */
      readonly object: R;
      /**
       * The key's record before this change, whole, so that an old version outlives its own entry.
       */
      readonly previous?: R;
      /** Of a commit of several changes. Absent: the change is a commit of its own. */
      readonly commit?: CursorRange;
    }
  | {
      /** No change: fills a cursor whose writer did not use it. */
      readonly type: 'noop';
      readonly bucket: string;
      readonly cursor: number;
      readonly at: string;
    };

/** An entry that changes an object. */
export type OwnEntry<R extends ShownRecord = ObjectRecord> = Exclude<
  ChangeEntry<R>,
  { type: 'noop' }
>;

/** An entry with only the fields that changes show. */
export type ShownEntry = ChangeEntry<ShownRecord>;

export interface ChangeLog {
  get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined>;
  /**
   * The stored entries with after < cursor <= to in cursor order; gaps are left out. Reads the
   * eight shards in parallel. `to - after` is at most 1000.
   */
  read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry[]>;
  /** As `read`, with only the fields that changes show: without `previous`, for example. */
  readShown(bucketId: string, after: number, to: number): Promise<readonly ShownEntry[]>;
  /** Stores a no-op entry unless there is an entry; returns the entry that is stored afterwards. */
  fill(bucketId: string, entry: Extract<ChangeEntry, { type: 'noop' }>): Promise<ChangeEntry>;
  remove(bucketId: string, cursors: readonly number[]): Promise<void>;
}

export interface Change {
  /** The new record; its cursor and version are the change's. */
  readonly object: ObjectRecord;
  /**
   * The record that was read, or undefined when there was none. The commit fails unless this record
   * is still current, which its cursor shows, and its cursor is below the new one.
   */
  readonly previous?: ObjectRecord;
  /** The pending or staged upload that this change commits. */
  readonly uploadId?: string;
}

/** The changes of one transaction. */
export interface Commit {
  readonly bucketId: string;
  /** 1 to LIMITS.commitChanges, of distinct keys, at consecutive cursors. */
  readonly changes: readonly Change[];
  /** The time of the commit, from which its entries age. ISO 8601 UTC with milliseconds. */
  readonly at: string;
  readonly idempotency?: IdempotencyRecord;
  /** 1-36 characters; the same when the same transaction is repeated. */
  readonly token: string;
}

/**
 * `unknown`: the transaction may or may not have happened (timeout, 5xx after retries).
 * The others are certain. More than one rule may have failed: the flags say which.
 */
export type CommitOutcome =
  | { readonly result: 'committed' }
  | {
      readonly result: 'refused';
      /**
       * One of the cursors has this entry already: a gap fill, or this writer's own earlier
       * attempt.
       */
      readonly taken?: ChangeEntry;
      /** A record is no longer `previous`, or its cursor is not below the new one. */
      readonly changed: boolean;
      /** An upload is neither pending nor staged any more. */
      readonly settled: boolean;
      /** Another request has used the idempotency key. */
      readonly isDuplicate: boolean;
      /** DynamoDB throttled a write: the bucket has more changes than its partition takes. */
      readonly isThrottled?: boolean;
    }
  | { readonly result: 'unknown'; readonly cause: unknown };

/** The two steps of a commit: see core/log/commit.ts. */
export interface Commits {
  /**
   * Allocates the bucket's next `count` cursors and returns the first of them, or undefined when no
   * open bucket of this name has this id; or, with `ifCursor`, another cursor was allocated last.
   * An update outside of transactions, so allocations conflict with no other allocation, only with
   * a transaction on the bucket's item.
   */
  allocate(bucket: BucketRef, count?: number, ifCursor?: number): Promise<number | undefined>;
  /** The one transaction of a commit: log entries, records, uploads, idempotency record. */
  commit(commit: Commit): Promise<CommitOutcome>;
}
