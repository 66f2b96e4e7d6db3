/** Files that an option names and a command replaces: never a device, or what a link leads to. */
import { lstat, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { UserError } from './errors';

/** Returns the text of a regular file, and '' when there is none. Throws UserError for others. */
export async function textOfOwn(file: string): Promise<string> {
  const stat = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stat === undefined) return '';
  if (!stat.isFile()) throw new UserError(`${file} is no regular file: name another one`);
  return readFile(file, 'utf8');
}

/** Replaces the file in one step, by way of `FILE.new`. It is on the disk when this returns. */
export async function replaceOwn(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  await writeFile(fresh, text, { flag: 'wx', mode: 0o600, flush: true });
  await rename(fresh, file);
}
