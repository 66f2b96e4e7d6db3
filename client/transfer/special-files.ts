/**
 * Devices, FIFOs and other files whose content is not the bytes of a disk. They are read to their
 * end and written through. No call waits for another process, so an abort is never held up.
 */
import { type FileHandle, type LocalFiles, localFiles, type Path } from './local-files';

/** Where a download goes. */
export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly path: string };

/** Milliseconds between two looks for the other end of a FIFO. */
const LOOK_MS = 20;

const CHUNK_BYTES = 64 * 1024;

/**
 * Paths whose files are streams that are open already, such as `/dev/stdin`, or content of the
 * kernel, such as `/proc/version`.
 */
const OF_KERNEL = /^\/(proc\/|dev\/(fd\/|std(in|out|err)$))/;

/**
 * Decides how a path is written: the file that a symbolic link names is replaced, not the link.
 * Throws an Error for a folder, a socket, and a link that leads nowhere.
 */
export async function targetOf(path: Path): Promise<Target> {
  const files = await localFiles();
  const { folder, name } = files.split(path);
  const file = `${folder}${name}`;
  const facts = await files.factsOf(file);
  if (facts === undefined) {
    if (await files.linkFactsOf(file)) throw new Error(`${file} is a link that leads nowhere`);
    return { kind: 'file', path: file };
  }
  if (facts.isDirectory()) throw new Error(`${file} is a folder: name a file in it`);
  if (facts.isSocket()) throw new Error(`${file} is a socket: nothing can be stored there`);
  if (!facts.isFile() || OF_KERNEL.test(file)) return { kind: 'stream', path: file };
  const link = await files.linkFactsOf(file);
  return { kind: 'file', path: link?.isSymbolicLink() ? await files.realpath(file) : file };
}

/**
 * Returns the bytes of a file that is not one of a disk, or that claims to be empty, as those of
 * /proc do. Returns undefined for every other file. Throws an Error for a folder and a socket.
 */
export async function streamOf(
  path: Path,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const files = await localFiles();
  const facts = await files.factsOf(path);
  if (facts?.isDirectory()) throw new Error(`${path} is a folder: name a file`);
  if (facts?.isSocket()) throw new Error(`${path} is a socket: it has no content`);
  if (!facts || (facts.isFile() && facts.size > 0n)) return undefined;
  const waits = facts.isFIFO() && !OF_KERNEL.test(String(path));
  return read(files, path, { waits, signal });
}

async function* read(
  files: LocalFiles,
  path: Path,
  { waits, signal }: { readonly waits: boolean; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const handle = await files.open(path, files.flags.read);
  try {
    let isWaiting = waits;
    for (;;) {
      signal.throwIfAborted();
      const buffer = new Uint8Array(CHUNK_BYTES);
      const length = await whenReady(() => handle.readInto(buffer, null));
      if (length === undefined || (length === 0 && isWaiting)) {
        // Nobody writes yet.
        await pause();
      } else if (length === 0) {
        return;
      } else {
        isWaiting = false;
        yield buffer.subarray(0, length);
      }
    }
  } finally {
    await handle.close();
  }
}

/** Returns a stream that writes to a device or FIFO. It waits until somebody reads from a FIFO. */
export async function streamTo(path: string, signal: AbortSignal): Promise<WritableStream> {
  const files = await localFiles();
  let handle: FileHandle | undefined;
  while (handle === undefined) {
    signal.throwIfAborted();
    handle = await files.open(path, files.flags.write).catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code !== 'ENXIO') throw error;
      return undefined;
    });
    if (handle === undefined) await pause();
  }
  const opened = handle;
  return new WritableStream<Uint8Array>({
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        signal.throwIfAborted();
        const written = await whenReady(() => opened.writeSome(bytes.subarray(at)));
        if (written === undefined) await pause();
        else at += written;
      }
    },
    close: () => opened.close(),
    abort: () => opened.close(),
  });
}

/** Returns undefined when the other end is not ready. */
async function whenReady(call: () => Promise<number>): Promise<number | undefined> {
  return call().catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code !== 'EAGAIN') throw error;
    return undefined;
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
