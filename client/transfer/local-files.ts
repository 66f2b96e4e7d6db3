/**
 * Files of the machine, where the client runs in Node.js, Deno or Bun. The modules are loaded when
 * a path is given, by names that bundlers for browsers do not follow.
 */

/** The part of `node:fs/promises`' FileHandle that the client uses. */
export interface FileHandle {
  write(bytes: Uint8Array, from: number, length: number, position: number): Promise<unknown>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

interface FileSystem {
  open(path: Path, flags: string): Promise<FileHandle>;
  readFile(path: Path, encoding: 'utf8'): Promise<string>;
  writeFile(path: Path, text: string): Promise<void>;
  rename(from: Path, to: Path): Promise<void>;
  rm(path: Path, options: { force: boolean; recursive?: boolean }): Promise<void>;
  mkdtemp(prefix: string): Promise<string>;
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

export interface LocalFiles extends FileSystem {
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
  readonly versions?: { readonly node?: string };
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

async function load(): Promise<LocalFiles> {
  const module = async <T>(name: string): Promise<T> => {
    const builtin = runtime()?.getBuiltinModule?.(name) ?? (await import(/* @vite-ignore */ name));
    return builtin as T;
  };
  const [files, fs, os, crypto] = await Promise.all([
    module<FileSystem & { stat(path: Path): Promise<{ mtimeMs: number }> }>('node:fs/promises'),
    module<Pick<LocalFiles, 'openAsBlob'>>('node:fs'),
    module<{ tmpdir(): string }>('node:os'),
    module<Pick<LocalFiles, 'createHash'>>('node:crypto'),
  ]);
  return {
    open: files.open,
    readFile: files.readFile,
    writeFile: files.writeFile,
    rename: files.rename,
    rm: files.rm,
    mkdtemp: files.mkdtemp,
    openAsBlob: fs.openAsBlob,
    modifiedAt: async (path) => (await files.stat(path)).mtimeMs,
    createHash: crypto.createHash,
    temporaryFolder: () => files.mkdtemp(`${os.tmpdir()}/stowage-`),
  };
}
