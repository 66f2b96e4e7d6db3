import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../core/store/blobs';
import type { BlobContent, BlobProperties, Blobs, UploadContent } from '../../core/store/blobs';
import type { CopySource } from '../../core/store/uploads';
import { AwsError } from '../aws/aws-error';
import { copyBlob } from './blob-copy';
import { contentHeaders, METADATA, S3Presigner } from './presigner';
import { elementOf, escapeXml } from './s3-connection';

/** The limit of DeleteObjects. */
const MAX_BATCH = 1000;

/** The content headers that S3 stores. */
const STORED = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
] as const;

/**
 * Characters that XML 1.0 cannot contain (https://www.w3.org/TR/xml/#charsets), except control
 * characters, which keys never have.
 */
const NOT_IN_XML = /[\uFFFE\uFFFF]/;

/** The Blobs port on one S3 bucket, without the list: blob-reader.ts has it. */
export class S3Blobs extends S3Presigner implements Omit<Blobs, 'list'> {
  /**
   * 1 PutObject, whose SHA-256 S3 verifies; 1 HeadObject more when a response was lost.
   */
  async put(
    blob: string,
    body: Uint8Array,
    content: BlobContent,
  ): Promise<{ readonly etag: string }> {
    const { checksumSha256 } = content;
    try {
      const { headers: stored } = await this.connection.client.call({
        ...this.addressOf(blob),
        method: 'PUT',
        headers: {
          ...contentHeaders(content),
          'if-none-match': '*',
          'x-amz-checksum-sha256': checksumSha256,
          // The same digest: the signer need not hash the bytes once more.
          'x-amz-content-sha256': Buffer.from(checksumSha256, 'base64').toString('hex'),
        },
        body,
      });
      return { etag: unquoted(stored.etag) };
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
    return copyBlob({ connection: this.connection, blobs: this }, source, blob, content);
  }

  /** 1 GetObject. Returns S3's response stream: destroying it closes the connection. */
  async get(blob: string, range?: ByteRange): Promise<Readable | undefined> {
    const headers = range && { range: `bytes=${range.start}-${range.end}` };
    try {
      const request = { ...this.addressOf(blob), method: 'GET', headers } as const;
      return (await this.connection.client.open(request)).body;
    } catch (error) {
      if (isError(error, 'NoSuchKey', 'NotFound')) return undefined;
      throw error;
    }
  }

  /** 1 HeadObject. */
  async head(blob: string): Promise<BlobProperties | undefined> {
    try {
      const { headers } = await this.connection.client.call({
        ...this.addressOf(blob),
        method: 'HEAD',
        headers: { 'x-amz-checksum-mode': 'ENABLED' },
      });
      return propertiesOf(headers);
    } catch (error) {
      if (isError(error, 'NoSuchKey', 'NotFound')) return undefined;
      throw error;
    }
  }

  /** 1 DeleteObjects; 1 DeleteObject for each key that its XML cannot contain. */
  async remove(blobs: readonly string[]): Promise<void> {
    if (blobs.length > MAX_BATCH) {
      throw new RangeError(`a call removes at most ${MAX_BATCH} blobs, got ${blobs.length}`);
    }
    const single = blobs.filter((blob) => NOT_IN_XML.test(blob));
    const batch = blobs.filter((blob) => !NOT_IN_XML.test(blob));
    const { client } = this.connection;
    for (const blob of single) await client.call({ ...this.addressOf(blob), method: 'DELETE' });
    if (batch.length === 0) return;
    const objects = batch.map((blob) => `<Object><Key>${escapeXml(blob)}</Key></Object>`).join('');
    const body = `${DELETE}${objects}<Quiet>true</Quiet></Delete>`;
    const { body: answer } = await client.call({
      ...this.addressOf(),
      method: 'POST',
      query: { delete: '' },
      headers: {
        'content-type': 'application/xml',
        'content-md5': createHash('md5').update(body).digest('base64'),
      },
      body,
    });
    const errors = answer.toString().split('<Error>').slice(1);
    const [first] = errors;
    if (first === undefined) return;
    const [key, code, message] = ['Key', 'Code', 'Message'].map((name) => elementOf(first, name));
    throw new Error(`S3 did not delete ${errors.length} blobs; ${key}: ${code} ${message}`);
  }

  /** 1 CreateMultipartUpload. */
  async createMultipart(blob: string, content: UploadContent): Promise<string> {
    const { body } = await this.connection.client.call({
      ...this.addressOf(blob),
      method: 'POST',
      query: { uploads: '' },
      headers: contentHeaders(content),
    });
    const uploadId = elementOf(body.toString(), 'UploadId');
    if (!uploadId) throw new Error(`S3 started no multipart upload of ${blob}`);
    return uploadId;
  }

  /** 1 AbortMultipartUpload. Succeeds, too, when the upload was already completed or aborted. */
  async abortMultipart(blob: string, multipartId: string): Promise<void> {
    const query = { uploadId: multipartId };
    try {
      await this.connection.client.call({ ...this.addressOf(blob), method: 'DELETE', query });
    } catch (error) {
      if (!isError(error, 'NoSuchUpload')) throw error;
    }
  }
}

const DELETE = '<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';

function isError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof AwsError && names.includes(error.name);
}

function propertiesOf(headers: IncomingHttpHeaders): BlobProperties {
  const { etag, 'content-length': length, 'last-modified': modified } = headers;
  const checksum = headers['x-amz-checksum-sha256'];
  const metadata = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(METADATA) ? [[name.slice(METADATA.length), String(value)] as const] : [],
  );
  return {
    size: Number(length ?? 0),
    etag: unquoted(etag),
    contentType: headers['content-type'],
    headers: picked(headers),
    metadata: Object.fromEntries(metadata),
    // Of a multipart upload S3 has only a checksum of the parts' checksums, not of the bytes.
    ...(typeof checksum === 'string' && !checksum.includes('-')
      ? { checksumSha256: checksum }
      : {}),
    lastModified: new Date(modified ?? 0).toISOString(),
  };
}

/** The content headers that are present. */
function picked(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const found = STORED.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

function unquoted(etag: string | undefined): string {
  return (etag ?? '').replace(/^"(.*)"$/, '$1');
}
