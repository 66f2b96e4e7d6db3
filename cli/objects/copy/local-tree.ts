/** Lists the files of a folder, and maps keys to file names. */
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileNameProblem } from '../../shared/file-names';

export interface LocalEntry {
  readonly path: string;
  /** Below the folder, with slashes. */
  readonly relative: string;
  readonly size: number;
}

/** Returns undefined when there is nothing. */
export async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Yields every file below a folder, in the order of names. It does not follow symbolic links, which
 * may lead out of the folder or form a circle. It yields a folder that cannot be read as if it were
 * a file, so that copying it reports the reason and the other files are still copied.
 */
export async function* filesBelow(folder: string, relative = ''): AsyncGenerator<LocalEntry> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (relative === '') throw error;
    return undefined;
  });
  if (!entries) return yield { path: folder, relative, size: 0 };
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(file, name);
    else if (entry.isFile()) {
      const found = await statOf(file);
      yield { path: file, relative: name, size: found?.size ?? 0 };
    }
  }
}

/** Returns the path below the folder for the end of a key, or undefined if no file can have it. */
export function pathBelow(folder: string, relative: string): string | undefined {
  if (fileNameProblem(relative) !== undefined) return undefined;
  return path.join(folder, ...relative.split('/'));
}
