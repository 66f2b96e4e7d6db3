/** Bytes out of the store into a file. Nothing of them ever becomes a page of this origin. */
import type { StorageApi } from '../api/storage';

/** The last segment, as a name that a header and a file system take. */
export function fileNameOf(key: string): string {
  const last = key.split('/').findLast((segment) => segment !== '') ?? 'object';
  return last.replace(/["\\]/g, '_');
}

/** From the store's own origin, which is told to send it as a file. */
export async function download(storage: StorageApi, bucket: string, key: string): Promise<void> {
  const disposition = `attachment; filename="${fileNameOf(key)}"`;
  const { url } = await storage.signDownload(bucket, key, { expiresIn: 60, disposition });
  follow(url, {});
}

/** An older version: through the service, as bytes without a type, which no browser shows. */
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
