/** Open files of Node.js, to watch what becomes of them. */
import files, { type FileHandle } from 'node:fs/promises';

/** What all open files inherit. */
export async function prototypeOfFiles(): Promise<FileHandle> {
  const handle = await files.open(__filename, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle);
}

/** Files that are opened from now on, until mocks are restored, by whether they are open. */
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
