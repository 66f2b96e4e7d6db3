/** Buckets and objects as the interface shows them, and the headers that describe an object. */

import { lifecycleView } from '../buckets/lifecycle';
import { ServiceError } from '../errors';
import { privateCacheControl } from '../http/cache-control';
import { reprDigest } from '../http/digests';
import { INERT_HEADERS } from '../http/inert';
import type { PresignedRequest } from '../store/blobs';
import type {
  BucketRecord,
  BucketStats,
  LifecycleRule,
  LiveObject,
  ObjectRecord,
  ShownObject,
  ShownTombstone,
} from '../store/ports';
import { EXPIRES_AT_HEADER } from './expiry';

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

/** The record if the object exists; undefined when there is none or a tombstone. */
export function liveOf(record: ObjectRecord | undefined): LiveObject | undefined {
  return record?.state === 'live' ? record : undefined;
}

export function objectNotFound(bucket: string, key: string): ServiceError {
  return new ServiceError('not_found', {
    message: 'there is no object under this key',
    details: { bucket, key },
  });
}

/** 404 for a version of the key whose newest record is `newest`. */
export function versionNotFound({ bucket, key, version }: ObjectRecord, wanted: number) {
  const message =
    wanted > version
      ? `${key} has no version ${wanted}; the newest is ${version}`
      : `version ${wanted} of ${key} is no longer kept, or was a delete; the newest is ${version}`;
  return new ServiceError('not_found', {
    message,
    details: { bucket, key, version: wanted, newest: version },
  });
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

/** A signed URL of an object, as POST /signed-url and GET with `redirect=false` return it. */
export function signedDownload(object: LiveObject, { url, headers, expiresAt }: PresignedRequest) {
  const { bucket, key, version, size, etag } = object;
  return { url, method: 'GET', headers, expires_at: expiresAt, bucket, key, version, size, etag };
}

/** How a signed URL serves an object whose patch S3 does not know. Otherwise S3 has its headers. */
export function servedAs({ isPatched, contentType, headers }: LiveObject) {
  if (!isPatched) return {};
  return {
    contentType,
    cacheControl: headers['cache-control'],
    contentDisposition: headers['content-disposition'],
    contentEncoding: headers['content-encoding'],
    contentLanguage: headers['content-language'],
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

export type Counters = Pick<BucketStats, 'objectCount' | 'totalSize'>;

export const NO_OBJECTS: Counters = { objectCount: 0, totalSize: 0 };

/**
 * `rules`: none where they are not read. `cursor`: a subscription from there on misses nothing.
 * `counters`: absent for a caller who may not see them.
 */
export function bucketView(
  record: BucketRecord,
  cursor: number,
  counters?: Counters,
  rules: readonly LifecycleRule[] = [],
) {
  return {
    name: record.name,
    bucket_id: record.id,
    created_at: record.createdAt,
    cursor,
    ...(counters && { object_count: counters.objectCount, total_size: counters.totalSize }),
    ...(rules.length > 0 && { lifecycle: lifecycleView(rules) }),
  };
}

/** Validators and cursor: on 200, 206, 304 and on the response to a write. */
export function validatorHeaders(object: LiveObject): Record<string, string> {
  return {
    ETag: `"${object.etag}"`,
    'Last-Modified': new Date(object.updatedAt).toUTCString(),
    'x-object-version': String(object.version),
    'x-object-cursor': String(object.cursor),
  };
}

/** What caches need of a 200, a 206 and a 304: the response is for the caller of this key only. */
export function cacheHeaders({ headers }: LiveObject): Record<string, string> {
  return {
    'Cache-Control': privateCacheControl(headers['cache-control']),
    // A page of another origin needs the headers of its own request (fetch.spec.whatwg.org, CORS).
    Vary: 'Authorization, Origin',
  };
}

/** All headers of GET and HEAD about an object, except the length of the body. */
export function objectHeaders(object: LiveObject): Record<string, string> {
  const { 'cache-control': _, ...stored } = object.headers;
  const headers: Record<string, string> = {
    ...validatorHeaders(object),
    ...cacheHeaders(object),
    'Accept-Ranges': 'bytes',
    'Content-Type': object.contentType,
    // API Gateway need not return Content-Length, least of all to HEAD.
    'x-object-size': String(object.size),
    // The bytes come from any writer.
    ...INERT_HEADERS,
    ...stored,
  };
  for (const [name, value] of Object.entries(object.metadata))
    headers[`x-object-meta-${name}`] = value;
  if (object.expiresAt !== undefined) headers[EXPIRES_AT_HEADER] = object.expiresAt;
  if (object.checksumSha256 !== undefined)
    headers['Repr-Digest'] = reprDigest(object.checksumSha256);
  return headers;
}
