/**
 * A copy that takes longer than a request. It begins as an upload; the janitor copies the bytes
 * (core/maintenance/copy-objects.ts), and the upload is committed like any other.
 */
import type { Signer } from '../access/ports';
import type { BucketRef } from '../bucket-ref';
import { ServiceError } from '../errors';
import { LIMITS } from '../limits';
import type { Blobs } from '../store/blobs';
import type { PendingCopies } from '../store/copies';
import type { LiveObject } from '../store/objects';
import type { IdempotencyRecord, Upload } from '../store/uploads';
import type { Clock, Ids } from '../system';
import { partSizeFor } from '../uploads/parts';
import { UPLOADS_PREFIX } from '../uploads/uploads';
import type { CommitRequest, RequestedChange } from './commit-request';
import { copiedContent, expiryOf, type ResolvedChange } from './resolved-change';

/** The result of a commit that only copies one large object: nothing is committed yet. */
export interface LargeCopy {
  readonly result: 'large';
  readonly bucket: BucketRef;
  readonly change: RequestedChange & { readonly op: 'copy' };
  readonly source: LiveObject;
}

/**
 * Returns the only copy of the request if it is too large for a commit. Throws payload_too_large
 * for other changes that copy too much.
 */
export function largeCopyIn(
  { ifCursor }: CommitRequest,
  bucket: BucketRef,
  changes: readonly ResolvedChange[],
): LargeCopy | undefined {
  const bytes = changes.reduce((sum, { source }) => sum + (source?.size ?? 0), 0);
  if (bytes <= LIMITS.copyBytes) return undefined;
  const [{ change, source } = {}, ...others] = changes;
  if (change?.op === 'copy' && source && others.length === 0 && ifCursor === undefined) {
    return { result: 'large', bucket, change, source };
  }
  throw new ServiceError('payload_too_large', {
    message: `a commit copies at most ${LIMITS.copyBytes} bytes; make several commits, and copy an object that is larger in a commit of its own, without if_cursor`,
    details: { bytes, limit: LIMITS.copyBytes },
  });
}

export interface BeginCopyDeps {
  readonly blobs: Pick<Blobs, 'bucketName' | 'createMultipart' | 'abortMultipart'>;
  readonly pendingCopies: Pick<PendingCopies, 'begin'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'ulid'>;
}

/**
 * Begins the upload for the copy. Returns undefined when another call has used the idempotency key.
 * AWS calls: CreateMultipartUpload, 1 TransactWriteItems; AbortMultipartUpload more for a second
 * call with the key.
 */
export async function beginCopy(
  deps: BeginCopyDeps,
  { bucket: { name: bucket, id: bucketId }, change, source }: LargeCopy,
  signer: Signer | undefined,
  recordFor?: (upload: Upload) => IdempotencyRecord,
): Promise<Upload | undefined> {
  const { key, ifMatch, ifNoneMatch } = change;
  const id = deps.ids.ulid();
  const blob = `${UPLOADS_PREFIX}${bucket}.${bucketId}/${key}/${id}`;
  const multipartId = await deps.blobs.createMultipart(blob, copiedContent(change, source));
  const expiresAt = deps.clock.now() + LIMITS.copySeconds * 1000;
  const { expiresAt: objectExpiresAt } = expiryOf(change.content);
  const upload: Upload = {
    ...{ id, bucket, bucketId, key, blob, signer, ifMatch, ifNoneMatch, multipartId },
    store: deps.blobs.bucketName,
    state: 'pending',
    ...(objectExpiresAt !== undefined && { objectExpiresAt }),
    copyOf: { blob: source.blob, etag: source.etag, size: source.size },
    size: source.size,
    partSize: partSizeFor(source.size, LIMITS.largeCopyPartBytes, LIMITS.partsMax),
    expiresAt: new Date(expiresAt).toISOString(),
    ttl: Math.ceil(expiresAt / 1000) + LIMITS.uploadRowSeconds,
  };
  // After an unknown outcome the copy may have begun, so the upload is not aborted here: the
  // lifecycle rule of the S3 bucket aborts it.
  const outcome = await deps.pendingCopies.begin(upload, recordFor?.(upload));
  if (outcome === 'created') return upload;
  await deps.blobs.abortMultipart(blob, multipartId);
  return undefined;
}
