/**
 * Files of the machine, where the client runs in Node.js, Deno or Bun. The modules are loaded when
 * a path is given, by names that bundlers for browsers do not follow.
 */
import { StowageError } from '../errors';

/** The part of `node:fs/promises`' FileHandle that the client uses. */
interface NodeHandle {
  write(
    bytes: Uint8Array,
    from: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesWritten: number }>;
  writev(
    pieces: readonly Uint8Array[],
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  read(
    bytes: Uint8Array,
    from: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesRead: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  stat(options: { readonly bigint: true }): Promise<FileFacts>;
  close(): Promise<void>;
}

/** What the client reads of the facts about a file. */
interface FileFacts {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isSocket(): boolean;
  isFIFO(): boolean;
}

/** An open file. */
export interface FileHandle extends Omit<NodeHandle, 'write' | 'writev' | 'read' | 'stat'> {
  facts(): Promise<FileFacts>;
  /** Throws when not every byte could be written. */
  writeAll(pieces: readonly Uint8Array[], position: number): Promise<void>;
  /**
   * Reads up to as many bytes as `bytes` has room for, and returns their number; 0 at the end.
   * `position` null: where the last read ended.
   */
  readInto(bytes: Uint8Array, position: number | null): Promise<number>;
  /** Writes some of the bytes where the last write ended, and returns their number. */
  writeSome(bytes: Uint8Array): Promise<number>;
}

interface NodeFileSystem {
  open(path: Path, flags: string | number): Promise<NodeHandle>;
  readFile(path: Path, encoding: 'utf8'): Promise<string>;
  readFile(path: Path): Promise<Uint8Array<ArrayBuffer>>;
  writeFile(path: Path, text: string, options?: { readonly flag: string }): Promise<void>;
  rename(from: Path, to: Path): Promise<void>;
  rm(path: Path, options: { force: boolean; recursive?: boolean }): Promise<void>;
  mkdtemp(prefix: string): Promise<string>;
  realpath(path: Path): Promise<string>;
  stat(path: Path, options: { readonly bigint: true }): Promise<FileFacts>;
  lstat(path: Path, options: { readonly bigint: true }): Promise<FileFacts>;
  readonly constants: Readonly<Record<'O_RDONLY' | 'O_WRONLY' | 'O_NONBLOCK', number | undefined>>;
}

/** A path, or a `file:` URL. */
export type Path = string | URL;

/** A file of the machine, in Node.js, Deno and Bun. */
export interface LocalFile {
  /** Where it is. */
  readonly path: Path;
}

/** A hash that is computed piece by piece. */
export interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'base64' | 'base64url'): string;
}

export interface LocalFiles
  extends Pick<NodeFileSystem, 'readFile' | 'writeFile' | 'rename' | 'rm' | 'realpath'> {
  open(path: Path, flags: string | number): Promise<FileHandle>;
  /** Reads the file when the Blob is read. Throws when it is absent, or has changed by then. */
  openAsBlob(path: Path): Promise<Blob>;
  /** Returns undefined when there is nothing. */
  factsOf(path: Path): Promise<FileFacts | undefined>;
  /** The same of a symbolic link itself. */
  linkFactsOf(path: Path): Promise<FileFacts | undefined>;
  /** The folder of a path with its last separator, and the name in it. */
  split(path: Path): { readonly folder: string; readonly name: string };
  /** Flags that open a special file, and wait for nobody. */
  readonly flags: { readonly read: number; readonly write: number };
  createHash(algorithm: 'sha256'): Hash;
  /** A new folder for temporary files. */
  temporaryFolder(): Promise<string>;
}

let loaded: Promise<LocalFiles> | undefined;

/** Throws TypeError where there are no files, as in a browser. */
export function localFiles(): Promise<LocalFiles> {
  loaded ??= load().catch((cause: unknown) => {
    loaded = undefined;
    throw new TypeError('a path needs Node.js, Deno or Bun; pass a Blob or a File', { cause });
  });
  return loaded;
}

interface Runtime {
  readonly pid?: number;
  readonly versions?: { readonly node?: string; readonly deno?: string; readonly bun?: string };
  /** Throws when there is no such process; sends nothing. */
  readonly kill?: (pid: number, signal: 0) => unknown;
  /** Since Node.js 20.16, and in Deno and Bun. */
  readonly getBuiltinModule?: (name: string) => unknown;
}

function runtime(): Runtime | undefined {
  return (globalThis as { process?: Runtime }).process;
}

/** Whether a large stream can be stored in a file. */
export function hasLocalFiles(): boolean {
  return runtime()?.versions?.node !== undefined;
}

/** Whether this is Node.js itself, and not another runtime that has its modules. */
export function isNode(): boolean {
  const { node, deno, bun } = runtime()?.versions ?? {};
  return node !== undefined && deno === undefined && bun === undefined;
}

/** Loads a module of Node.js. Rejects where there is none. */
export async function builtinModule<T>(name: string): Promise<T> {
  const builtin = runtime()?.getBuiltinModule?.(name) ?? (await import(/* @vite-ignore */ name));
  return builtin as T;
}

async function load(): Promise<LocalFiles> {
  const [files, fs, os, crypto, url, path] = await Promise.all([
    builtinModule<NodeFileSystem>('node:fs/promises'),
    builtinModule<Pick<LocalFiles, 'openAsBlob'>>('node:fs'),
    builtinModule<{ tmpdir(): string }>('node:os'),
    builtinModule<Pick<LocalFiles, 'createHash'>>('node:crypto'),
    builtinModule<{ fileURLToPath(url: URL): string }>('node:url'),
    builtinModule<{ dirname(path: string): string; basename(path: string): string; sep: string }>(
      'node:path',
    ),
  ]);
  const { O_RDONLY = 0, O_WRONLY = 1, O_NONBLOCK = 0 } = files.constants;
  return {
    open: async (path, flags) => handleOf(await files.open(path, flags)),
    readFile: files.readFile,
    writeFile: files.writeFile,
    rename: files.rename,
    rm: files.rm,
    realpath: files.realpath,
    openAsBlob: fs.openAsBlob,
    factsOf: (file) => files.stat(file, { bigint: true }).catch(whenAbsent),
    linkFactsOf: (file) => files.lstat(file, { bigint: true }).catch(whenAbsent),
    split: (file) => {
      const text = typeof file === 'string' ? file : url.fileURLToPath(file);
      return { folder: `${path.dirname(text)}${path.sep}`, name: path.basename(text) };
    },
    flags: { read: O_RDONLY | O_NONBLOCK, write: O_WRONLY | O_NONBLOCK },
    createHash: crypto.createHash,
    temporaryFolder: () => files.mkdtemp(`${os.tmpdir()}/stowage-`),
  };
}

function whenAbsent(error: unknown): undefined {
  const { code } = error as { readonly code?: unknown };
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  return undefined;
}

/** Identifies a file while it exists, whatever its name. */
export function identityOf({ dev, ino }: FileFacts): string {
  return `${dev}:${ino}`;
}

function handleOf(file: NodeHandle): FileHandle {
  return {
    facts: () => file.stat({ bigint: true }),
    writeSome: async (bytes) => (await file.write(bytes, 0, bytes.length, null)).bytesWritten,
    writeAll: async (pieces, position) => {
      let { bytesWritten: written } = await file.writev(pieces, position);
      // One write may take a part of the bytes, as on a disk that is nearly full.
      let end = 0;
      for (const piece of pieces) {
        const begin = end;
        end += piece.length;
        while (written < end) {
          const from = written - begin;
          const rest = await file.write(piece, from, end - written, position + written);
          written += rest.bytesWritten;
        }
      }
    },
    readInto: async (bytes, position) =>
      (await file.read(bytes, 0, bytes.length, position)).bytesRead,
    truncate: (length) => file.truncate(length),
    datasync: () => file.datasync(),
    close: () => file.close(),
  };
}

/**
 * Replaces a file in one step, by way of a file beside it. Throws StowageError `conflict` when that
 * one has bytes and `isOwn` does not take them for what an interrupted call has left.
 */
export async function replaceFile(
  files: LocalFiles,
  path: Path,
  text: string,
  isOwn: (left: string) => boolean,
): Promise<void> {
  const written = typeof path === 'string' ? `${path}.new` : new URL(`${path.href}.new`);
  const left = await files.readFile(written, 'utf8').catch(() => undefined);
  if (left !== undefined) {
    if (left !== '' && !isOwn(left)) {
      throw new StowageError('conflict', `${written} is of another program: move it away`);
    }
    await files.rm(written, { force: true });
  }
  await files.writeFile(written, text, { flag: 'wx' });
  await files.rename(written, path);
}

/** The content of a lock, with the id of its process. */
const LOCK = /^stowage (\d+)$/;

/** Milliseconds in which a process writes its id into the lock that it has created. */
const LOCKING_MS = 100;

/** The locks that this process has. */
const locks = new Set<string>();

/**
 * Creates a file with the id of this process, and returns a function that removes it. Replaces the
 * file of a process that has ended. Throws StowageError `conflict` when another process has it, or
 * it is no lock. `busy`: says in the error what the other process does.
 */
export async function lockFile(
  files: LocalFiles,
  path: Path,
  busy: string,
): Promise<() => Promise<void>> {
  const name = String(path);
  const { pid = 0 } = runtime() ?? {};
  for (let attempt = 0; attempt < 2 && !locks.has(name); attempt++) {
    try {
      await files.writeFile(path, `stowage ${pid}`, { flag: 'wx' });
      locks.add(name);
      return async () => {
        await files.rm(path, { force: true });
        locks.delete(name);
      };
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
      const content = await contentOfLock(files, path);
      const owner = Number(LOCK.exec(content)?.[1]);
      // A process that dies while it makes its lock leaves an empty one.
      if (content !== '' && (Number.isNaN(owner) || (owner !== pid && isRunning(owner)))) break;
      await files.rm(path, { force: true });
    }
  }
  throw new StowageError('conflict', `${busy}; if none does, delete ${name}`);
}

async function contentOfLock(files: LocalFiles, path: Path): Promise<string> {
  const facts = await files.linkFactsOf(path);
  if (facts && !facts.isFile()) return 'no regular file';
  const read = () => files.readFile(path, 'utf8').catch(() => '');
  const content = await read();
  if (content !== '') return content;
  await new Promise((resolve) => setTimeout(resolve, LOCKING_MS));
  return read();
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    runtime()?.kill?.(pid, 0);
    return true;
  } catch (error) {
    // The process of another user exists, too.
    return (error as { code?: unknown }).code === 'EPERM';
  }
}
