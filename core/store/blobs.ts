/** The storage of bytes: S3 behind `adapters/s3`, an in-memory fake in tests. */
import type { Readable } from 'node:stream';
import type { Page } from '../pages';
import type { CopySource } from './uploads';

export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

export interface BlobProperties {
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  readonly contentType?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256?: string;
  /** ISO 8601 UTC. */
  readonly lastModified: string;
}

export interface PresignedRequest {
  readonly url: string;
  /** The headers that the client must send, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601 UTC: the requested expiry, or that of the signing credentials if that is earlier. */
  readonly expiresAt: string;
}

/** Properties stored with the bytes of a PUT. */
export interface BlobContent {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256: string;
}

export interface ListedBlob {
  readonly blob: string;
  readonly size: number;
  readonly lastModified: string;
}

/** Options of a presigned GET. */
export interface DownloadOptions {
  /** Seconds. */
  readonly expiresIn: number;
  readonly contentDisposition?: string;
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
}

/** Properties that an upload stores with its bytes. */
export interface UploadContent {
  readonly contentType?: string;
  /** The other content headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Options of a presigned PUT. Each option that is given is signed. */
export interface UploadOptions extends UploadContent {
  /** Seconds. */
  readonly expiresIn: number;
  readonly contentLength?: number;
  readonly checksumSha256?: string;
}

/** Options of a presigned part of a multipart upload. */
export interface PartOptions {
  /** Seconds. */
  readonly expiresIn: number;
  /** What `createMultipart` returned. */
  readonly multipartId: string;
  readonly number: number;
  /** Bytes. */
  readonly length: number;
}

/** Write-once bytes in S3. */
export interface Blobs {
  /** The name of the bucket in S3. */
  readonly bucketName: string;
  /**
   * Stores bytes under a key that was never used. Returns S3's etag, unquoted. Throws when S3
   * rejects the checksum.
   */
  put(blob: string, body: Uint8Array, content: BlobContent): Promise<{ readonly etag: string }>;
  /**
   * Copies bytes to a key that was never used, with other content headers and metadata. Returns
   * the etag of the copy, unquoted; undefined when there is no such blob, or it has another etag.
   */
  copy(
    source: CopySource,
    blob: string,
    content: Omit<BlobContent, 'checksumSha256'>,
  ): Promise<{ readonly etag: string } | undefined>;
  /** Returns undefined when there is no such blob. */
  get(blob: string, range?: ByteRange): Promise<Readable | undefined>;
  head(blob: string): Promise<BlobProperties | undefined>;
  /** Removes at most 1000 blobs. A blob that does not exist is no error. */
  remove(blobs: readonly string[]): Promise<void>;
  /** In key order, at most 1000, after `startAfter`. */
  list(prefix: string, startAfter?: string): Promise<Page<ListedBlob>>;
  presignGet(blob: string, options: DownloadOptions): Promise<PresignedRequest>;
  /**
   * Signs `If-None-Match: *` and each of the options that is given, as headers that the client must
   * send.
   */
  presignPut(blob: string, options: UploadOptions): Promise<PresignedRequest>;
  /** Starts a multipart upload and returns S3's upload id. */
  createMultipart(blob: string, content: UploadContent): Promise<string>;
  /** Signs `Content-Length`, so that S3 refuses a part of another size before it takes a byte. */
  presignPart(blob: string, part: PartOptions): Promise<PresignedRequest>;
  /** Signs `If-None-Match: *` too. */
  presignComplete(blob: string, multipartId: string, expiresIn: number): Promise<PresignedRequest>;
  presignAbort(blob: string, multipartId: string, expiresIn: number): Promise<PresignedRequest>;
  abortMultipart(blob: string, multipartId: string): Promise<void>;
}
