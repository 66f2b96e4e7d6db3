/** Lists folders by the bytes of their names: on most systems a name need not be UTF-8. */
import { isUtf8 } from 'node:buffer';
import { readdir } from 'node:fs/promises';

/** An entry of a folder. */
export interface FolderEntry {
  /** With U+FFFD in place of bytes that are not UTF-8. No path leads to such an entry. */
  readonly name: string;
  /** The name for people, with the bytes that are not UTF-8 escaped. */
  readonly shown: string;
  readonly isUtf8: boolean;
  isDirectory(): boolean;
  isFile(): boolean;
}

/** The reason why nothing can be done with an entry whose name is not UTF-8. */
export const NOT_UTF8 = 'the name is not UTF-8: rename it';

/** Returns the entries of a folder in the order of their names. */
export async function entriesOf(folder: string): Promise<FolderEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  const found = entries.map((entry) => {
    const name = entry.name.toString();
    const isText = isUtf8(entry.name);
    return {
      name,
      shown: isText ? name : escaped(entry.name),
      isUtf8: isText,
      isDirectory: () => entry.isDirectory(),
      isFile: () => entry.isFile(),
    };
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The lengths of characters in UTF-8. */
const CHARACTER_BYTES = [1, 2, 3, 4];

function escaped(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = CHARACTER_BYTES.find((each) => isUtf8(bytes.subarray(at, at + each)));
    const byte = bytes.subarray(at, at + (length ?? 1));
    text += length === undefined ? `\\x${byte.toString('hex')}` : byte.toString();
    at += byte.length;
  }
  return text;
}
