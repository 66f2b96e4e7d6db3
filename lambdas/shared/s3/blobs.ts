import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { ByteRange } from '../../../core/http/ranges';
import type {
  BlobContent,
  BlobProperties,
  Blobs,
  ListedBlob,
} from '../../../core/objects/blob-ports';
import type { Page } from '../../../core/objects/ports';
import { S3Presigner } from './presigner';

/** The limit of DeleteObjects and ListObjectsV2. */
const MAX_BATCH = 1000;

/**
 * Characters that XML 1.0 cannot contain (https://www.w3.org/TR/xml/#charsets), except control
 * characters, which keys never have.
 */
const NOT_IN_XML = /[\uFFFE\uFFFF]/;

/** The Blobs port on one S3 bucket. */
export class S3Blobs extends S3Presigner implements Blobs {
  /**
   * 1 PutObject, whose SHA-256 S3 verifies; 1 HeadObject more when a response was lost.
   */
  async put(
    blob: string,
    body: Uint8Array,
    content: BlobContent,
  ): Promise<{ readonly etag: string }> {
    const { contentType, headers, metadata, checksumSha256 } = content;
    try {
      const { ETag } = await this.client.send(
        new PutObjectCommand({
          Bucket: this.bucketName,
          Key: blob,
          Body: body,
          ContentLength: body.length,
          ContentType: contentType,
          CacheControl: headers['cache-control'],
          ContentDisposition: headers['content-disposition'],
          ContentEncoding: headers['content-encoding'],
          ContentLanguage: headers['content-language'],
          Metadata: { ...metadata },
          ChecksumSHA256: checksumSha256,
          IfNoneMatch: '*',
        }),
      );
      return { etag: unquoted(ETag) };
    } catch (error) {
      if (!isWriteConflict(error)) throw error;
      // Each key is used once, so the existing blob is of an earlier attempt: the SDK repeated a
      // call whose response was lost.
      const existing = await this.head(blob);
      if (existing?.checksumSha256 !== checksumSha256) throw error;
      return { etag: existing.etag };
    }
  }

  /** 1 GetObject. Returns S3's response stream: destroying it closes the connection. */
  async get(blob: string, range?: ByteRange): Promise<Readable | undefined> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    try {
      const { Body } = await this.client.send(
        new GetObjectCommand({ Bucket: this.bucketName, Key: blob, Range }),
      );
      return Body as Readable;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** 1 HeadObject. */
  async head(blob: string): Promise<BlobProperties | undefined> {
    try {
      const found = await this.client.send(
        new HeadObjectCommand({ Bucket: this.bucketName, Key: blob, ChecksumMode: 'ENABLED' }),
      );
      return {
        size: found.ContentLength ?? 0,
        etag: unquoted(found.ETag),
        contentType: found.ContentType,
        headers: present({
          'cache-control': found.CacheControl,
          'content-disposition': found.ContentDisposition,
          'content-encoding': found.ContentEncoding,
          'content-language': found.ContentLanguage,
        }),
        metadata: found.Metadata ?? {},
        // Of a multipart upload S3 has only a checksum of the parts' checksums, not of the bytes.
        ...(found.ChecksumSHA256 && !found.ChecksumSHA256.includes('-')
          ? { checksumSha256: found.ChecksumSHA256 }
          : {}),
        lastModified: isoDate(found.LastModified),
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** 1 DeleteObjects; 1 DeleteObject for each key that its XML cannot contain. */
  async remove(blobs: readonly string[]): Promise<void> {
    if (blobs.length > MAX_BATCH) {
      throw new RangeError(`a call removes at most ${MAX_BATCH} blobs, got ${blobs.length}`);
    }
    const Bucket = this.bucketName;
    const single = blobs.filter((blob) => NOT_IN_XML.test(blob));
    const batch = blobs.filter((blob) => !NOT_IN_XML.test(blob));
    for (const Key of single) await this.client.send(new DeleteObjectCommand({ Bucket, Key }));
    if (batch.length === 0) return;
    const Objects = batch.map((Key) => ({ Key }));
    const { Errors = [] } = await this.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first === undefined) return;
    throw new Error(
      `S3 did not delete ${Errors.length} blobs; ${first.Key}: ${first.Code} ${first.Message}`,
    );
  }

  /** 1 ListObjectsV2. */
  async list(prefix: string, startAfter?: string): Promise<Page<ListedBlob>> {
    const {
      Contents = [],
      EncodingType,
      IsTruncated,
    } = await this.client.send(
      new ListObjectsV2Command({
        Bucket: this.bucketName,
        Prefix: prefix,
        StartAfter: startAfter,
        MaxKeys: MAX_BATCH,
        EncodingType: 'url',
      }),
    );
    const items = Contents.map(({ Key, Size, LastModified }) => ({
      // Servers that do not support the encoding do not confirm it.
      blob: EncodingType === 'url' ? decodeKey(Key ?? '') : (Key ?? ''),
      size: Size ?? 0,
      lastModified: isoDate(LastModified),
    }));
    return { items, more: IsTruncated === true };
  }

  /** 1 CreateMultipartUpload. */
  async createMultipart(blob: string, options: { readonly contentType?: string }): Promise<string> {
    const { UploadId } = await this.client.send(
      new CreateMultipartUploadCommand({
        Bucket: this.bucketName,
        Key: blob,
        ContentType: options.contentType,
      }),
    );
    if (UploadId === undefined) throw new Error(`S3 started no multipart upload of ${blob}`);
    return UploadId;
  }

  /** 1 AbortMultipartUpload. Succeeds, too, when the upload was already completed or aborted. */
  async abortMultipart(blob: string, multipartId: string): Promise<void> {
    try {
      await this.client.send(
        new AbortMultipartUploadCommand({
          Bucket: this.bucketName,
          Key: blob,
          UploadId: multipartId,
        }),
      );
    } catch (error) {
      if (!(error instanceof S3ServiceException && error.name === 'NoSuchUpload')) throw error;
    }
  }
}

/** The response to HEAD has no body with a code, so its error is named by the status. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}

/** Whether the key exists, or another attempt to write it is in progress. */
function isWriteConflict(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    ['PreconditionFailed', 'ConditionalRequestConflict'].includes(error.name)
  );
}

function unquoted(etag: string | undefined): string {
  return (etag ?? '').replace(/^"(.*)"$/, '$1');
}

/** Decodes EncodingType `url`: the encoding of forms, which can express every key in XML. */
function decodeKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

function isoDate(date: Date | undefined): string {
  return (date ?? new Date(0)).toISOString();
}

function present(
  headers: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
