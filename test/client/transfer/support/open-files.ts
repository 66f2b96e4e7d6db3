/** Open files of Node.js, to check whether they are closed. */
import files, { type FileHandle } from 'node:fs/promises';

/** Returns the prototype of all open files. */
export async function prototypeOfFiles(): Promise<FileHandle> {
  const handle = await files.open(__filename, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle);
}

/**
 * Watches the files that are opened from now on, until mocks are restored. Returns for each whether
 * it is open.
 */
export function watchedFiles(): () => readonly boolean[] {
  const handles: FileHandle[] = [];
  const { open } = files;
  jest.spyOn(files, 'open').mockImplementation(async (...given) => {
    const handle = await open(...given);
    handles.push(handle);
    return handle;
  });
  return () => handles.map(({ fd }) => fd >= 0);
}
