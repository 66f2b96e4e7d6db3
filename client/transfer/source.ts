/** Opens content to upload as a Blob, whose size is known and whose parts can be read again. */
import { rejectedBy } from '../abort';
import { hasLocalFiles, type LocalFile, localFiles, type Path } from './local-files';
import { streamOf } from './special-files';

/**
 * Content to upload: bytes, a file, or a stream of unknown length. A string would be either content
 * or a path: pass `new Blob([text])` or `{ path }`.
 */
export type UploadSource =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | LocalFile
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

export interface OpenedSource {
  readonly blob: Blob;
  /**
   * When the content was last modified, in milliseconds since the epoch, if that is known. Tells
   * whether a file has changed.
   */
  readonly modifiedAt?: number;
  /** The file that has the bytes of the Blob. */
  readonly path?: Path;
  /** Removes the temporary file of a stream. */
  readonly release: () => Promise<void>;
}

/** A stream up to this size is kept in memory. */
const MEMORY_BYTES = 8 * 1024 ** 2;

/** A file up to this size is sent in one request. */
const SMALL_BYTES = 4 * 1024 ** 2;

/** Reads of a small file that changes all the time, such as a log. The last one is sent. */
const READS = 5;

const nothing = async () => undefined;

/**
 * Opens the content; reads a stream to its end. Throws TypeError for other values, and the error of
 * a stream.
 */
export async function openSource(source: UploadSource, signal: AbortSignal): Promise<OpenedSource> {
  if (source instanceof Blob) {
    const modifiedAt = 'lastModified' in source ? Number(source.lastModified) : undefined;
    return { blob: source, modifiedAt, release: nothing };
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return { blob: new Blob([source as Uint8Array<ArrayBuffer>]), release: nothing };
  }
  if (isObject(source)) {
    // A stream of a file has a path, too, and may begin within it.
    if (Symbol.asyncIterator in source) return stored(source, signal);
    if (isStream(source)) return stored(chunksOf(source), signal);
    if (typeof source.path === 'string' || source.path instanceof URL) {
      const stream = await streamOf(source.path, signal);
      return stream ? stored(stream, signal) : openFile(source.path);
    }
  }
  throw new TypeError('the content must be a Blob, bytes, { path } or a stream of bytes');
}

/**
 * Opens a file of the disk. A small one is read at once, so that a failure is that of the disk, and
 * a file that changes is sent as it was at one moment.
 */
async function openFile(path: Path): Promise<OpenedSource> {
  const files = await localFiles();
  for (let attempt = 1; ; attempt++) {
    const before = await files.factsOf(path);
    const modifiedAt = before && millisecondsOf(before.mtimeNs);
    if (before === undefined || before.size > SMALL_BYTES) {
      return { blob: await files.openAsBlob(path), modifiedAt, path, release: nothing };
    }
    const blob = new Blob([await files.readFile(path)]);
    const after = await files.factsOf(path);
    const isSame = after?.mtimeNs === before.mtimeNs && BigInt(blob.size) === before.size;
    if (isSame || attempt === READS) return { blob, modifiedAt, path, release: nothing };
  }
}

function millisecondsOf(nanoseconds: bigint): number {
  const second = 1_000_000_000n;
  return Number(nanoseconds / second) * 1000 + Number(nanoseconds % second) / 1e6;
}

function isStream(source: object): source is ReadableStream<Uint8Array> {
  return 'getReader' in source;
}

/** Also for callers whose arguments no compiler checks. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** For browsers in which a ReadableStream cannot be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Stores a stream, because the service needs the size before the bytes. */
async function stored(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<OpenedSource> {
  const held: Blob[] = [];
  let size = 0;
  let file: Awaited<ReturnType<typeof temporaryFile>> | undefined;
  try {
    for await (const chunk of untilAborted(chunks, signal)) {
      if (!ArrayBuffer.isView(chunk)) throw new TypeError('the stream must consist of bytes');
      // A Blob of its own, which browsers keep on disk where they lack memory.
      held.push(new Blob([chunk as Uint8Array<ArrayBuffer>]));
      size += chunk.byteLength;
      if (size <= MEMORY_BYTES || !hasLocalFiles()) continue;
      file ??= await temporaryFile();
      for (const part of held.splice(0)) await file.append(part);
    }
    if (!file) return { blob: new Blob(held), release: nothing };
    return { blob: await file.close(), path: file.path, release: file.remove };
  } catch (error) {
    await file?.remove();
    throw error;
  }
}

/** A stream that stalls must not hold up an abort. */
async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const { aborted, detach } = rejectedBy(signal);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await Promise.race([iterator.next(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    detach();
    // Not awaited: the stream may stall.
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

async function temporaryFile() {
  const files = await localFiles();
  const folder = await files.temporaryFolder();
  const path = `${folder}/content`;
  const handle = await files.open(path, 'wx');
  let size = 0;
  let isOpen = true;
  const end = async () => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  return {
    path,
    async append(part: Blob): Promise<void> {
      const bytes = new Uint8Array(await part.arrayBuffer());
      await handle.writeAll([bytes], size);
      size += bytes.length;
    },
    async close(): Promise<Blob> {
      await end();
      return files.openAsBlob(path);
    },
    async remove(): Promise<void> {
      await end();
      await files.rm(folder, { force: true, recursive: true });
    },
  };
}
