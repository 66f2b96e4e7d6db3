/** The files below a folder. Symbolic links are never followed. */
import { createHash } from 'node:crypto';
import { type BigIntStats, constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { entriesOf, type FolderEntry, NOT_UTF8 } from '../shared/folder-entries';
import { foldersOf, WORK_FOLDER } from './names';

export interface LocalFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** Differs after each change that the file system records. */
  readonly sign: string;
}

export type Found =
  | { readonly kind: 'file'; readonly file: LocalFile }
  | { readonly kind: 'folder' | 'link' | 'other' | 'none' }
  /** Nothing, but an entry whose name is not UTF-8 may be what is meant. */
  | { readonly kind: 'not-utf8'; readonly shown: string };

const NONE: Found = { kind: 'none' };

/** Returns the path of a name on this machine. */
export function pathOf(root: string, name: string): string {
  return path.join(root, ...name.split('/'));
}

/** Returns what exists under a name; `none` also if its path leads through a symbolic link. */
export async function find(root: string, name: string): Promise<Found> {
  const found = await findExactly(root, name);
  return found.kind === 'none' && name.includes(REPLACEMENT) ? findSimilar(root, name) : found;
}

/** The character that stands for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

async function findSimilar(root: string, name: string): Promise<Found> {
  for (const each of [...foldersOf(name), name]) {
    const { dir, base } = path.posix.parse(each);
    if (!base.includes(REPLACEMENT)) continue;
    const entries = await entriesOf(pathOf(root, dir)).catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw error;
    });
    const similar = entries.find((entry) => entry.name === base && !entry.isUtf8);
    if (similar) return { kind: 'not-utf8', shown: path.posix.join(dir, similar.shown) };
  }
  return NONE;
}

async function findExactly(root: string, name: string): Promise<Found> {
  for (const folder of foldersOf(name)) {
    const stat = await statOf(pathOf(root, folder));
    if (!stat?.isDirectory()) return NONE;
  }
  const stat = await statOf(pathOf(root, name));
  return stat ? foundBy(stat) : NONE;
}

export function foundBy(stat: BigIntStats): Found {
  if (stat.isDirectory()) return { kind: 'folder' };
  if (stat.isSymbolicLink()) return { kind: 'link' };
  return stat.isFile() ? { kind: 'file', file: fileOf(stat) } : { kind: 'other' };
}

/** Returns undefined when the path does not exist. */
export async function statOf(file: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(file, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function fileOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): LocalFile {
  const sign = [size, mtimeNs, ctimeNs, ino].map((part) => part.toString(36)).join('.');
  return { size: Number(size), mtimeMs: Number(mtimeNs) / 1e6, sign };
}

export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

export interface Other {
  readonly name: string;
  /** The name for people. */
  readonly shown: string;
  readonly isFolder: boolean;
  readonly reason: string;
}

export interface Scan {
  /** Names of the files below the folder. */
  readonly files: Set<string>;
  /** The folders that were read; empty for the folder itself. */
  readonly folders: string[];
  /** What is listed and cannot be a file of a sync, such as symbolic links, sockets, devices. */
  readonly others: Other[];
  /** Folders that could not be read, so that their content is unknown. */
  readonly unreadable: Map<string, unknown>;
}

/** Lists what is below `from`, a name below the folder `root`, or below all of it. */
export async function scan(
  root: string,
  isSkipped: (name: string) => boolean,
  signal: AbortSignal,
  from = '',
): Promise<Scan> {
  const found: Scan = { files: new Set(), folders: [], others: [], unreadable: new Map() };
  const waiting = [from];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    for (const entry of await listed(root, folder, found)) {
      const name = path.posix.join(folder, entry.name);
      if (name === WORK_FOLDER || isSkipped(name)) continue;
      const [isFolder, isFile] = [entry.isDirectory(), entry.isFile()];
      if (!entry.isUtf8 || (!isFolder && !isFile)) {
        const shown = path.posix.join(folder, entry.shown);
        const reason = entry.isUtf8 ? 'neither a file nor a folder, or a link' : NOT_UTF8;
        found.others.push({ name, shown, isFolder, reason });
      } else if (isFolder) waiting.push(name);
      else found.files.add(name);
    }
  }
  return found;
}

async function listed(root: string, folder: string, found: Scan): Promise<readonly FolderEntry[]> {
  try {
    const entries = await entriesOf(pathOf(root, folder));
    found.folders.push(folder);
    return entries;
  } catch (error) {
    // A subfolder may be removed during the scan; the top folder must exist.
    if (folder === '' || !isAbsent(error)) found.unreadable.set(folder, error);
    return [];
  }
}

/** Returns the bytes of a file; undefined when it was removed, or replaced by a link. */
export async function contentAt(root: string, name: string): Promise<Buffer | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants;
  let handle: FileHandle | undefined;
  try {
    handle = await open(pathOf(root, name), O_RDONLY | O_NOFOLLOW);
    return await handle.readFile();
  } catch (error) {
    if (!isAbsent(error) && !['ELOOP', 'EMLINK'].includes(codeOf(error))) throw error;
    return undefined;
  } finally {
    await handle?.close();
  }
}

/** SHA-256 of a file in base64. */
export async function sha256Of(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { signal, highWaterMark: 1024 ** 2 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('base64');
}

/** Removes the folders of a name that are empty, the innermost first. */
export async function removeEmptyFolders(root: string, name: string): Promise<void> {
  for (const folder of foldersOf(name).reverse()) {
    try {
      await rmdir(pathOf(root, folder));
    } catch {
      return;
    }
  }
}

/** Removes a folder that contains only folders. Returns whether it is gone. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  for (const entry of await entriesOf(folder)) {
    const isFolder = entry.isUtf8 && entry.isDirectory();
    if (!isFolder || !(await removeIfEmpty(path.join(folder, entry.name)))) return false;
  }
  await rmdir(folder);
  return true;
}
