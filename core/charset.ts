/** The encoding of a text by its first bytes. It imports nothing: the dashboard uses it too. */

/** Bytes of a text that show its encoding. */
export const BEGINNING_BYTES = 64 * 1024;

/** Returns the charset of a byte order mark, which precedes every other label of a text. */
export function charsetOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/** Returns the content type of a text with the charset of its beginning, where that is known. */
export function textType(type: string, beginning: Uint8Array): string {
  const charset = charsetOf(beginning.subarray(0, BEGINNING_BYTES));
  return charset === undefined ? type : `${type}; charset=${charset}`;
}

function charsetOf(bytes: Uint8Array): string | undefined {
  const marked = charsetOfMark(bytes);
  // UTF-16 without a byte order mark has zeros.
  if (marked !== undefined || bytes.includes(0)) return marked;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return undefined;
  }
}
