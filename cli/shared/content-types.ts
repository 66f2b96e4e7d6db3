/** Content types: by the extension of a name, and for a text with the encoding of its beginning. */
import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { mimes } from 'mrmime';
import { BEGINNING_BYTES, textType } from '../../core/charset';

/**
 * Returns the content type for a path or a key, or undefined when its extension is not known.
 * `beginning` returns the first bytes of the content, and is called for a text only.
 */
export async function contentTypeOf(
  name: string,
  beginning: () => Promise<Uint8Array>,
): Promise<string | undefined> {
  const extension = path.extname(name).slice(1).toLowerCase();
  // The name of a user, which may be one of Object.prototype.
  const type = Object.hasOwn(mimes, extension) ? mimes[extension] : undefined;
  if (!type?.startsWith('text/')) return type;
  return textType(type, await beginning());
}

/** Returns the first bytes of a file of the disk; none of a FIFO or a device, which lose them. */
export async function beginningOfFile(file: string): Promise<Uint8Array> {
  const none = new Uint8Array();
  if (!(await stat(file)).isFile()) return none;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), { position: 0 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the first bytes of a stream, and leaves them in it. */
export async function beginningOfStream(
  stream: NodeJS.ReadStream,
  signal: AbortSignal,
): Promise<Uint8Array> {
  await once(stream, 'readable', { signal });
  const bytes: Buffer | null = stream.read();
  if (bytes !== null) stream.unshift(bytes);
  return bytes ?? new Uint8Array();
}
