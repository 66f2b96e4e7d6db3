/** Saves content as a file. No content is ever shown as a page of this origin. */
import type { StowageClient } from '../../../client/client';
import { withoutHidden } from '../../../core/hidden';
import { followLink, saveFile } from '../parts/save-file';

/**
 * Returns the last segment of a key as a name that is valid in a header and a file system, and that
 * is read as it is.
 */
export function fileNameOf(key: string): string {
  const last = key.split('/').findLast((segment) => segment !== '') ?? 'object';
  return withoutHidden(last, '_').replace(/["\\]/g, '_');
}

/** Downloads from S3's own origin, with a URL that makes S3 send the content as a file. */
export async function download(client: StowageClient, bucket: string, key: string): Promise<void> {
  const contentDisposition = `attachment; filename="${fileNameOf(key)}"`;
  const { url } = await client.signedUrl(bucket, key, {
    ...{ method: 'GET', expiresIn: 60, contentDisposition },
  });
  followLink(url);
}

/** Downloads an older version through the service, as bytes without a type that a browser shows. */
export async function downloadVersion(
  client: StowageClient,
  bucket: string,
  key: string,
  version: number,
): Promise<void> {
  const content = await (await client.get(bucket, key, { version })).arrayBuffer();
  saveBytes(new Blob([content]), fileNameOf(key));
}

/** Saves bytes as a file, without a type that a browser would show. */
export function saveBytes(bytes: Blob, name: string): void {
  saveFile(name, new Blob([bytes], { type: 'application/octet-stream' }));
}
