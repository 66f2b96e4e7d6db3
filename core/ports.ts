/**
 * What the domain needs from outside. Each port has two implementations that pass one contract suite
 * (`test/contract`): the AWS adapter in `lambdas/adapters` and the in-memory fake in `test/support/fakes`.
 * "Not found" is `undefined`; no SDK type crosses a port. Reads are strongly consistent unless said otherwise.
 */
import type { Readable } from 'node:stream';
import type { Rate, RateClass } from './limits';

/** Milliseconds since the epoch, and a way to wait. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Unique, unguessable names. */
export interface Ids {
  /** 12 characters of base62: names one life of a bucket. */
  bucketId(): string;
  /** 26 characters, sorted by time (ULID): names a blob, an upload, a transaction. */
  ulid(): string;
}

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
  /** Every entry below this one has been deleted, with the blob that it superseded. 1 <= trimmed <= oldest. */
  readonly trimmed: number;
  /** Entries 1..delivered have been counted and pushed. oldest <= delivered + 1. */
  readonly delivered: number;
  readonly objectCount: number;
  /** Bytes of the current versions. */
  readonly totalSize: number;
}

/** A deleted bucket whose log, tombstones and blobs are still to be removed, once retention has passed. */
export interface Grave {
  readonly name: string;
  readonly id: string;
  readonly cursor: number;
  /** Every entry below this one was deleted before. */
  readonly trimmed: number;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
}

/** A half-open range of UTF-8 byte order (= code point order): from <= name < before. `before` absent = no end. */
export interface NameRange {
  readonly from: string;
  readonly before?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** False only when nothing in the range follows the last item. True may be a false alarm. */
  readonly more: boolean;
}

export interface Buckets {
  get(name: string): Promise<BucketRecord | undefined>;
  stats(name: string): Promise<BucketStats | undefined>;
  /** Records and stats of existing buckets in name order. At most `limit` (1-1000) items. */
  list(
    range: NameRange,
    limit: number,
  ): Promise<Page<{ readonly record: BucketRecord; readonly stats: BucketStats }>>;
  /** Creates the record, its stats and its directory entry, and the replay if given, all or nothing. */
  create(record: BucketRecord, replay?: Replay): Promise<'created' | 'exists' | 'replayed'>;
  /**
   * Hands out the bucket's next number. Not transactional, so it never conflicts.
   * undefined: no open bucket of this name has this id.
   */
  allocate(name: string, id: string): Promise<number | undefined>;
  /** Stops the hand-out of numbers; answers the record as it is then. undefined: no bucket of that id. Repeatable. */
  close(name: string, id: string, at: string): Promise<BucketRecord | undefined>;
  /** Undoes `close`. */
  reopen(name: string, id: string): Promise<void>;
  /** Puts a grave in place of a closing bucket's record, stats and directory entry, all or nothing. False: it was not closing or is gone. */
  remove(grave: Grave, replay?: Replay): Promise<boolean>;
  /**
   * Moves `delivered` from `from` to `to` and adds the deltas to the counters, if `delivered` still is `from`.
   * False: someone else moved it.
   */
  advance(
    name: string,
    id: string,
    step: {
      readonly from: number;
      readonly to: number;
      readonly objects: number;
      readonly bytes: number;
    },
  ): Promise<boolean>;
  /** Raises `oldest` (never lowers it). */
  raiseOldest(name: string, id: string, oldest: number): Promise<void>;
  /** Raises `trimmed` (never lowers it). */
  raiseTrimmed(name: string, id: string, trimmed: number): Promise<void>;
  /**
   * Adds a correction that was counted as of that cursor, unless one of that cursor or a later one was added before:
   * so a repeated call adds nothing.
   */
  correct(
    name: string,
    id: string,
    correction: { readonly asOf: number; readonly objects: number; readonly bytes: number },
  ): Promise<void>;
  graves(): Promise<readonly Grave[]>;
  bury(id: string): Promise<void>;
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
  /** Of cache-control, content-disposition, content-encoding, content-language, those that were sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256?: string;
  /** The S3 key of the bytes. */
  readonly blob: string;
  /** See core/history.ts: ancestors[k] is the cursor of the latest earlier version divisible by 2^k. */
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
  forget(bucketId: string, key: string, cursor: number): Promise<void>;
}

/** One number of a bucket's change log. An entry never changes. */
export type ChangeEntry =
  | {
      readonly type: 'put' | 'delete';
      readonly bucket: string;
      readonly cursor: number;
      /** ISO 8601 UTC with milliseconds. */
      readonly at: string;
      /** live for put, deleted for delete. */
      readonly object: ObjectRecord;
      /** The key's record before this change, whole, so that an old version outlives its own entry. */
      readonly previous?: ObjectRecord;
    }
  | {
      readonly type: 'void';
      readonly bucket: string;
      readonly cursor: number;
      readonly at: string;
    };

export interface ChangeLog {
  get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined>;
  /**
   * The stored entries with after < cursor <= to in cursor order; holes are simply missing.
   * Reads the eight shards in parallel. `to - after` is at most 1000; longer ranges are the caller's loop.
   */
  read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry[]>;
  /** Puts a void there if nothing is; answers what is there afterwards. */
  fill(bucketId: string, entry: Extract<ChangeEntry, { type: 'void' }>): Promise<ChangeEntry>;
  remove(bucketId: string, cursors: readonly number[]): Promise<void>;
}

/** The answer of the first call under an idempotency key; kept 24 hours. */
export interface Replay {
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

export interface Uploads {
  /** Puts the row, and the replay if given, all or nothing. */
  create(upload: Upload, replay?: Replay): Promise<'created' | 'replayed'>;
  get(id: string): Promise<Upload | undefined>;
  /** Puts the row of a pending upload again, with another expiry. False: it is not pending any more. */
  renew(upload: Upload): Promise<boolean>;
  /** pending -> refused; nothing happens in any other state. Answers the state afterwards; undefined: no such row. */
  refuse(id: string, reason: string): Promise<Upload['state'] | undefined>;
  /** Pending uploads whose URL expired before `at` (ISO). A scan: for the janitor only. `start` continues an earlier page. */
  expired(
    at: string,
    start?: string,
  ): Promise<{ readonly uploads: readonly Upload[]; readonly next?: string }>;
  /** Puts a replay that no change comes with. False: the idempotency key was used before. */
  remember(replay: Replay, now: number): Promise<boolean>;
  /** The replay under that id, if it has not expired at `now` (epoch seconds). */
  replay(id: string, now: number): Promise<Replay | undefined>;
}

export interface Change {
  readonly bucketId: string;
  /** The new record; its cursor and version are the change's. */
  readonly object: ObjectRecord;
  /** When it is committed, of which the entry's age is counted. ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** The record that was read; undefined = there was none. The commit fails unless that very record, told by its cursor, is still current, and its cursor is below the new one. */
  readonly previous?: ObjectRecord;
  /** The pending upload that this change commits. */
  readonly uploadId?: string;
  readonly replay?: Replay;
  /** 1-36 characters; the same for a repeated attempt of the very same transaction. */
  readonly token: string;
}

/**
 * `unknown`: the transaction may or may not have happened (time-out, 5xx after retries).
 * The others are certain. More than one rule may have failed: the flags say which.
 */
export type CommitOutcome =
  | { readonly result: 'committed' }
  | {
      readonly result: 'refused';
      /** The number was taken by this entry (a fence's void, or our own earlier attempt). */
      readonly taken?: ChangeEntry;
      /** The record is no longer `previous`, or its cursor is not below ours. */
      readonly changed: boolean;
      /** The upload is not pending. */
      readonly settled: boolean;
      /** The idempotency key was used meanwhile. */
      readonly replayed: boolean;
    }
  | { readonly result: 'unknown'; readonly cause: unknown };

export interface Commits {
  /** The one transaction that makes a change: log entry, record, upload row, replay. */
  commit(change: Change): Promise<CommitOutcome>;
}

export interface BlobProperties {
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  readonly contentType?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256?: string;
  /** ISO 8601 UTC. */
  readonly lastModified: string;
}

export interface BlobRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

export interface PresignedRequest {
  readonly url: string;
  /** What the client must send, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601 UTC: the earlier of the asked-for expiry and that of the signing credentials. */
  readonly expiresAt: string;
}

/** Write-once bytes in S3. */
export interface Blobs {
  /** Stores bytes under a key that was never used. Throws when S3 refuses the checksum. Answers S3's etag, unquoted. */
  put(
    blob: string,
    body: Uint8Array,
    properties: {
      readonly contentType: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly metadata: Readonly<Record<string, string>>;
      readonly checksumSha256: string;
    },
  ): Promise<{ readonly etag: string }>;
  /** undefined: no such blob. */
  get(blob: string, range?: BlobRange): Promise<Readable | undefined>;
  head(blob: string): Promise<BlobProperties | undefined>;
  /** Removes blobs; one that does not exist is no error. At most 1000. */
  remove(blobs: readonly string[]): Promise<void>;
  /** In key order, at most 1000, after `startAfter`. */
  list(
    prefix: string,
    startAfter?: string,
  ): Promise<Page<{ readonly blob: string; readonly size: number; readonly lastModified: string }>>;
  presignGet(
    blob: string,
    options: {
      readonly expiresIn: number;
      readonly contentDisposition?: string;
      readonly cacheControl?: string;
    },
  ): Promise<PresignedRequest>;
  /** Signs If-None-Match: * always, and each of the options that is given, as headers the client must send. */
  presignPut(
    blob: string,
    options: {
      readonly expiresIn: number;
      readonly contentType?: string;
      readonly contentLength?: number;
      readonly checksumSha256?: string;
    },
  ): Promise<PresignedRequest>;
  /** Starts a multipart upload; answers S3's upload id. */
  createMultipart(blob: string, options: { readonly contentType?: string }): Promise<string>;
  presignPart(
    blob: string,
    multipartId: string,
    part: number,
    expiresIn: number,
  ): Promise<PresignedRequest>;
  /** Signs If-None-Match: * too. */
  presignComplete(blob: string, multipartId: string, expiresIn: number): Promise<PresignedRequest>;
  presignAbort(blob: string, multipartId: string, expiresIn: number): Promise<PresignedRequest>;
  abortMultipart(blob: string, multipartId: string): Promise<void>;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  /** Who made it; absent for keys that were made with the operator's own credentials. */
  readonly createdBy?: string;
  readonly revokedBy?: string;
  /** Name of the rate tier; absent: `default`. */
  readonly tier?: string;
  /** How often the secret was replaced; absent: never. */
  readonly generation?: number;
  /** The replaced secret, SHA-256 in hex, which still opens until `previousUntil`. */
  readonly previousSecretHash?: string;
  /** ISO 8601 UTC. */
  readonly previousUntil?: string;
  /** Made for one visit of the dashboard: not listed, and removed after its expiry. */
  readonly kind?: 'session';
  /** How often the record was changed; absent: never. Guards every change. */
  readonly revision?: number;
}

export type Action =
  | 'read'
  | 'write'
  | 'delete'
  | 'list'
  | 'sync'
  | 'sign'
  | 'create_bucket'
  | 'delete_bucket';

export interface Permission {
  /** Names, or prefixes that end in `*`. */
  readonly buckets: readonly string[];
  /** Keys must begin with this. */
  readonly prefix?: string;
  readonly actions: readonly Action[];
}

export interface ApiKeys {
  get(id: string): Promise<ApiKeyRecord | undefined>;
}

/** Requests by class; `limited`: those that were refused with 429. Absent = 0. */
export type UsageCounts = Readonly<Partial<Record<RateClass | 'limited', number>>>;

/** What a function instance asks of a key's bucket of one class. */
export interface LeaseAsk {
  readonly class: RateClass;
  readonly rate: Rate;
  /** At least 1. */
  readonly want: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Changes of the key that were marked before this are known. Epoch milliseconds. */
  readonly knows: number;
  /** Added to the counts of the present hour, if any token is granted. */
  readonly counts: UsageCounts;
  /** What the instance saw last of the bucket: saves a call when it still holds. Epoch microseconds. */
  readonly full?: number;
}

/** `full`: when the bucket will be full again (GCRA's theoretical arrival time), epoch microseconds. */
export type Lease =
  | { readonly result: 'granted'; readonly tokens: number; readonly full: number }
  /** There is no token at the moment. */
  | { readonly result: 'refused'; readonly full: number }
  /** The key was changed: read it. */
  | { readonly result: 'outdated'; readonly changedAt: number };

/** The last use of a key. */
export interface KeyUse {
  /** The beginning of that hour. ISO 8601 UTC. */
  readonly lastUsedAt: string;
  /** Of that hour. */
  readonly counts: UsageCounts;
}

export interface HourUsage {
  /** Its beginning. ISO 8601 UTC. */
  readonly hour: string;
  readonly counts: UsageCounts;
}

/** The rate limits of the API keys, and what is counted of their use. */
export interface Rates {
  /** Takes up to `want` tokens out of the bucket, at least one. Atomic. */
  lease(keyId: string, ask: LeaseAsk): Promise<Lease>;
  /** Whatever was read of the key before `at` (epoch milliseconds) is out of date. Never moves back. */
  changed(keyId: string, at: number): Promise<void>;
  /** The last use of each of at most 100 keys; those that were never used are left out. */
  uses(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>>;
  /** What is counted of the hours of these days (`2026-11-20`, at most 90), in order; hours without use are left out. */
  usage(keyId: string, days: readonly string[]): Promise<readonly HourUsage[]>;
}

/** Where a long walk of the janitor left off, so that the next run goes on there. Also the service's own secret. */
export interface ServiceState {
  load(name: string): Promise<string | undefined>;
  save(name: string, value: string): Promise<void>;
  /** The value under that name; the first caller's `initial` stays for ever. */
  once(name: string, initial: string): Promise<string>;
}

/** What is counted while the domain works: docs/operations.md, "Metrics". */
export type Measure =
  | 'Throttles'
  | 'CommitRetries'
  | 'Fences'
  | 'FeedLag'
  | 'PushFailures'
  | 'OrphanBytes';

/** Tells whoever runs the service how it goes. Never given a name that a client chose. */
export interface Meter {
  /** Adds to what the present invocation reports. `of` says which, where a measure is told apart: one of a few, known when the stack was made. */
  add(measure: Measure, amount: number, of?: string): void;
}

/** One JSON line per event. Never given a secret or a signed URL. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}
