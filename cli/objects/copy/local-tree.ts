/** Lists the files of a folder, and finds the places of keys below one. */
import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../shared/errors';
import { fileNameProblem } from '../../shared/file-names';
import { entriesOf, NOT_UTF8 } from '../../shared/folder-entries';

export interface LocalEntry {
  readonly path: string;
  /** Below the folder, with slashes. */
  readonly relative: string;
  readonly size: number;
  /** Why it cannot be copied. */
  readonly problem?: string;
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
 * may lead out of the folder or form a circle. It yields what cannot be read as if it were a file,
 * so that copying it reports the reason and the other files are still copied.
 */
export async function* filesBelow(folder: string, relative = ''): AsyncGenerator<LocalEntry> {
  const entries = await entriesOf(folder).catch((error: unknown) => {
    if (relative === '') throw error;
    return undefined;
  });
  if (!entries) return yield { path: folder, relative, size: 0 };
  for (const entry of entries) {
    const file = path.join(folder, entry.shown);
    const name = path.posix.join(relative, entry.shown);
    const [isFolder, isFile] = [entry.isDirectory(), entry.isFile()];
    if (!entry.isUtf8 && (isFolder || isFile)) {
      yield { path: file, relative: name, size: 0, problem: NOT_UTF8 };
    } else if (isFolder) yield* filesBelow(file, name);
    else if (isFile) {
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

/** Throws UserError when a link below the folder would lead the file to another place. */
export async function requireNoLink(folder: string, file: string): Promise<void> {
  const below = path.relative(folder, file).split(path.sep);
  for (let depth = 1; depth <= below.length; depth++) {
    const part = path.join(folder, ...below.slice(0, depth));
    const found = await lstat(part).catch(() => undefined);
    if (found?.isSymbolicLink()) {
      throw new UserError(`${part} is a symbolic link, which is not followed here`);
    }
  }
}
