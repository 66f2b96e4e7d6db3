/** Copies of any size within S3, part by part, in as many calls of the function as it takes. */

import { ListPartsCommand, type S3Client } from '@aws-sdk/client-s3';
import type { CopiedPart, PartCopies, PartsOf } from '../../core/store/copies';
import type { CopySource } from '../../core/store/uploads';
import { completeParts, copyPart, etagOf, type PartsTarget } from './copy-calls';
import { isError } from './s3-values';

/** The PartCopies port on one S3 bucket. */
export class S3PartCopies implements PartCopies {
  constructor(
    private readonly client: S3Client,
    private readonly bucketName: string,
  ) {}

  /** AWS calls: 1 ListParts for every 1,000 parts. */
  async list(upload: PartsOf): Promise<ReadonlyMap<number, string> | undefined> {
    const { blob: Key, multipartId: UploadId } = upload;
    const parts = new Map<number, string>();
    try {
      // Not by the SDK's paginator: the last page may have a marker, too.
      for (let marker = '0'; ; ) {
        const page = await this.client.send(
          new ListPartsCommand({
            ...{ Bucket: this.bucketName, Key, UploadId },
            PartNumberMarker: marker,
          }),
        );
        for (const part of page.Parts ?? []) parts.set(part.PartNumber ?? 0, etagOf(part));
        const next = page.NextPartNumberMarker;
        if (page.IsTruncated !== true || !next || next === marker) return parts;
        marker = next;
      }
    } catch (error) {
      if (!isError(error, 'NoSuchUpload')) throw error;
      return undefined;
    }
  }

  /** AWS calls: 1 UploadPartCopy. */
  async copy(upload: PartsOf, source: CopySource, part: CopiedPart): Promise<string | undefined> {
    try {
      return await copyPart(this.targetOf(upload), source, part);
    } catch (error) {
      if (isError(error, 'NoSuchKey', 'PreconditionFailed')) return undefined;
      throw error;
    }
  }

  /** AWS calls: 1 CompleteMultipartUpload. */
  async complete(upload: PartsOf, etags: readonly string[]): Promise<void> {
    try {
      await completeParts(this.targetOf(upload), etags);
    } catch (error) {
      // The name is used once, so a blob there is this one: a response was lost.
      if (!isError(error, 'NoSuchUpload', 'PreconditionFailed')) throw error;
    }
  }

  private targetOf({ blob, multipartId: uploadId }: PartsOf): PartsTarget {
    return { client: this.client, bucketName: this.bucketName, blob, uploadId };
  }
}
