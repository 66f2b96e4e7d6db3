/**
 * Committing presigned uploads once S3 has reported their blob. Events come at least once, late and in any order:
 * the transaction demands that the upload is still pending, so only one of them does anything.
 */
import { BucketMoved, type CommitDeps, commitChange } from './commit';
import { evaluateConditions } from './conditions';
import { ServiceError } from './errors';
import { liveOf, liveRecord } from './objects';
import type { BlobProperties, Blobs, Log, ObjectRecord, Upload, Uploads } from './ports';

export interface IngestDeps extends CommitDeps {
  readonly uploads: Pick<Uploads, 'get' | 'refuse'>;
  readonly blobs: Pick<Blobs, 'head' | 'remove'>;
  readonly log: Log;
}

export const UPLOADS_PREFIX = 'uploads/';

/** `uploads/{bucket}.{bucket id}/{key}/{upload id}` -> upload id; undefined: not the blob of an upload. */
export function uploadIdOf(blob: string): string | undefined {
  if (!blob.startsWith(UPLOADS_PREFIX)) return undefined;
  const id = blob.slice(blob.lastIndexOf('/') + 1);
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) ? id : undefined;
}

export type Ingested = 'committed' | 'refused' | 'nothing';

/**
 * Commits the upload whose blob S3 reported. AWS calls: GetItem (upload), then HeadObject and GetItem (record) in
 * parallel, UpdateItem, TransactWriteItems. A repeated event: 1 GetItem.
 */
export async function ingestBlob(deps: IngestDeps, blob: string): Promise<Ingested> {
  const id = uploadIdOf(blob);
  const upload = id === undefined ? undefined : await deps.uploads.get(id);
  // A blob without its row is none of ours, or so late that the row has expired: the reconciler judges it.
  if (!upload || upload.blob !== blob || upload.state === 'committed') return 'nothing';
  if (upload.state === 'refused') {
    await deps.blobs.remove([blob]);
    return 'refused';
  }
  const [properties, previous] = await Promise.all([
    deps.blobs.head(blob),
    deps.objects.get(upload.bucketId, upload.key),
  ]);
  if (!properties) return 'nothing';
  if (upload.size !== undefined && upload.size !== properties.size) {
    return refuse(deps, upload, `declared ${upload.size} bytes, got ${properties.size}`);
  }
  return commitUpload(deps, upload, properties, previous);
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
    etag: properties.etag,
    size: properties.size,
    contentType: properties.contentType ?? 'application/octet-stream',
    headers: properties.headers,
    metadata: properties.metadata,
    checksumSha256: properties.checksumSha256,
  };
  try {
    const outcome = await commitChange(
      deps,
      {
        bucket,
        key: upload.key,
        check: (record) => requireUploadConditions(upload, record),
        build: (place, record) => liveRecord(fields, place, record),
        uploadId: upload.id,
      },
      previous,
    );
    return outcome.result === 'committed' ? 'committed' : 'nothing';
  } catch (error) {
    if (error instanceof BucketMoved) return await refuseUnlessClosing(deps, upload, error);
    if (error instanceof ServiceError && error.code === 'precondition_failed') {
      return refuse(deps, upload, 'a condition of the upload did not hold');
    }
    throw error;
  }
}

/** The bucket is closing or gone. Closing may be undone, so the event is to be repeated while the row is young. */
async function refuseUnlessClosing(
  deps: IngestDeps,
  upload: Upload,
  error: BucketMoved,
): Promise<Ingested> {
  if (Date.parse(upload.expiresAt) > deps.clock.now()) throw error;
  return refuse(deps, upload, 'the bucket was deleted');
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

/** The row first: it is what makes a repeated event harmless. */
async function refuse(deps: IngestDeps, upload: Upload, reason: string): Promise<Ingested> {
  await deps.uploads.refuse(upload.id, reason);
  await deps.blobs.remove([upload.blob]);
  deps.log.info('upload_refused', { bucket: upload.bucket, upload: upload.id, reason });
  return 'refused';
}
