/** The names of objects in a zip, which any file system can unpack side by side. */
import { foldedName } from '../../../core/folded-name';
import { withoutHidden } from '../../../core/hidden';

/** Bytes of a part of a name, on every file system in use. */
const PART_BYTES = 255;

/** Bytes after the last dot of a name that are taken for an extension. */
const EXTENSION_BYTES = 32;

const encoder = new TextEncoder();

export class ZipNames {
  /** Folded, because a file system may ignore case and normalization. */
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /**
   * Returns the name of an object: a relative path without empty parts, and without characters by
   * which a program might unpack it into another folder. A name that is taken gets a number, such
   * as `a (2).txt`. It ends with a slash only when the object is empty, because a folder in a zip
   * has no bytes.
   */
  add(key: string, size: number): string {
    const parts = key.split('/');
    const isFolder = parts.length > 1 && parts.at(-1) === '';
    const last = isFolder && size === 0 ? undefined : parts.at(-1);
    let path = '';
    for (const part of parts.slice(0, -1)) {
      // Folders of one name become one.
      path = freeName(path, part, (name) => this.#files.has(name));
      this.#folders.add(foldedName(path));
      path += '/';
    }
    if (last === undefined) return path;
    const isTaken = (name: string) => this.#files.has(name) || this.#folders.has(name);
    const name = freeName(path, last, isTaken);
    this.#files.add(foldedName(name));
    return name;
  }
}

/** Returns the part below a folder, with a number if its name is taken. */
function freeName(folder: string, part: string, isTaken: (folded: string) => boolean): string {
  const safe = withoutHidden(part, '_').replace(/[\\:]/g, '_') || '_';
  let name = folder + numbered(safe, '');
  for (let count = 2; isTaken(foldedName(name)); count++) {
    name = folder + numbered(safe, ` (${count})`);
  }
  return name;
}

/** Returns the part with a number before its extension, shortened if need be. */
function numbered(part: string, number: string): string {
  const dot = part.lastIndexOf('.');
  const hasExtension = dot > 0 && encoder.encode(part.slice(dot)).length <= EXTENSION_BYTES;
  const end = number + (hasExtension ? part.slice(dot) : '');
  const stem = encoder.encode(hasExtension ? part.slice(0, dot) : part);
  const kept = stem.subarray(0, PART_BYTES - encoder.encode(end).length);
  // With `stream` the decoder leaves out a character that is cut.
  return new TextDecoder().decode(kept, { stream: true }) + end;
}
