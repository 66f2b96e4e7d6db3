/**
 * Commits the signed uploads that S3 reports. Repeated events are harmless: only the first finds
 * the upload's row pending.
 */
import type { S3Event } from 'aws-lambda';
import { type IngestDeps, ingestBlob } from '../../core/uploads/uploads';

/**
 * `open` gets the content bucket's name from the event: it is not in the environment. `ingestBlob`
 * compares it with the upload's.
 */
export function createIngest(open: (bucketName: string) => IngestDeps) {
  return async (event: S3Event): Promise<void> => {
    for (const { s3 } of event.Records) {
      // Keys of S3 events are form-encoded.
      const blob = decodeURIComponent(s3.object.key.replaceAll('+', ' '));
      const deps = open(s3.bucket.name);
      const outcome = await ingestBlob(deps, blob);
      deps.log.info('upload_ingested', { outcome });
    }
  };
}
