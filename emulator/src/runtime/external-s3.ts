import type { Credentials } from '../iam/iam';

export interface ExternalS3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly buckets: readonly string[];
  readonly credentials: Credentials;
}

/**
 * Creates the stack's buckets on another S3 server, which must accept the local credentials.
 * Existing buckets stay as they are.
 */
export async function ensureExternalBuckets(options: ExternalS3Options): Promise<void> {
  const { endpoint, region, credentials } = options;
  // Loaded on demand, because the SDK is large.
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  try {
    for (const bucket of options.buckets) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: bucket }));
      } catch (error) {
        const { name } = error instanceof Error ? error : { name: '' };
        if (name !== 'BucketAlreadyOwnedByYou' && name !== 'BucketAlreadyExists') throw error;
      }
    }
  } finally {
    client.destroy();
  }
}
