/** The storage of object records, with the rules of `./buckets` for all ports. */
import type { NameRange, Page } from '../pages';

/** An object as lists and changes show it. */
export interface ShownObject {
  readonly state: 'live';
  readonly bucket: string;
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  readonly version: number;
  readonly cursor: number;
  /** When the key was created, or created again after a delete. ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** When this version was committed, in the same format. */
  readonly updatedAt: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256?: string;
  /** When the service deletes the object: ISO 8601 UTC with milliseconds. Absent: never. */
  readonly expiresAt?: string;
}

/** An object as a client sees it, and where its bytes are. */
export interface LiveObject extends ShownObject {
  /**
   * Those of cache-control, content-disposition, content-encoding and content-language that were
   * sent.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The S3 key of the bytes. */
  readonly blob: string;
  /** Who made the change: `keyId` of the caller. Absent: unknown. */
  readonly by?: string;
  /**
   * Whether S3 holds other content headers with the bytes: a patch has changed them since, or the
   * uploader sent more than was asked for.
   */
  readonly isPatched?: boolean;
  /**
   * See core/log/history.ts: ancestors[k] is the cursor of the latest earlier version divisible by
   * 2^k.
   */
  readonly ancestors: readonly number[];
}

/** `expired`: the time that the object or a rule of its bucket names. */
export type DeletionCause = 'expired';

/** A deleted key as changes show it. */
export interface ShownTombstone {
  readonly state: 'deleted';
  readonly bucket: string;
  readonly key: string;
  readonly version: number;
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly deletedAt: string;
  /** Why the service deleted the object by itself. Absent: a client deleted it. */
  readonly cause?: DeletionCause;
}

/** The record of a deleted key, as long as its history is retained. */
export interface Tombstone extends ShownTombstone {
  /** The author of the deletion, as in a live object. */
  readonly by?: string;
  readonly ancestors: readonly number[];
}

export type ObjectRecord = LiveObject | Tombstone;

/** A record with only the fields that lists and changes show. */
export type ShownRecord = ShownObject | ShownTombstone;

/** An object that expires, as an index shows it: see core/objects/expiry.ts. */
export interface DueObject {
  readonly bucketId: string;
  readonly key: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly expiresAt: string;
}

export interface Objects {
  get(bucketId: string, key: string): Promise<ObjectRecord | undefined>;
  /** The records of many keys, in any order; missing ones are left out. */
  getMany(bucketId: string, keys: readonly string[]): Promise<readonly ObjectRecord[]>;
  /**
   * Records in key order, tombstones included, reading one page of at most `limit` records.
   * May return fewer than `limit` with `more: true` (1 MB page of DynamoDB).
   */
  list(bucketId: string, range: NameRange, limit: number): Promise<Page<ObjectRecord>>;
  /** As `list`, with only the fields that lists show. */
  listShown(bucketId: string, range: NameRange, limit: number): Promise<Page<ShownRecord>>;
  /**
   * At most `limit` objects of the slot (core/objects/expiry.ts) that expire at `until` or before,
   * the earliest first, behind `after`. Eventually consistent: an object may be missing for
   * seconds after its commit, and one that was changed may still be shown.
   */
  due(slot: string, until: string, limit: number, after?: DueObject): Promise<Page<DueObject>>;
  /** Removes a tombstone if it still is the key's record, which has the tombstone's cursor. */
  removeTombstone(bucketId: string, key: string, cursor: number): Promise<void>;
}

/** Returns the record of an existing object; undefined for a tombstone or no record. */
export function liveOf(record: ObjectRecord | undefined): LiveObject | undefined {
  return record?.state === 'live' ? record : undefined;
}
