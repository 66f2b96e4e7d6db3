import { Readable } from 'node:stream';
import type { Page } from '../../../../core/pages';
import type {
  BlobContent,
  BlobProperties,
  Blobs,
  ByteRange,
  DownloadOptions,
  ListedBlob,
  PartOptions,
  PresignedRequest,
  UploadContent,
  UploadOptions,
} from '../../../../core/store/blobs';
import type { CopySource } from '../../../../core/store/uploads';
import type { Clock, Ids } from '../../../../core/system';
import { compareUtf8, copy, type FakeState } from '../state';
import { lastModifiedAt, md5, sha256, UNNAMED_TYPE } from '../stored-blob';
import { fakeUrl } from './fake-s3';

/** The Blobs port in memory. `FakeS3.request` serves its presigned URLs. */
export class FakeBlobs implements Blobs {
  readonly bucketName = 'content';

  constructor(
    private readonly state: FakeState,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async put(
    blob: string,
    body: Uint8Array,
    content: BlobContent,
  ): Promise<{ readonly etag: string }> {
    const bytes = Buffer.from(body);
    if (sha256(bytes) !== content.checksumSha256) {
      throw new Error(`BadDigest: the bytes of ${blob} do not have the checksum that was sent`);
    }
    const existing = this.state.blobs.get(blob);
    if (existing !== undefined) {
      if (existing.checksumSha256 === content.checksumSha256) return { etag: existing.etag };
      throw new Error(`PreconditionFailed: ${blob} was written before`);
    }
    const etag = md5(bytes);
    const lastModified = lastModifiedAt(this.clock);
    this.state.blobs.set(blob, { bytes, etag, ...copy(content), lastModified });
    return { etag };
  }

  async copy(
    source: CopySource,
    blob: string,
    content: Omit<BlobContent, 'checksumSha256'>,
  ): Promise<{ readonly etag: string } | undefined> {
    const found = this.state.blobs.get(source.blob);
    if (found === undefined || found.etag !== source.etag) return undefined;
    const { bytes, checksumSha256 } = found;
    const existing = this.state.blobs.get(blob);
    // Of an attempt whose response was lost.
    if (existing?.bytes.length === bytes.length) return { etag: existing.etag };
    if (existing !== undefined) throw new Error(`PreconditionFailed: ${blob} was written before`);
    const etag = md5(bytes);
    const lastModified = lastModifiedAt(this.clock);
    const checksum = checksumSha256 === undefined ? {} : { checksumSha256 };
    this.state.blobs.set(blob, { bytes, etag, ...copy(content), ...checksum, lastModified });
    return { etag };
  }

  async get(blob: string, range?: ByteRange): Promise<Readable | undefined> {
    const stored = this.state.blobs.get(blob);
    if (stored === undefined) return undefined;
    if (range === undefined) return Readable.from([stored.bytes], { objectMode: false });
    if (range.start >= stored.bytes.length) throw new RangeError(`InvalidRange: ${blob}`);
    const bytes = stored.bytes.subarray(range.start, range.end + 1);
    return Readable.from([bytes], { objectMode: false });
  }

  async head(blob: string): Promise<BlobProperties | undefined> {
    const stored = this.state.blobs.get(blob);
    if (stored === undefined) return undefined;
    const { bytes, ...properties } = stored;
    return copy({ size: bytes.length, ...properties });
  }

  async remove(blobs: readonly string[]): Promise<void> {
    if (blobs.length > 1000) throw new RangeError(`at most 1000 blobs, asked ${blobs.length}`);
    for (const blob of blobs) this.state.blobs.delete(blob);
  }

  async list(prefix: string, startAfter = ''): Promise<Page<ListedBlob>> {
    const found = [...this.state.blobs.entries()]
      .filter(([blob]) => blob.startsWith(prefix) && compareUtf8(startAfter, blob) < 0)
      .sort(([a], [b]) => compareUtf8(a, b));
    const items = found.slice(0, 1000).map(([blob, { bytes, lastModified }]) => ({
      blob,
      size: bytes.length,
      lastModified,
    }));
    return { items, more: found.length > items.length };
  }

  async presignGet(blob: string, options: DownloadOptions): Promise<PresignedRequest> {
    const { expiresIn, ...response } = options;
    return this.sign({ method: 'GET', blob, response: copy(response) }, expiresIn);
  }

  async presignPut(blob: string, options: UploadOptions): Promise<PresignedRequest> {
    const { contentType, headers, metadata = {}, contentLength, checksumSha256 } = options;
    const named = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
    return this.sign({ method: 'PUT', blob }, options.expiresIn, {
      'if-none-match': '*',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...headers,
      ...Object.fromEntries(named),
      ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
      ...(checksumSha256 !== undefined && { 'x-amz-checksum-sha256': checksumSha256 }),
    });
  }

  async createMultipart(blob: string, content: UploadContent): Promise<string> {
    const id = this.ids.ulid();
    const { contentType = UNNAMED_TYPE, headers = {}, metadata = {} } = content;
    this.state.multiparts.set(id, { blob, contentType, headers, metadata, parts: new Map() });
    return id;
  }

  async presignPart(
    blob: string,
    { multipartId, number: part, length, expiresIn }: PartOptions,
  ): Promise<PresignedRequest> {
    const headers = { 'content-length': String(length) };
    return this.sign({ method: 'PUT', blob, multipartId, part }, expiresIn, headers);
  }

  async presignComplete(
    blob: string,
    multipartId: string,
    expiresIn: number,
  ): Promise<PresignedRequest> {
    return this.sign({ method: 'POST', blob, multipartId }, expiresIn, { 'if-none-match': '*' });
  }

  async presignAbort(
    blob: string,
    multipartId: string,
    expiresIn: number,
  ): Promise<PresignedRequest> {
    return this.sign({ method: 'DELETE', blob, multipartId }, expiresIn);
  }

  async abortMultipart(blob: string, multipartId: string): Promise<void> {
    if (this.state.multiparts.get(multipartId)?.blob === blob) {
      this.state.multiparts.delete(multipartId);
    }
  }

  private sign(
    request: Omit<Parameters<typeof fakeUrl>[0], 'expiresAt' | 'headers'>,
    expiresIn: number,
    headers: Readonly<Record<string, string>> = {},
  ): PresignedRequest {
    const expiresAt = new Date(this.clock.now() + expiresIn * 1000).toISOString();
    return { url: fakeUrl({ ...request, headers, expiresAt }), headers, expiresAt };
  }
}
