/** Objects and versions as JSON responses and changes show them. */
import type { ObjectRecord, ShownObject, ShownTombstone } from './store/objects';

export interface Descriptor {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly version: number;
  readonly cursor: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly content_type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksum_sha256?: string;
  readonly expires_at?: string;
}

export function descriptorOf(object: ShownObject): Descriptor {
  return {
    bucket: object.bucket,
    key: object.key,
    size: object.size,
    etag: object.etag,
    version: object.version,
    cursor: object.cursor,
    created_at: object.createdAt,
    updated_at: object.updatedAt,
    content_type: object.contentType,
    metadata: object.metadata,
    ...(object.checksumSha256 !== undefined && { checksum_sha256: object.checksumSha256 }),
    ...(object.expiresAt !== undefined && { expires_at: object.expiresAt }),
  };
}

/** A deleted object: in the response to DELETE, and in a change. */
export function deletedView({ bucket, key, version, cursor, deletedAt }: ShownTombstone) {
  return { bucket, key, version, cursor, deleted_at: deletedAt };
}

/** A version of an object in the list of its versions. */
export function versionView(record: ObjectRecord) {
  const { version, cursor, by } = record;
  const writer = by !== undefined && { by };
  if (record.state === 'deleted') {
    const cause = record.cause !== undefined && { cause: record.cause };
    return { version, cursor, type: 'delete', at: record.deletedAt, ...cause, ...writer };
  }
  const { size, etag, contentType, updatedAt: at } = record;
  return { version, cursor, type: 'put', at, size, etag, content_type: contentType, ...writer };
}
