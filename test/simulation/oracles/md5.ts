import { createHash } from 'node:crypto';

/** The etag of bytes that are one part. */
export function md5(bytes: string | Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
