import { PutObjectCommand, type PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { Gap, Target } from './gap';

/** Puts an object. Returns the error of S3, or undefined when S3 stored the object. */
async function put(
  { aws, contentBucket }: Target,
  input: Partial<PutObjectCommandInput>,
  secretAccessKey = 'test',
): Promise<string | undefined> {
  const credentials = { accessKeyId: 'test', secretAccessKey };
  const s3 = new S3Client({
    endpoint: aws,
    region: 'us-east-1',
    credentials,
    forcePathStyle: true,
  });
  try {
    await s3.send(
      new PutObjectCommand({
        Bucket: contentBucket,
        Key: 'gaps/x',
        Body: Buffer.alloc(1),
        ...input,
      }),
    );
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    s3.destroy();
  }
}

export const storeGaps: readonly Gap[] = [
  // The policy denies every principal, including the account's administrator.
  { row: 'Write-once bucket policy', seen: (target) => put(target, {}) },
  {
    row: 'S3 header signatures',
    seen: (target) => put(target, { IfNoneMatch: '*', Key: `gaps/${Date.now()}` }, 'wrong'),
  },
  {
    row: 'S3 limits',
    seen: (target) =>
      put(target, { IfNoneMatch: '*', Key: `gaps/${Date.now()}${'k'.repeat(1100)}` }),
  },
];
