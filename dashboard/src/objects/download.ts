/** Downloads content into a file. It is never shown as a page of this origin. */
import type { StorageApi } from '../api/storage';

/** The last segment of a key, as a name that is valid in a header and a file system. */
export function fileNameOf(key: string): string {
  const last = key.split('/').findLast((segment) => segment !== '') ?? 'object';
  return last.replace(/["\\]/g, '_');
}

/** Downloads from S3's own origin, with a URL that makes S3 send the content as a file. */
export async function download(storage: StorageApi, bucket: string, key: string): Promise<void> {
  const disposition = `attachment; filename="${fileNameOf(key)}"`;
  const { url } = await storage.signDownload(bucket, key, { expiresIn: 60, disposition });
  follow(url, {});
}

/** Downloads an older version through the service, as bytes without a type that a browser shows. */
export async function downloadVersion(
  storage: StorageApi,
  bucket: string,
  key: string,
  version: number,
): Promise<void> {
  const content = await storage.version(bucket, key, version);
  const bytes = new Blob([content], { type: 'application/octet-stream' });
  const url = URL.createObjectURL(bytes);
  follow(url, { download: fileNameOf(key) });
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function follow(url: string, options: { readonly download?: string }): void {
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noopener noreferrer';
  if (options.download === undefined) link.target = '_blank';
  else link.download = options.download;
  document.body.append(link);
  link.click();
  link.remove();
}
