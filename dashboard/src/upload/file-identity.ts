/** Identifies the file of an upload, and checks its key. */
import { LIMITS } from '../api/limits';

/** Recognizes a file after a reload: a page cannot save the path of a file. */
export interface FileIdentity {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly lastModified: number;
}

export function identityOf({ name, size, lastModified }: FileIdentity): FileIdentity {
  return { name, size, lastModified };
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

/** Returns what is wrong with a key. undefined: it is valid. docs/api.md, "Names". */
export function keyError(key: string): string | undefined {
  if (key === '') return 'The name is empty.';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
  if (/[\u0000-\u001f\u007f]/.test(key)) return 'The name has control characters.';
  if (!key.isWellFormed()) return 'The name is not well-formed text.';
  if (new TextEncoder().encode(key).length > LIMITS.keyBytes) {
    return `The name is longer than ${LIMITS.keyBytes} bytes.`;
  }
  if (encodeURIComponent(key).length > LIMITS.encodedKeyLength)
    return 'The name is too long to be addressed.';
  const segments = key.split('/');
  if (segments.includes('.') || segments.includes('..')) {
    return 'No part of the name may be “.” or “..”.';
  }
  return undefined;
}
