/** Copies within S3: no byte passes through the function. */

import { CopyObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { allEnded } from '../../core/concurrency';
import { LIMITS } from '../../core/limits';
import type { BlobContent, Blobs } from '../../core/store/blobs';
import type { CopySource } from '../../core/store/uploads';
import { copiedParts } from '../../core/uploads/parts';
import { completeParts, copyPart, etagOf, sourceOf } from './copy-calls';
import { contentInput, isError } from './s3-values';

export interface CopyDeps {
  readonly client: S3Client;
  readonly blobs: Pick<Blobs, 'head' | 'createMultipart' | 'abortMultipart' | 'bucketName'>;
  readonly sizes?: CopySizes;
}

/** Bytes that one call copies: above `single` they are copied in parts, all at the same time. */
export interface CopySizes {
  readonly single: number;
  readonly part: number;
}

/** Properties stored with the copy. The checksum is that of the source. */
type CopyContent = Omit<BlobContent, 'checksumSha256'>;

const SIZES: CopySizes = { single: LIMITS.copySingleBytes, part: LIMITS.copyPartBytes };

/**
 * Returns the etag of the copy, or undefined when the source does not exist or has other bytes. AWS
 * calls: 1 CopyObject; for a large source CreateMultipartUpload, 1 UploadPartCopy for each part,
 * CompleteMultipartUpload, and AbortMultipartUpload when it fails. 1 HeadObject more when a
 * response was lost or the source has changed.
 */
export async function copyBlob(
  deps: CopyDeps,
  source: CopySource,
  blob: string,
  content: CopyContent,
): Promise<{ readonly etag: string } | undefined> {
  const { single } = deps.sizes ?? SIZES;
  const copy = source.size <= single ? copyWhole : copyParts;
  try {
    return { etag: await copy(deps, source, blob, content) };
  } catch (error) {
    if (isError(error, 'NoSuchKey')) return undefined;
    if (!isError(error, ...UNCERTAIN)) throw error;
    // The name is used once: a blob there is of an attempt whose response was lost. Without one,
    // the condition that failed is that of the source.
    const existing = await deps.blobs.head(blob);
    if (existing?.size === source.size) return { etag: existing.etag };
    if (existing === undefined && error.name === 'PreconditionFailed') return undefined;
    throw error;
  }
}

const UNCERTAIN = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchUpload'];

async function copyWhole(
  { client, blobs: { bucketName } }: CopyDeps,
  source: CopySource,
  blob: string,
  content: CopyContent,
): Promise<string> {
  const { CopyObjectResult } = await client.send(
    new CopyObjectCommand({
      ...{ Bucket: bucketName, Key: blob, IfNoneMatch: '*' },
      ...sourceOf(bucketName, source),
      ...contentInput(content),
      MetadataDirective: 'REPLACE',
    }),
  );
  return etagOf(CopyObjectResult);
}

async function copyParts(
  deps: CopyDeps,
  source: CopySource,
  blob: string,
  content: CopyContent,
): Promise<string> {
  const uploadId = await deps.blobs.createMultipart(blob, content);
  try {
    const { part } = deps.sizes ?? SIZES;
    const { client, blobs } = deps;
    const target = { client, bucketName: blobs.bucketName, blob, uploadId };
    const copies = copiedParts(source.size, part).map((one) => copyPart(target, source, one));
    return etagOf(await completeParts(target, await allEnded(copies)));
  } catch (error) {
    // S3's rule removes what is left of the upload otherwise.
    await deps.blobs.abortMultipart(blob, uploadId).catch(() => undefined);
    throw error;
  }
}
