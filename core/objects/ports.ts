import type { BucketRef } from '../bucket-ref';

/**
 * The storage of buckets, objects and uploads. Each port has two implementations that pass one
 * contract suite (`test/contract`): the AWS adapter below `lambdas/shared` and the in-memory fake
 * in `test/support/fakes`. "Not found" is `undefined`; no SDK type crosses a port. Reads are
 * strongly consistent unless said otherwise.
 */
export interface BucketRecord {
  readonly name: string;
  /** 12 characters of base62. A bucket made again under the same name has another id. */
  readonly id: string;
  /** The last number that was handed out: 0 in a new bucket. */
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** Set while the bucket is being deleted: no new numbers. ISO 8601 UTC. */
  readonly closingAt?: string;
}

/** The slow-moving facts about a bucket, kept apart from its hot counter. */
export interface BucketStats {
  /** Of the life of the bucket that they are about. A record read beside them may be of another. */
  readonly id: string;
  /** The oldest cursor that a follower may still ask for; 1 in a new bucket. */
  readonly oldest: number;
  /**
   * Every entry below this one has been deleted, with the blob that it superseded. 1 <= trimmed <=
   * oldest.
   */
  readonly trimmed: number;
  /** Entries 1..delivered have been counted and pushed. oldest <= delivered + 1. */
  readonly published: number;
  readonly objectCount: number;
  /** Bytes of the current versions. */
  readonly totalSize: number;
}

/**
 * A deleted bucket whose log, tombstones and blobs are still to be removed, once retention has
 * passed.
 */
export interface DeletedBucket {
  readonly name: string;
  readonly id: string;
  readonly cursor: number;
  /** Every entry below this one was deleted before. */
  readonly trimmed: number;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
}

/**
 * A half-open range of UTF-8 byte order (= code point order): from <= name < before. `before`
 * absent = no end.
 */
export interface NameRange {
  readonly from: string;
  readonly before?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** False only when nothing in the range follows the last item. True may be a false alarm. */
  readonly more: boolean;
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
}

/** What the counters lack, counted as of the cursor `asOf`. */
export interface CounterCorrection {
  readonly asOf: number;
  readonly objects: number;
  readonly bytes: number;
}

export interface Buckets {
  get(name: string): Promise<BucketRecord | undefined>;
  stats(name: string): Promise<BucketStats | undefined>;
  /** Records and stats of existing buckets in name order. At most `limit` (1-1000) items. */
  list(range: NameRange, limit: number): Promise<Page<ListedBucket>>;
  /**
   * Creates the record, its stats and its directory entry, and the replay if given, all or nothing.
   */
  create(
    record: BucketRecord,
    replay?: IdempotencyRecord,
  ): Promise<'created' | 'exists' | 'replayed'>;
  /**
   * Hands out the bucket's next number. Not transactional, so it never conflicts.
   * undefined: no open bucket of this name has this id.
   */
  allocate(bucket: BucketRef): Promise<number | undefined>;
  /**
   * Stops the hand-out of numbers; answers the record as it is then. undefined: no bucket of that
   * id. Repeatable.
   */
  close(bucket: BucketRef, at: string): Promise<BucketRecord | undefined>;
  /** Undoes `close`. */
  reopen(bucket: BucketRef): Promise<void>;
  /**
   * Puts a grave in place of a closing bucket's record, stats and directory entry, all or nothing.
   * False: it was not closing or is gone.
   */
  remove(grave: DeletedBucket, replay?: IdempotencyRecord): Promise<boolean>;
  /**
   * Moves `delivered` from `from` to `to` and adds the deltas to the counters, if `delivered` still
   * is `from`. False: someone else moved it.
   */
  movePublished(bucket: BucketRef, step: PublishedStep): Promise<boolean>;
  /** Raises `oldest` (never lowers it). */
  raiseOldest(bucket: BucketRef, oldest: number): Promise<void>;
  /** Raises `trimmed` (never lowers it). */
  raiseTrimmed(bucket: BucketRef, trimmed: number): Promise<void>;
  /**
   * Adds a correction that was counted as of that cursor, unless one of that cursor or a later one
   * was added before: so a repeated call adds nothing.
   */
  correct(bucket: BucketRef, correction: CounterCorrection): Promise<void>;
  deletedBuckets(): Promise<readonly DeletedBucket[]>;
  purge(id: string): Promise<void>;
}

/** What a client may see of an object, plus where its bytes are. */
export interface LiveObject {
  readonly state: 'live';
  readonly bucket: string;
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  readonly version: number;
  readonly cursor: number;
  /** When the key was first created (again, after a delete). ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** When this version was committed. */
  readonly updatedAt: string;
  readonly contentType: string;
  /**
   * Of cache-control, content-disposition, content-encoding, content-language, those that were
   * sent.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256?: string;
  /** The S3 key of the bytes. */
  readonly blob: string;
  /**
   * See core/log/history.ts: ancestors[k] is the cursor of the latest earlier version divisible by
   * 2^k.
   */
  readonly ancestors: readonly number[];
}

/** What stays of a deleted key while its history is retained. */
export interface Tombstone {
  readonly state: 'deleted';
  readonly bucket: string;
  readonly key: string;
  readonly version: number;
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly deletedAt: string;
  readonly ancestors: readonly number[];
}

export type ObjectRecord = LiveObject | Tombstone;

export interface Objects {
  get(bucketId: string, key: string): Promise<ObjectRecord | undefined>;
  /** Of many keys at once, in any order; missing ones are left out. */
  getMany(bucketId: string, keys: readonly string[]): Promise<readonly ObjectRecord[]>;
  /**
   * Records in key order, tombstones included, reading one page of at most `limit` records.
   * May answer fewer than `limit` with `more: true` (1 MB page of DynamoDB).
   */
  list(bucketId: string, range: NameRange, limit: number): Promise<Page<ObjectRecord>>;
  /** Removes a tombstone if it still is the key's record, which its cursor tells for sure. */
  removeTombstone(bucketId: string, key: string, cursor: number): Promise<void>;
}

/** The answer of the first call under an idempotency key; kept 24 hours. */
export interface IdempotencyRecord {
  /** `replay#{api key id}#{Idempotency-Key}`. */
  readonly id: string;
  /** SHA-256 of what makes two requests the same request, base64url. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** A presigned upload: minted, then committed or refused once S3 has reported its blob. */
export interface Upload {
  readonly id: string;
  readonly bucket: string;
  readonly bucketId: string;
  readonly key: string;
  readonly blob: string;
  readonly state: 'pending' | 'committed' | 'refused';
  readonly ifMatch?: string;
  readonly ifNoneMatch?: '*';
  /** Declared size of a multipart upload, bytes. */
  readonly size?: number;
  /** Of a multipart upload: bytes of every part but the last. */
  readonly partSize?: number;
  /** S3's id of a multipart upload. */
  readonly multipartId?: string;
  /** ISO 8601 UTC: when the URL expires. */
  readonly expiresAt: string;
  /** Why it was refused. */
  readonly reason?: string;
  /** Epoch seconds; the row may vanish any time after it. */
  readonly ttl: number;
}

/** One page of a scan. */
export interface ExpiredUploads {
  readonly uploads: readonly Upload[];
  /** Where the next page begins; undefined: the scan is complete. */
  readonly next?: string;
}

export interface Uploads {
  /** Puts the row, and the replay if given, all or nothing. */
  create(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'replayed'>;
  get(id: string): Promise<Upload | undefined>;
  /**
   * Puts the row of a pending upload again, with another expiry. False: it is not pending any more.
   */
  renew(upload: Upload): Promise<boolean>;
  /**
   * pending -> refused; nothing happens in any other state. Answers the state afterwards;
   * undefined: no such row.
   */
  refuse(id: string, reason: string): Promise<Upload['state'] | undefined>;
  /**
   * Pending uploads whose URL expired before `at` (ISO). A scan: for the janitor only. `start`
   * continues an earlier page.
   */
  expired(at: string, start?: string): Promise<ExpiredUploads>;
  /** Puts a replay that no change comes with. False: the idempotency key was used before. */
  saveIdempotencyRecord(record: IdempotencyRecord, now: number): Promise<boolean>;
  /** The replay under that id, if it has not expired at `now` (epoch seconds). */
  getIdempotencyRecord(id: string, now: number): Promise<IdempotencyRecord | undefined>;
}
