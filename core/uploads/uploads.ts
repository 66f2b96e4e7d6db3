/**
 * Commits presigned uploads after S3 has reported their blobs. Events come at least once, late and
 * in any order. The transaction requires that the upload is still pending, so only one event has an
 * effect.
 */

import type { ApiKeys } from '../access/ports';
import { mayStillSign, UPLOAD_ACTIONS } from '../access/signer';
import { StaleBucketRef } from '../bucket-ref';
import { ServiceError } from '../errors';
import { evaluateConditions } from '../http/conditions';
import { DEFAULT_CONTENT_TYPE, isContentHeader, isContentType } from '../http/content-headers';
import { LIMITS } from '../limits';
import { type CommitDeps, commitChange } from '../log/commit';
import { isUlid } from '../names';
import { liveRecord } from '../objects/objects';
import type { BlobProperties, Blobs } from '../store/blobs';
import type { Buckets } from '../store/buckets';
import type { LiveObject, ObjectRecord } from '../store/objects';
import { liveOf } from '../store/objects';
import type { StagedContent, Upload, Uploads } from '../store/uploads';
import type { Log } from '../system';

export interface IngestDeps extends CommitDeps {
  readonly apiKeys: ApiKeys;
  readonly buckets: Pick<Buckets, 'get'>;
  readonly uploads: Pick<Uploads, 'get' | 'refuse' | 'stage'>;
  readonly blobs: Pick<Blobs, 'bucketName' | 'head' | 'remove'>;
  readonly log: Log;
}

export const UPLOADS_PREFIX = 'uploads/';

/**
 * `uploads/{bucket}.{bucket id}/{key}/{upload id}` -> upload id, or undefined when the name is not
 * that of an upload's blob.
 */
export function uploadIdOf(blob: string): string | undefined {
  if (!blob.startsWith(UPLOADS_PREFIX)) return undefined;
  const id = blob.slice(blob.lastIndexOf('/') + 1);
  return isUlid(id) ? id : undefined;
}

export type Ingested = 'committed' | 'staged' | 'refused' | 'nothing';

/**
 * Why an upload was discarded, as clients see it: docs/api.md, "What became of an upload".
 * Rows of earlier releases have sentences instead.
 */
export type DiscardReason =
  | 'bucket_deleted'
  | 'expired'
  | 'forbidden'
  | 'precondition_failed'
  | 'replaced'
  | 'size_mismatch'
  | 'source_deleted';

/**
 * Commits the upload whose blob S3 reported, unless the API key that signed it was revoked or lost
 * the permission since. A revocation during the commit comes after it: the key was read before.
 * AWS calls: GetItem (upload), then HeadObject and 2 GetItem (record, API key) in parallel,
 * UpdateItem, TransactWriteItems; 1 UpdateItem in place of these when it is staged. A repeated
 * event: 1 GetItem.
 */
export async function ingestBlob(deps: IngestDeps, blob: string): Promise<Ingested> {
  const id = uploadIdOf(blob);
  const upload = id === undefined ? undefined : await deps.uploads.get(id);
  // A blob without an upload is not one of the service's, or the upload has expired: the reconciler
  // handles it.
  if (!upload || upload.blob !== blob) return 'nothing';
  if (upload.state === 'committed' || upload.state === 'staged') return 'nothing';
  // Lambda's permission names the account, so another bucket of the account can send events too.
  if (upload.store !== undefined && upload.store !== deps.blobs.bucketName) {
    deps.log.error('foreign_event', { bucketName: deps.blobs.bucketName, upload: upload.id });
    return 'nothing';
  }
  if (upload.state === 'refused') {
    await deps.blobs.remove([blob]);
    return 'refused';
  }
  const [properties, previous, isAllowed] = await Promise.all([
    deps.blobs.head(blob),
    deps.objects.get(upload.bucketId, upload.key),
    upload.signer === undefined ||
      mayStillSign(deps.apiKeys, upload.signer, upload.copyOf ? ['write'] : UPLOAD_ACTIONS, upload),
  ]);
  if (!properties) return 'nothing';
  if (!isAllowed) return refuse(deps, upload, 'forbidden');
  if (upload.size !== undefined && upload.size !== properties.size) {
    return refuse(deps, upload, 'size_mismatch', properties.size);
  }
  if (upload.awaitsCommit) return stageUpload(deps, upload, properties);
  return commitUpload(deps, upload, properties, previous);
}

async function stageUpload(
  deps: IngestDeps,
  upload: Upload,
  properties: BlobProperties,
): Promise<Ingested> {
  const expiresAt = deps.clock.now() + LIMITS.stagedUploadSeconds * 1000;
  const content = contentOf(properties, upload);
  const isStaged = await deps.uploads.stage(upload.id, content, new Date(expiresAt).toISOString());
  return isStaged ? 'staged' : 'nothing';
}

/**
 * What a commit makes of the upload: content and blob of the new record. Throws not_found unless
 * the upload is staged for this key of the bucket.
 */
export function stagedObject(
  upload: Upload | undefined,
  { bucketId, key }: { readonly bucketId: string; readonly key: string },
): StagedContent & Pick<Upload, 'blob'> & Pick<LiveObject, 'expiresAt'> {
  const isOfObject = upload?.bucketId === bucketId && upload.key === key;
  if (isOfObject && upload.state === 'staged' && upload.staged) {
    return { ...upload.staged, blob: upload.blob, ...expiryOf(upload) };
  }
  throw noStagedUpload(key);
}

function expiryOf({ objectExpiresAt }: Upload): Pick<LiveObject, 'expiresAt'> {
  return objectExpiresAt === undefined ? {} : { expiresAt: objectExpiresAt };
}

export function noStagedUpload(key: string): ServiceError {
  return new ServiceError('not_found', {
    message: 'there is no staged upload with this id for this key',
    details: { key },
  });
}

/**
 * Returns the content of the object that an upload becomes. S3 stores every content header that the
 * client sends, so those that nobody has asked for are dropped, and those that PUT would reject.
 * `upload` is undefined when its row is gone: then nobody knows what was asked for.
 */
export function contentOf(
  { contentType = '', headers, ...properties }: BlobProperties,
  upload: Pick<Upload, 'askedHeaders'> | undefined,
): StagedContent {
  const { etag, size, metadata, checksumSha256 } = properties;
  const asked = upload?.askedHeaders;
  const kept = Object.entries(headers).filter(
    ([name, value]) => (asked?.includes(name) ?? true) && isContentHeader(name, value),
  );
  // S3's default, which is not a registered media type.
  const isNamed = contentType !== '' && contentType !== 'binary/octet-stream';
  const isKept = isNamed && isContentType(contentType);
  const hasMore = kept.length < Object.keys(headers).length || isNamed !== isKept;
  return {
    ...{ etag, size, metadata, headers: Object.fromEntries(kept) },
    contentType: isKept ? contentType : DEFAULT_CONTENT_TYPE,
    ...(checksumSha256 !== undefined && { checksumSha256 }),
    ...(hasMore && { isPatched: true }),
  };
}

async function commitUpload(
  deps: IngestDeps,
  upload: Upload,
  properties: BlobProperties,
  previous: ObjectRecord | undefined,
): Promise<Ingested> {
  const bucket = { name: upload.bucket, id: upload.bucketId };
  const fields = {
    bucket,
    key: upload.key,
    blob: upload.blob,
    ...contentOf(properties, upload),
    ...expiryOf(upload),
    by: upload.signer?.keyId,
  };
  try {
    const outcome = await commitChange(
      deps,
      {
        bucket,
        key: upload.key,
        check: (record) => requireUploadConditions(upload, record),
        build: (position, record) => liveRecord(fields, position, record),
        uploadId: upload.id,
      },
      previous,
    );
    return outcome.result === 'committed' ? 'committed' : 'nothing';
  } catch (error) {
    if (error instanceof StaleBucketRef) return await refuseIfDeleted(deps, upload, error);
    if (error instanceof ServiceError && error.code === 'precondition_failed') {
      return refuse(deps, upload, 'precondition_failed');
    }
    throw error;
  }
}

/**
 * The bucket allocates no cursors: it was deleted, or it is closing, which may be undone. In the
 * second case the error is thrown again, so that the event is retried.
 */
async function refuseIfDeleted(
  deps: IngestDeps,
  upload: Upload,
  error: StaleBucketRef,
): Promise<Ingested> {
  const record = await deps.buckets.get(upload.bucket);
  if (record?.id === upload.bucketId) throw error;
  return refuse(deps, upload, 'bucket_deleted');
}

function requireUploadConditions(upload: Upload, record: ObjectRecord | undefined): void {
  const headers: Record<string, string | undefined> = {
    'if-match': upload.ifMatch,
    'if-none-match': upload.ifNoneMatch,
  };
  if (evaluateConditions((name) => headers[name], liveOf(record), false) !== 'proceed') {
    throw new ServiceError('precondition_failed');
  }
}

/**
 * Refuses the upload before it removes the blob. Another event may have committed the upload in
 * between, and that commit may be the reason of this refusal: then the blob belongs to a live
 * object and must stay.
 */
async function refuse(
  deps: IngestDeps,
  upload: Upload,
  reason: DiscardReason,
  bytes?: number,
): Promise<Ingested> {
  if ((await deps.uploads.refuse(upload.id, reason)) !== 'refused') return 'nothing';
  const { bucket, id, signer } = upload;
  deps.log.info('upload_refused', { bucket, upload: id, keyId: signer?.keyId, reason, bytes });
  await deps.blobs.remove([upload.blob]);
  return 'refused';
}
