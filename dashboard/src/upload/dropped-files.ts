/** Files and folders that were dropped or chosen, each with its path. */
import type { FileSource } from './upload-item';

export interface FileAtPath {
  /** The name of the file, or its path relative to the parent of the dropped or chosen folder. */
  readonly path: string;
  readonly source: FileSource;
}

/** A part of the File System Access API that not every browser has. */
type Droppable = DataTransferItem & {
  readonly getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
};

/**
 * Returns the dropped files, and the files of dropped folders. The browser gives access to them
 * only during the event, so this function takes them before the first await.
 */
export function filesOf(data: DataTransfer): readonly AsyncIterable<FileAtPath>[] {
  return [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item: Droppable) => {
      const entry = item.webkitGetAsEntry();
      if (entry?.isDirectory) return filesBelow(entry as FileSystemDirectoryEntry, '');
      const file = item.getAsFile();
      const handle = item.getAsFileSystemHandle?.().catch(() => null) ?? Promise.resolve(null);
      return fileWith(file, handle);
    });
}

async function* fileWith(
  file: File | null,
  handle: Promise<FileSystemHandle | null>,
): AsyncGenerator<FileAtPath> {
  const resolved = await handle;
  if (!file) return;
  yield { path: file.name, source: { file, ...(isFileHandle(resolved) && { handle: resolved }) } };
}

async function* filesBelow(
  folder: FileSystemDirectoryEntry,
  above: string,
): AsyncGenerator<FileAtPath> {
  const path = `${above}${folder.name}/`;
  const reader = folder.createReader();
  // Each call returns some entries of the folder; at its end, none.
  for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) {
    for (const entry of some) {
      if (entry.isDirectory) yield* filesBelow(entry as FileSystemDirectoryEntry, path);
      else yield { path: path + entry.name, source: { file: await fileOf(entry) } };
    }
  }
}

function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function fileOf(entry: FileSystemEntry): Promise<File> {
  return new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
}

function isFileHandle(handle: FileSystemHandle | null): handle is FileSystemFileHandle {
  return handle?.kind === 'file';
}
