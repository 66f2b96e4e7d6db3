import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { Page } from '../../core/pages';
import type {
  BlobContent,
  BlobProperties,
  Blobs,
  ByteRange,
  ListedBlob,
  UploadContent,
} from '../../core/store/blobs';
import type { CopySource } from '../../core/store/uploads';
import { copyBlob } from './blob-copy';
import { S3Presigner } from './presigner';
import { CONTENT_HEADERS, contentInput, isError, unquoted } from './s3-values';

/** The limit of ListObjectsV2 and of DeleteObjects. */
const MAX_KEYS = 1000;

/**
 * Characters that XML 1.0 cannot contain (https://www.w3.org/TR/xml/#charsets), except control
 * characters, which keys never have.
 */
const NOT_IN_XML = /[\uFFFE\uFFFF]/;

/** The Blobs port on one S3 bucket. */
export class S3Blobs extends S3Presigner implements Blobs {
  /**
   * AWS calls: 1 PutObject, whose SHA-256 S3 verifies; 1 HeadObject more when a response was lost.
   */
  async put(
    blob: string,
    body: Uint8Array,
    content: BlobContent,
  ): Promise<{ readonly etag: string }> {
    const { checksumSha256 } = content;
    try {
      const { ETag } = await this.client.send(
        new PutObjectCommand({
          ...this.named(blob),
          ...contentInput(content),
          Body: body,
          ChecksumSHA256: checksumSha256,
          IfNoneMatch: '*',
        }),
      );
      return { etag: unquoted(ETag) };
    } catch (error) {
      if (!isError(error, 'PreconditionFailed', 'ConditionalRequestConflict')) throw error;
      // Each key is used once, so the existing blob is of an earlier attempt: the client repeated
      // a call whose response was lost.
      const existing = await this.head(blob);
      if (existing?.checksumSha256 !== checksumSha256) throw error;
      return { etag: existing.etag };
    }
  }

  /** As `copyBlob`. */
  copy(source: CopySource, blob: string, content: Omit<BlobContent, 'checksumSha256'>) {
    return copyBlob({ client: this.client, blobs: this }, source, blob, content);
  }

  /** AWS calls: 1 GetObject. Returns S3's response stream: destroying it closes the connection. */
  async get(blob: string, range?: ByteRange): Promise<Readable | undefined> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    try {
      const { Body } = await this.client.send(new GetObjectCommand({ ...this.named(blob), Range }));
      return Body as Readable;
    } catch (error) {
      if (isError(error, 'NoSuchKey', 'NotFound')) return undefined;
      throw error;
    }
  }

  /** AWS calls: 1 HeadObject. */
  async head(blob: string): Promise<BlobProperties | undefined> {
    const input = { ...this.named(blob), ChecksumMode: 'ENABLED' } as const;
    try {
      return propertiesOf(await this.client.send(new HeadObjectCommand(input)));
    } catch (error) {
      // The response to HEAD has no body with a code, so its error is named by the status.
      if (isError(error, 'NoSuchKey', 'NotFound')) return undefined;
      throw error;
    }
  }

  /** AWS calls: 1 ListObjectsV2. */
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
        MaxKeys: MAX_KEYS,
        EncodingType: 'url',
      }),
    );
    const items = Contents.map(({ Key = '', Size, LastModified }) => ({
      // Servers that do not support the encoding do not confirm it.
      blob: EncodingType === 'url' ? decodeKey(Key) : Key,
      size: Size ?? 0,
      lastModified: isoDate(LastModified),
    }));
    return { items, more: IsTruncated === true };
  }

  /** AWS calls: 1 DeleteObjects; 1 DeleteObject for each key that its XML cannot contain. */
  async remove(blobs: readonly string[]): Promise<void> {
    if (blobs.length > MAX_KEYS) {
      throw new RangeError(`a call removes at most ${MAX_KEYS} blobs, got ${blobs.length}`);
    }
    for (const blob of blobs.filter((one) => NOT_IN_XML.test(one))) {
      await this.client.send(new DeleteObjectCommand(this.named(blob)));
    }
    const Objects = blobs.filter((one) => !NOT_IN_XML.test(one)).map((Key) => ({ Key }));
    if (Objects.length === 0) return;
    const { Errors = [] } = await this.client.send(
      new DeleteObjectsCommand({ Bucket: this.bucketName, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first === undefined) return;
    const { Key, Code, Message } = first;
    throw new Error(`S3 did not delete ${Errors.length} blobs; ${Key}: ${Code} ${Message}`);
  }

  /** AWS calls: 1 CreateMultipartUpload. */
  async createMultipart(blob: string, content: UploadContent): Promise<string> {
    const { UploadId } = await this.client.send(
      new CreateMultipartUploadCommand({ ...this.named(blob), ...contentInput(content) }),
    );
    if (!UploadId) throw new Error(`S3 started no multipart upload of ${blob}`);
    return UploadId;
  }

  /**
   * AWS calls: 1 AbortMultipartUpload. Succeeds, too, when the upload was already completed or
   * aborted.
   */
  async abortMultipart(blob: string, multipartId: string): Promise<void> {
    const input = { ...this.named(blob), UploadId: multipartId };
    try {
      await this.client.send(new AbortMultipartUploadCommand(input));
    } catch (error) {
      if (!isError(error, 'NoSuchUpload')) throw error;
    }
  }

  private named(blob: string) {
    return { Bucket: this.bucketName, Key: blob };
  }
}

function propertiesOf(found: HeadObjectCommandOutput): BlobProperties {
  const stored = { ...CONTENT_HEADERS, expires: 'ExpiresString' } as const;
  const headers = Object.entries(stored).flatMap(([header, name]) => {
    const value = found[name];
    return value === undefined ? [] : [[header, value] as const];
  });
  const { ChecksumSHA256: checksum } = found;
  return {
    size: found.ContentLength ?? 0,
    etag: unquoted(found.ETag),
    contentType: found.ContentType,
    headers: Object.fromEntries(headers),
    metadata: found.Metadata ?? {},
    // Of a multipart upload S3 has only a checksum of the parts' checksums, not of the bytes.
    ...(checksum && !checksum.includes('-') ? { checksumSha256: checksum } : {}),
    lastModified: isoDate(found.LastModified),
  };
}

/** Decodes EncodingType `url`: the encoding of forms, which can express every key in XML. */
function decodeKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

function isoDate(date: Date | undefined): string {
  return (date ?? new Date(0)).toISOString();
}
