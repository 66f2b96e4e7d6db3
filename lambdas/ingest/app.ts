/**
 * Commits presigned uploads that S3 reports. Repeatable: the upload's row lets only one event do
 * anything.
 */
import type { S3Event } from 'aws-lambda';
import { type IngestDeps, ingestBlob } from '../../core/objects/uploads';

/**
 * `bucketName` of the event chooses the blobs: the function has no environment that names the
 * bucket.
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
