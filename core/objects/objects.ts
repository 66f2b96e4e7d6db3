/** Writes and deletes objects: first the blob, then the commit. */
import { type BucketRef, StaleBucketRef } from '../bucket-ref';
import type { BucketIds } from '../buckets/bucket-ids';
import {
  type CommitDeps,
  type CommitPosition,
  type Committed,
  commitChange,
  type Intent,
  isCertainRefusal,
} from '../log/commit';
import { objectNotFound } from '../not-found';
import type { Blobs } from '../store/blobs';
import type { LiveObject, ObjectRecord, Tombstone } from '../store/objects';
import { liveOf } from '../store/objects';
import { blobName } from './blob-names';

export interface WriteDeps extends CommitDeps {
  readonly bucketIds: BucketIds;
  readonly blobs: Pick<Blobs, 'put' | 'remove'>;
}

export interface ObjectName {
  /** The name of the bucket. */
  readonly bucket: string;
  readonly key: string;
}

export interface WriteOptions {
  /** Throws precondition_failed when the request's conditions do not hold for that record. */
  readonly conditions: (current: LiveObject | undefined) => void;
  /** True when the conditions can fail: then they are checked before any byte is stored. */
  readonly conditional: boolean;
  /** Makes the record to save under the request's idempotency key. */
  readonly idempotency?: Intent['idempotencyRecordFor'];
  /** Who makes the change: `keyId` of the caller. */
  readonly by?: string;
}

export interface NewContent {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256: string;
  /** As of a live object. */
  readonly expiresAt?: string;
}

/**
 * Stores an object. AWS calls: PutObject and GetItem in parallel (GetItem first when conditional),
 * UpdateItem, TransactWriteItems; +1 GetItem when the bucket's id is not cached.
 */
export function putObject(
  deps: WriteDeps,
  { bucket: bucketName, key }: ObjectName,
  content: NewContent,
  options: WriteOptions,
): Promise<Committed> {
  return deps.bucketIds.runWrite(bucketName, async (bucket) => {
    const blob = blobName(bucket, key, deps.ids.ulid());
    const { body, expiresAt, ...properties } = content;
    const store = () => deps.blobs.put(blob, body, properties);
    const read = () => deps.objects.get(bucket.id, key);
    let previous: ObjectRecord | undefined;
    let etag: string;
    if (options.conditional) {
      previous = await read();
      await requireUnderPresentId(deps, bucket, () => options.conditions(liveOf(previous)));
      ({ etag } = await store());
    } else {
      // Waits for both in any case: a function must not be frozen with a call in flight.
      const [stored, found] = await Promise.allSettled([store(), read()]);
      if (stored.status === 'rejected') throw stored.reason;
      if (found.status === 'rejected') {
        await removeQuietly(deps, blob);
        throw found.reason;
      }
      ({ etag } = stored.value);
      previous = found.value;
    }
    const build = (position: CommitPosition, before: ObjectRecord | undefined): LiveObject =>
      liveRecord(
        { bucket, key, blob, etag, size: body.length, ...properties, expiresAt, by: options.by },
        position,
        before,
      );
    return withoutOrphan(deps, blob, () =>
      commitChange(
        deps,
        {
          bucket,
          key,
          check: (before) => options.conditions(liveOf(before)),
          build,
          idempotencyRecordFor: options.idempotency,
        },
        previous,
      ),
    );
  });
}

/**
 * Runs `check`. If it fails and the cached id of the bucket is out of date, throws StaleBucketRef,
 * so that BucketIds repeats the write under the present id.
 */
async function requireUnderPresentId(
  deps: Pick<WriteDeps, 'bucketIds'>,
  bucket: BucketRef,
  check: () => void,
): Promise<void> {
  try {
    check();
  } catch (refusal) {
    const { id } = await deps.bucketIds.refresh(bucket.name);
    if (id !== bucket.id)
      throw new StaleBucketRef(`bucket ${bucket.name} is no longer ${bucket.id}`);
    throw refusal;
  }
}

/**
 * Removes the blob when the commit certainly did not happen. The reconciler removes what is left
 * otherwise.
 */
async function withoutOrphan(
  deps: Pick<WriteDeps, 'blobs'>,
  blob: string,
  commit: () => Promise<Committed>,
): Promise<Committed> {
  try {
    const outcome = await commit();
    if (outcome.result !== 'committed') await removeQuietly(deps, blob);
    return outcome;
  } catch (error) {
    if (isCertainRefusal(error)) await removeQuietly(deps, blob);
    throw error;
  }
}

async function removeQuietly(deps: Pick<WriteDeps, 'blobs'>, blob: string): Promise<void> {
  await deps.blobs.remove([blob]).catch(() => undefined);
}

interface LiveFields {
  readonly bucket: BucketRef;
  readonly key: string;
  readonly blob: string;
  readonly etag: string;
  readonly size: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksumSha256?: string;
  readonly expiresAt?: string;
  readonly by?: string;
  readonly isPatched?: boolean;
}

/** The record of new content at the position that the commit assigned. */
export function liveRecord(
  fields: LiveFields,
  position: CommitPosition,
  previous: ObjectRecord | undefined,
): LiveObject {
  return {
    state: 'live',
    bucket: fields.bucket.name,
    key: fields.key,
    size: fields.size,
    etag: fields.etag,
    version: position.version,
    cursor: position.cursor,
    createdAt: liveOf(previous)?.createdAt ?? position.at,
    updatedAt: position.at,
    contentType: fields.contentType,
    headers: fields.headers,
    metadata: fields.metadata,
    ...(fields.checksumSha256 !== undefined && { checksumSha256: fields.checksumSha256 }),
    blob: fields.blob,
    ...(fields.expiresAt !== undefined && { expiresAt: fields.expiresAt }),
    ...(fields.by !== undefined && { by: fields.by }),
    ...(fields.isPatched && { isPatched: true }),
    ancestors: position.ancestors,
  };
}

/** The record of a deletion at the position that the commit assigned. */
export function tombstone(
  { bucket, key, by, cause }: Pick<LiveFields, 'bucket' | 'key' | 'by'> & Pick<Tombstone, 'cause'>,
  { version, cursor, at, ancestors }: CommitPosition,
): Tombstone {
  return {
    ...{ state: 'deleted', bucket: bucket.name, key, version, cursor, deletedAt: at },
    ...(by !== undefined && { by }),
    ...(cause !== undefined && { cause }),
    ancestors,
  };
}

/**
 * Deletes an object, leaving a tombstone. AWS calls: GetItem, UpdateItem, TransactWriteItems; +1
 * GetItem when the bucket's id is not cached or there is nothing to delete.
 */
export function deleteObject(
  deps: WriteDeps,
  { bucket: bucketName, key }: ObjectName,
  options: WriteOptions,
): Promise<Committed> {
  return deps.bucketIds.runWrite(bucketName, async (cached) => {
    let bucket: BucketRef = cached;
    let previous = await deps.objects.get(bucket.id, key);
    if (!liveOf(previous)) {
      bucket = await deps.bucketIds.refresh(bucketName);
      if (bucket.id !== cached.id) previous = await deps.objects.get(bucket.id, key);
    }
    const check = (record: ObjectRecord | undefined) => {
      const live = liveOf(record);
      // RFC 9110 §13.2.1: conditions are not evaluated when the response would not be 2xx anyway.
      if (!live) throw objectNotFound(bucketName, key);
      options.conditions(live);
    };
    const build = (position: CommitPosition) =>
      tombstone({ bucket, key, by: options.by }, position);
    return commitChange(
      deps,
      { bucket, key, check, build, idempotencyRecordFor: options.idempotency },
      previous,
    );
  });
}
