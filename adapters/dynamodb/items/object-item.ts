import { dueSlotOf } from '../../../core/objects/expiry';
import type {
  DeletionCause,
  LiveObject,
  ObjectRecord,
  ShownObject,
  ShownRecord,
  ShownTombstone,
  Tombstone,
} from '../../../core/store/objects';
import { type Fields, fromItem, type Item, toItem } from './attributes';

/** A record in the Objects table and, nested, in the Changes table. */
type ObjectFields = LiveFields | TombstoneFields;

type LiveFields = {
  readonly state: 'live';
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly version: number;
  readonly cursor: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly content_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksum_sha256?: string;
  readonly blob: string;
  readonly by?: string;
  /** 1, if it is. */
  readonly is_patched?: number;
  readonly expires_at?: string;
  readonly ancestors: readonly number[];
};

type TombstoneFields = {
  readonly state: 'deleted';
  readonly bucket: string;
  readonly key: string;
  readonly version: number;
  readonly cursor: number;
  readonly deleted_at: string;
  readonly by?: string;
  readonly cause?: DeletionCause;
  readonly ancestors: readonly number[];
};

/** The item of a record in the Objects table. */
export function objectItem(bucketId: string, record: ObjectRecord): Item {
  const due = record.state === 'live' ? dueSlotOf(record) : undefined;
  return toItem({ bucket_id: bucketId, ...objectFields(record), due });
}

export function objectFields(record: ObjectRecord): ObjectFields & Fields {
  const { bucket, key, version, cursor, by, ancestors } = record;
  if (record.state === 'deleted') {
    return {
      state: 'deleted',
      bucket,
      key,
      version,
      cursor,
      by,
      ancestors,
      deleted_at: record.deletedAt,
      cause: record.cause,
    };
  }
  return {
    state: 'live',
    bucket,
    key,
    version,
    cursor,
    by,
    ancestors,
    size: record.size,
    etag: record.etag,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    content_type: record.contentType,
    headers: record.headers,
    metadata: record.metadata,
    checksum_sha256: record.checksumSha256,
    blob: record.blob,
    is_patched: record.isPatched ? 1 : undefined,
    expires_at: record.expiresAt,
  };
}

/**
 * The record in an item, or in a map of one. Reads each attribute by its name: a page has up to
 * 1000 records, and going through `fromItem` took three times as long. Throws when an attribute is
 * missing.
 */
export function objectRecord(item: Item): ObjectRecord {
  return item.state?.S === 'live' ? liveObject(item) : tombstone(item);
}

/** The attributes that `shownRecord` reads. */
export const SHOWN_ATTRIBUTES: readonly string[] = [
  ...['state', 'bucket', 'key', 'size', 'etag', 'version', 'cursor', 'created_at', 'updated_at'],
  ...['content_type', 'metadata', 'checksum_sha256', 'expires_at', 'deleted_at', 'cause'],
];

/** As `objectRecord`, for an item that may have only SHOWN_ATTRIBUTES. */
export function shownRecord(item: Item): ShownRecord {
  return item.state?.S === 'live' ? shownObject(item) : shownTombstone(item);
}

function liveObject(item: Item): LiveObject {
  return {
    ...shownObject(item),
    headers: fromItem(item.headers?.M ?? missing('headers')),
    blob: item.blob?.S ?? missing('blob'),
    ...writerOf(item),
    ...(item.is_patched?.N === '1' && { isPatched: true }),
    ancestors: ancestorsOf(item),
  };
}

function shownObject(item: Item): ShownObject {
  const checksumSha256 = item.checksum_sha256?.S;
  const expiresAt = item.expires_at?.S;
  return {
    state: 'live',
    bucket: item.bucket?.S ?? missing('bucket'),
    key: item.key?.S ?? missing('key'),
    size: Number(item.size?.N ?? missing('size')),
    etag: item.etag?.S ?? missing('etag'),
    version: Number(item.version?.N ?? missing('version')),
    cursor: Number(item.cursor?.N ?? missing('cursor')),
    createdAt: item.created_at?.S ?? missing('created_at'),
    updatedAt: item.updated_at?.S ?? missing('updated_at'),
    contentType: item.content_type?.S ?? missing('content_type'),
    metadata: fromItem(item.metadata?.M ?? missing('metadata')),
    ...(checksumSha256 !== undefined && { checksumSha256 }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function tombstone(item: Item): Tombstone {
  return { ...shownTombstone(item), ...writerOf(item), ancestors: ancestorsOf(item) };
}

function shownTombstone(item: Item): ShownTombstone {
  return {
    state: 'deleted',
    bucket: item.bucket?.S ?? missing('bucket'),
    key: item.key?.S ?? missing('key'),
    version: Number(item.version?.N ?? missing('version')),
    cursor: Number(item.cursor?.N ?? missing('cursor')),
    deletedAt: item.deleted_at?.S ?? missing('deleted_at'),
    ...(item.cause?.S === 'expired' && { cause: 'expired' }),
  };
}

function writerOf({ by }: Item): { readonly by?: string } {
  return by?.S === undefined ? {} : { by: by.S };
}

function ancestorsOf(item: Item): readonly number[] {
  return (item.ancestors?.L ?? missing('ancestors')).map(({ N }) => Number(N));
}

function missing(attribute: string): never {
  throw new Error(`a record has no ${attribute}`);
}
