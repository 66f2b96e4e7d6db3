/** Reads the content for a preview. */
import type { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import type { ObjectDescriptor } from '../../../client/resources';
import { charsetOfMark } from '../../../core/charset';

/** Number of bytes of a text that are shown. */
export const TEXT_BYTES = 64 * 1024;

/** Returns a URL of the store that shows the object for an hour. */
export async function showingUrl(
  client: StowageClient,
  { bucket, key }: Pick<ObjectDescriptor, 'bucket' | 'key'>,
  signal: AbortSignal,
): Promise<string> {
  const { url } = await client.signedUrl(bucket, key, {
    ...{ method: 'GET', expiresIn: 3600, contentDisposition: 'inline', signal },
  });
  return url;
}

/**
 * Returns a URL for a frame, after the store has confirmed the content type. The URL refers to
 * bytes that never change, so the frame gets the same type even if the object is replaced. Throws
 * an Error when the store sends another type.
 */
export async function frameUrl(
  client: StowageClient,
  object: Pick<ObjectDescriptor, 'bucket' | 'key'>,
  signal: AbortSignal,
): Promise<string> {
  const url = await showingUrl(client, object, signal);
  const response = await fetch(url, { signal });
  await response.body?.cancel();
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !/^application\/pdf *(;|$)/i.test(type)) {
    throw new Error('The object is not a PDF any more. Load the page again.');
  }
  return url;
}

/** Returns the beginning of a text. It is shown as text, whatever its type is. */
export async function beginningOf(
  client: StowageClient,
  { bucket, key, size, content_type, etag }: ObjectDescriptor,
  signal: AbortSignal,
): Promise<string> {
  if (size === 0) return '';
  const to = Math.min(size, TEXT_BYTES) - 1;
  const response = await client.get(bucket, key, { range: { from: 0, to }, ifMatch: etag, signal });
  const content = await response.arrayBuffer().catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new StowageError('network', 'the content ended early', { cause });
  });
  const bytes = new Uint8Array(content);
  const charset = charsetOfMark(bytes) ?? /charset *= *"?([\w-]+)/i.exec(content_type)?.[1];
  return decoderOf(charset).decode(bytes);
}

function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
