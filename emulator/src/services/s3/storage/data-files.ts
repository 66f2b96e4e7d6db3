/**
 * The bytes of parts and of all but small objects: one file per uploaded body, with a random name,
 * written once and never renamed. A file that no journal entry names is invisible to clients, and
 * is deleted at the next start.
 */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/**
 * Bytes that are buffered in memory before a file is opened: small objects are written in one
 * synchronous call.
 */
const BUFFERED = 64 * 1024;

/** A run of bytes in a file of its own. */
export interface Segment {
  readonly file: string;
  /** Bytes, at least 1. */
  readonly size: number;
}

/** A body: in segments (none when it is empty), or in memory when it is small. */
export interface Content {
  readonly segments: readonly Segment[];
  readonly bytes?: Buffer;
}

/** Writes one body to the disk. `discard` deletes it at any time, also after `finish`. */
export interface DataSink {
  write(bytes: Buffer): void | Promise<void>;
  finish(): Promise<Content>;
  discard(): Promise<void>;
}

export class DataFiles {
  readonly #folder: string;
  /** How many responses are reading a file. */
  readonly #readers = new Map<string, number>();
  readonly #doomed = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** `small`: bytes up to which a body is not written to a file. */
  create(small = 0): DataSink {
    return new FileSink(this.#folder, small);
  }

  /**
   * Reads bytes `start` to `end` (inclusive) of the concatenated segments: as a Buffer when they
   * are few, else as a stream.
   */
  read(segments: readonly Segment[], start: number, end: number): Buffer | Readable {
    const [only] = segments;
    if (end < start || only === undefined) return Buffer.alloc(0);
    if (segments.length === 1 && end - start < BUFFERED) {
      return readWhole(join(this.#folder, only.file), start, end - start + 1);
    }
    this.#retain(segments);
    const stream = Readable.from(this.#stream(segments, start, end), { objectMode: false });
    stream.once('close', () => this.#release(segments));
    return stream;
  }

  /**
   * Deletes files as soon as no response reads them. Does not wait for the deletion: after a crash
   * `sweep` deletes them.
   */
  remove(segments: readonly Segment[]): void {
    for (const { file } of segments) {
      if (this.#readers.has(file)) this.#doomed.add(file);
      else fs.unlink(join(this.#folder, file), () => {});
    }
  }

  /** Deletes every file that is not in use: a crash left it behind. */
  sweep(inUse: ReadonlySet<string>): void {
    for (const file of fs.readdirSync(this.#folder)) {
      if (!inUse.has(file)) fs.unlinkSync(join(this.#folder, file));
    }
  }

  async *#stream(segments: readonly Segment[], start: number, end: number): AsyncGenerator<Buffer> {
    let offset = 0;
    for (const { file, size } of segments) {
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, size - 1);
      offset += size;
      if (from > to) continue;
      const options = { start: from, end: to, highWaterMark: 256 * 1024 };
      yield* fs.createReadStream(join(this.#folder, file), options);
    }
  }

  #retain(segments: readonly Segment[]): void {
    for (const { file } of segments) this.#readers.set(file, (this.#readers.get(file) ?? 0) + 1);
  }

  #release(segments: readonly Segment[]): void {
    for (const segment of segments) {
      const left = (this.#readers.get(segment.file) ?? 1) - 1;
      if (left > 0) {
        this.#readers.set(segment.file, left);
        continue;
      }
      this.#readers.delete(segment.file);
      if (this.#doomed.delete(segment.file)) this.remove([segment]);
    }
  }
}

function readWhole(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  const file = fs.openSync(path, 'r');
  try {
    for (let read = 0; read < length; ) {
      const count = fs.readSync(file, bytes, read, length - read, position + read);
      if (count === 0) throw new Error(`${path} is shorter than its journal entry says`);
      read += count;
    }
    return bytes;
  } finally {
    fs.closeSync(file);
  }
}

class FileSink implements DataSink {
  readonly #file = randomUUID();
  readonly #path: string;
  #buffered: Buffer[] = [];
  #size = 0;
  #handle: FileHandle | undefined;

  constructor(
    folder: string,
    private readonly small: number,
  ) {
    this.#path = join(folder, this.#file);
  }

  write(bytes: Buffer): void | Promise<void> {
    this.#size += bytes.length;
    if (this.#handle !== undefined) return writeAll(this.#handle, [bytes]);
    this.#buffered.push(bytes);
    if (this.#size > BUFFERED) return this.#overflow();
  }

  async finish(): Promise<Content> {
    if (this.#size === 0) return { segments: [] };
    if (this.#size <= this.small) return { segments: [], bytes: Buffer.concat(this.#buffered) };
    if (this.#handle === undefined) {
      fs.writeFileSync(this.#path, Buffer.concat(this.#buffered), { flag: 'wx', mode: 0o600 });
    }
    await this.#close();
    return { segments: [{ file: this.#file, size: this.#size }] };
  }

  async discard(): Promise<void> {
    await this.#close();
    fs.rmSync(this.#path, { force: true });
  }

  async #overflow(): Promise<void> {
    const pieces = this.#buffered;
    this.#buffered = [];
    this.#handle = await open(this.#path, 'wx', 0o600);
    await writeAll(this.#handle, pieces);
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

async function writeAll(handle: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    for (let written = 0; written < piece.length; ) {
      written += (await handle.write(piece, written)).bytesWritten;
    }
  }
}
