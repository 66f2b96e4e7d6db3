import type { LiveObject, ObjectRecord, Tombstone } from '../../../../core/objects/ports';
import type { Fields } from './attributes';

/** A record in the Objects table and, nested, in the Changes table. */
export type ObjectFields = LiveFields | TombstoneFields;

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
  readonly ancestors: readonly number[];
};

type TombstoneFields = {
  readonly state: 'deleted';
  readonly bucket: string;
  readonly key: string;
  readonly version: number;
  readonly cursor: number;
  readonly deleted_at: string;
  readonly ancestors: readonly number[];
};

export function objectFields(record: ObjectRecord): ObjectFields & Fields {
  const { bucket, key, version, cursor, ancestors } = record;
  if (record.state === 'deleted') {
    return {
      state: 'deleted',
      bucket,
      key,
      version,
      cursor,
      ancestors,
      deleted_at: record.deletedAt,
    };
  }
  return {
    state: 'live',
    bucket,
    key,
    version,
    cursor,
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
  };
}

export function objectRecord(fields: ObjectFields): ObjectRecord {
  return fields.state === 'live' ? liveObject(fields) : tombstone(fields);
}

function liveObject(fields: LiveFields): LiveObject {
  return {
    state: 'live',
    bucket: fields.bucket,
    key: fields.key,
    size: fields.size,
    etag: fields.etag,
    version: fields.version,
    cursor: fields.cursor,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    contentType: fields.content_type,
    headers: fields.headers,
    metadata: fields.metadata,
    ...(fields.checksum_sha256 !== undefined && { checksumSha256: fields.checksum_sha256 }),
    blob: fields.blob,
    ancestors: fields.ancestors,
  };
}

function tombstone({ deleted_at, ...fields }: TombstoneFields): Tombstone {
  const { bucket, key, version, cursor, ancestors } = fields;
  return { state: 'deleted', bucket, key, version, cursor, deletedAt: deleted_at, ancestors };
}
