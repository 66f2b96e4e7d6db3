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
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  writev(
    pieces: readonly Uint8Array[],
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  read(
    bytes: Uint8Array,
    from: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  stat(): Promise<{ readonly size: number; readonly mtimeMs: number }>;
  close(): Promise<void>;
}

/** An open file. */
export interface FileHandle extends Omit<NodeHandle, 'write' | 'writev' | 'read'> {
  /** Throws when not every byte could be written. */
  writeAll(pieces: readonly Uint8Array[], position: number): Promise<void>;
  /** Reads up to as many bytes as `bytes` has room for, and returns their number; 0 at the end. */
  readInto(bytes: Uint8Array, position: number): Promise<number>;
}

interface NodeFileSystem {
  open(path: Path, flags: string): Promise<NodeHandle>;
  readFile(path: Path, encoding: 'utf8'): Promise<string>;
  writeFile(path: Path, text: string, options?: { readonly flag: string }): Promise<void>;
  rename(from: Path, to: Path): Promise<void>;
  rm(path: Path, options: { force: boolean; recursive?: boolean }): Promise<void>;
  mkdtemp(prefix: string): Promise<string>;
  stat(path: Path): Promise<{ readonly mtimeMs: number }>;
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
  digest(encoding: 'base64'): string;
}

export interface LocalFiles
  extends Pick<NodeFileSystem, 'readFile' | 'writeFile' | 'rename' | 'rm'> {
  open(path: Path, flags: string): Promise<FileHandle>;
  /** Reads the file when the Blob is read. Throws when it is absent, or has changed by then. */
  openAsBlob(path: Path): Promise<Blob>;
  /** Milliseconds since the epoch when the file was written last. */
  modifiedAt(path: Path): Promise<number>;
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
  const [files, fs, os, crypto] = await Promise.all([
    builtinModule<NodeFileSystem>('node:fs/promises'),
    builtinModule<Pick<LocalFiles, 'openAsBlob'>>('node:fs'),
    builtinModule<{ tmpdir(): string }>('node:os'),
    builtinModule<Pick<LocalFiles, 'createHash'>>('node:crypto'),
  ]);
  return {
    open: async (path, flags) => handleOf(await files.open(path, flags)),
    readFile: files.readFile,
    writeFile: files.writeFile,
    rename: files.rename,
    rm: files.rm,
    openAsBlob: fs.openAsBlob,
    modifiedAt: async (path) => (await files.stat(path)).mtimeMs,
    createHash: crypto.createHash,
    temporaryFolder: () => files.mkdtemp(`${os.tmpdir()}/stowage-`),
  };
}

function handleOf(file: NodeHandle): FileHandle {
  return {
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
    stat: () => file.stat(),
    close: () => file.close(),
  };
}

/** The locks that this process has. */
const locks = new Set<string>();

/**
 * Creates a file with the id of this process, and returns a function that removes it. Replaces the
 * file of a process that has ended. Throws StowageError `conflict` when another process has it.
 * `busy`: says in the error what the other process does.
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
      await files.writeFile(path, String(pid), { flag: 'wx' });
      locks.add(name);
      return async () => {
        await files.rm(path, { force: true });
        locks.delete(name);
      };
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
      const owner = Number(await files.readFile(path, 'utf8').catch(() => ''));
      if (owner !== pid && isRunning(owner)) break;
      await files.rm(path, { force: true });
    }
  }
  throw new StowageError('conflict', `${busy}; if none does, delete ${name}`);
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
