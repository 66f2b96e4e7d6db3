/** Bytes that a record names and S3 does not have. */

import type { BucketIds } from '../buckets/bucket-ids';
import type { LiveObject, Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import type { Log } from '../system';

interface MissingBlobDeps {
  readonly bucketIds: BucketIds;
  readonly objects: Pick<Objects, 'get'>;
  readonly log: Log;
}

/**
 * Logs that the blob of a current object is missing, for which there is an alarm. The blob of an
 * older version may be missing: it may have been trimmed between the two reads. AWS calls: 2
 * GetItem.
 */
export async function reportIfCurrent(deps: MissingBlobDeps, object: LiveObject): Promise<void> {
  const { id } = await deps.bucketIds.refresh(object.bucket);
  const now = await deps.objects.get(id, object.key);
  if (liveOf(now)?.blob !== object.blob) return;
  deps.log.error('blob_missing', {
    bucket: object.bucket,
    version: object.version,
    blob: object.blob,
  });
}
