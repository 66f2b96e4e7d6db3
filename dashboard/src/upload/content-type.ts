/** The content type of an upload. */
import { BEGINNING_BYTES, textType } from '../../../core/charset';

/**
 * Returns the type that the browser knows, for a text with its charset: without one, browsers show
 * it in the encoding of their locale.
 */
export async function contentTypeOf(file: File): Promise<string | undefined> {
  if (!file.type.startsWith('text/') || file.type.includes(';')) return file.type || undefined;
  const beginning = await file.slice(0, BEGINNING_BYTES).arrayBuffer();
  return textType(file.type, new Uint8Array(beginning));
}
