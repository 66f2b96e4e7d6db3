/**
 * Records for the contract suites. Every name is new, so that tests share tables without meeting.
 */
import { randomBytes } from 'node:crypto';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import type { ApiKeyRecord } from '../../core/access/ports';
import type { Change, Commit } from '../../core/log/ports';
import type { BucketRecord } from '../../core/store/buckets';
import type { LiveObject, ObjectRecord, Tombstone } from '../../core/store/objects';
import type { IdempotencyRecord, Upload } from '../../core/store/uploads';

export const AT = '2026-01-01T00:00:00.000Z';
export const LATER = '2026-01-01T00:00:05.250Z';
/** Epoch seconds of AT. */
export const NOW = Date.parse(AT) / 1000;

export function newName(prefix = 'n'): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`;
}

export function newBucket(overrides: Partial<BucketRecord> = {}): BucketRecord {
  return { name: newName('photos'), id: newName('id'), cursor: 0, createdAt: AT, ...overrides };
}

export function liveObject(overrides: Partial<LiveObject> = {}): LiveObject {
  return {
    state: 'live',
    bucket: 'photos',
    key: 'a/b.txt',
    size: 5,
    etag: '5d41402abc4b2a76b9719d911017c592',
    version: 1,
    cursor: 1,
    createdAt: AT,
    updatedAt: AT,
    contentType: 'text/plain; charset=utf-8',
    headers: { 'cache-control': 'max-age=60' },
    metadata: { colour: 'blue', empty: '', emoji: '😀' },
    checksumSha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    blob: 'objects/photos.id/a/b.txt/01KDVDNA000000000000000001',
    ancestors: [],
    ...overrides,
  };
}

export function tombstone(overrides: Partial<Tombstone> = {}): Tombstone {
  return {
    state: 'deleted',
    bucket: 'photos',
    key: 'a/b.txt',
    version: 2,
    cursor: 2,
    deletedAt: LATER,
    ancestors: [1],
    ...overrides,
  };
}

/** A commit of one change. */
export function change(
  bucketId: string,
  object: ObjectRecord,
  overrides: Partial<Change & Commit> = {},
): Commit {
  const { previous, uploadId, ...rest } = overrides;
  const at = object.state === 'live' ? object.updatedAt : object.deletedAt;
  const changes = [{ object, previous, uploadId }];
  return { bucketId, changes, at, token: newName('token'), ...rest };
}

export function newIdempotencyRecord(
  overrides: Partial<IdempotencyRecord> = {},
): IdempotencyRecord {
  return {
    id: `replay#${newName('key')}`,
    fingerprint: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
    status: 201,
    headers: { etag: '"abc"' },
    body: '{"name":"photos"}',
    expiresAt: NOW + 24 * 3600,
    ...overrides,
  };
}

export function newKey(overrides: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const id = newName('key');
  const permissions = ALL_PERMISSIONS;
  return { id, name: 'k', secretHash: '0'.repeat(64), permissions, createdAt: AT, ...overrides };
}

export function newUpload(overrides: Partial<Upload> = {}): Upload {
  const id = newName('upload');
  return {
    id,
    bucket: 'photos',
    bucketId: 'id',
    key: 'a/b.txt',
    blob: `uploads/photos.id/a/b.txt/${id}`,
    state: 'pending',
    expiresAt: LATER,
    ttl: NOW + 7 * 24 * 3600,
    ...overrides,
  };
}
