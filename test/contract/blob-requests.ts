/** What the Blobs contract stores and sends. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Blobs, ByteRange } from '../../core/store/blobs';
import { newName } from '../support/samples';

export function newBlob(): string {
  return newName('objects/photos.id/blob');
}

export function properties(bytes: Buffer) {
  return {
    contentType: 'application/octet-stream',
    headers: {},
    metadata: {},
    checksumSha256: sha256(bytes),
  };
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** The same request with some headers changed, or removed where undefined. */
export function changed(
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  changes: Readonly<Record<string, string | undefined>>,
) {
  const entries = Object.entries({ ...headers, ...changes });
  return {
    url,
    headers: Object.fromEntries(
      entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
  };
}

export function completion(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}

/** Stores a blob with its checksum and an unspecific content type. */
export function putBlob(blobs: Blobs, blob: string, bytes: Buffer) {
  return blobs.put(blob, bytes, properties(bytes));
}

/** The bytes of a blob, or of a range of it. */
export async function readBlob(blobs: Blobs, blob: string, range?: ByteRange): Promise<Buffer> {
  const body = await blobs.get(blob, range);
  if (body === undefined) throw new Error(`${blob} does not exist`);
  return buffer(body);
}
