/** Copies of any size within S3, part by part, in as many calls of the function as it takes. */
import type { PartCopies, PartsOf } from '../../core/store/copies';
import type { CopySource } from '../../core/store/uploads';
import type { CopiedPart } from '../../core/store/copies';
import { AwsError } from '../aws/aws-error';
import { call, completeParts, copyPart, etagIn, type PartsTarget } from './copy-calls';
import { elementOf, type S3Connection } from './s3-connection';

/** The PartCopies port on one S3 bucket. */
export class S3PartCopies implements PartCopies {
  constructor(
    private readonly connection: S3Connection,
    private readonly bucketName: string,
  ) {}

  /** 1 ListParts for every 1,000 parts. */
  async list(upload: PartsOf): Promise<ReadonlyMap<number, string> | undefined> {
    const parts = new Map<number, string>();
    for (let marker = '0'; ; ) {
      const query = { uploadId: upload.multipartId, 'part-number-marker': marker };
      const request = { method: 'GET', query } as const;
      const page = await call(this.targetOf(upload), request).catch(unlessGone);
      if (page === undefined) return undefined;
      for (const part of page.split('<Part>').slice(1)) {
        parts.set(Number(elementOf(part, 'PartNumber')), etagIn(part));
      }
      const next = elementOf(page, 'NextPartNumberMarker');
      if (elementOf(page, 'IsTruncated') !== 'true' || !next || next === marker) return parts;
      marker = next;
    }
  }

  /** 1 UploadPartCopy. */
  async copy(upload: PartsOf, source: CopySource, part: CopiedPart): Promise<string | undefined> {
    try {
      return await copyPart(this.targetOf(upload), source, part);
    } catch (error) {
      if (isError(error, 'NoSuchKey', 'PreconditionFailed')) return undefined;
      throw error;
    }
  }

  /** 1 CompleteMultipartUpload. */
  async complete(upload: PartsOf, etags: readonly string[]): Promise<void> {
    try {
      await completeParts(this.targetOf(upload), etags);
    } catch (error) {
      // The name is used once, so a blob there is this one: a response was lost.
      if (!isError(error, 'NoSuchUpload', 'PreconditionFailed')) throw error;
    }
  }

  private targetOf({ blob, multipartId: uploadId }: PartsOf): PartsTarget {
    return { connection: this.connection, bucketName: this.bucketName, blob, uploadId };
  }
}

function unlessGone(error: unknown): undefined {
  if (!isError(error, 'NoSuchUpload')) throw error;
}

function isError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof AwsError && names.includes(error.name);
}
