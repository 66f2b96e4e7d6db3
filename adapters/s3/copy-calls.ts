import {
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandOutput,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { CopiedPart } from '../../core/store/copies';
import type { CopySource } from '../../core/store/uploads';
import { encodedKey, unquoted } from './s3-values';
/** The requests to S3 that copy bytes within a bucket in parts. */

/** A multipart upload. */
export interface PartsTarget {
  readonly client: S3Client;
  readonly bucketName: string;
  readonly blob: string;
  readonly uploadId: string;
}

/** AWS calls: 1 UploadPartCopy. Returns the etag of the part. */
export async function copyPart(
  target: PartsTarget,
  source: CopySource,
  { number, start, end }: CopiedPart,
): Promise<string> {
  const { client, bucketName, blob, uploadId } = target;
  const { CopyPartResult } = await client.send(
    new UploadPartCopyCommand({
      ...{ Bucket: bucketName, Key: blob, UploadId: uploadId, PartNumber: number },
      ...sourceOf(bucketName, source),
      CopySourceRange: `bytes=${start}-${end}`,
    }),
  );
  return etagOf(CopyPartResult);
}

/** AWS calls: 1 CompleteMultipartUpload of the parts 1, 2, 3 … */
export function completeParts(
  { client, bucketName, blob, uploadId }: PartsTarget,
  etags: readonly string[],
): Promise<CompleteMultipartUploadCommandOutput> {
  const Parts = etags.map((ETag, index) => ({ PartNumber: index + 1, ETag }));
  return client.send(
    new CompleteMultipartUploadCommand({
      ...{ Bucket: bucketName, Key: blob, UploadId: uploadId, IfNoneMatch: '*' },
      MultipartUpload: { Parts },
    }),
  );
}

/** The source of a copy, on the condition that it has these bytes. */
export function sourceOf(bucketName: string, { blob, etag }: CopySource) {
  return { CopySource: `${bucketName}/${encodedKey(blob)}`, CopySourceIfMatch: `"${etag}"` };
}

/** Unquoted. */
export function etagOf(result: { readonly ETag?: string | undefined } | undefined): string {
  if (result?.ETag === undefined) throw new Error('S3 returned no etag of a copy');
  return unquoted(result.ETag);
}
