import { createHash } from 'node:crypto';
import type { Clock } from '../../../core/system';

/** What S3 assumes when an upload names no content type. */
export const UNNAMED_TYPE = 'binary/octet-stream';

/** One blob as the fake S3 stores it. */
export interface StoredBlob {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksumSha256?: string;
  readonly lastModified: string;
}

/** A multipart upload that was started and neither completed nor aborted. */
export interface OpenMultipart {
  readonly blob: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parts: Map<number, Buffer>;
}

/** S3 knows the second in which a blob was written, no more. */
export function lastModifiedAt(clock: Clock): StoredBlob['lastModified'] {
  return new Date(Math.floor(clock.now() / 1000) * 1000).toISOString();
}

export function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** What S3 makes of the parts of an upload. */
export function ofParts(parts: readonly Buffer[]): Pick<StoredBlob, 'bytes' | 'etag'> {
  const digests = Buffer.from(parts.map(md5).join(''), 'hex');
  return { bytes: Buffer.concat(parts), etag: `${md5(digests)}-${parts.length}` };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
