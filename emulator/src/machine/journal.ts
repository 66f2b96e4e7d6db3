/**
 * An append-only file of JSON lines. An object with a member `bytes` is followed by that number of
 * bytes and a line end. An entry is durable when `append` returns: the kernel has it, so that it
 * survives kill -9. It may not survive a power cut, because there is no fsync.
 */
import * as fs from 'node:fs';
import { isRecord } from '../values/json';
import { appendAll } from './append';

const NEWLINE = 0x0a;
const LINE_END = Buffer.from('\n');
/** Bytes that a start reads at a time, and that the read of one entry begins with. */
const READ_BYTES = 1024 * 1024;
const ENTRY_BYTES = 1024;

/** An entry to append. `bytes` has the length that the entry states. */
export interface Addition {
  readonly entry: unknown;
  readonly bytes?: Buffer;
}

/** An entry that `read` returns. */
export interface Stored {
  readonly entry: unknown;
  /** The offset in the file of the bytes after its line. */
  readonly bytesAt: number;
}

export class Journal {
  readonly #path: string;
  #file: number;
  #size: number;

  private constructor(path: string, size: number) {
    this.#path = path;
    this.#size = size;
    this.#file = fs.openSync(path, 'a+');
  }

  /**
   * Passes every entry with its place to `replay`, in order, then opens the file for appending.
   * Removes an incomplete last entry: a crash interrupted it before it was acknowledged. Throws
   * when a line before it is damaged.
   */
  static open(path: string, replay: (entry: unknown, place: number) => void): Journal {
    const file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    try {
      const size = readEntries(file, (line, place, number) => {
        const guarded = <T>(step: () => T): T => {
          try {
            return step();
          } catch (cause) {
            throw new Error(`${path}: line ${number} is damaged`, { cause });
          }
        };
        const entry = guarded((): unknown => JSON.parse(line));
        return {
          bytes: guarded(() => sizeOfBytes(entry)),
          take: () => guarded(() => replay(entry, place)),
        };
      });
      fs.ftruncateSync(file, size);
      return new Journal(path, size);
    } finally {
      fs.closeSync(file);
    }
  }

  /**
   * Returns the place of the entry, for `read`. `bytes` has the length `entry.bytes`. Throws, with
   * nothing appended, when the disk refuses them.
   */
  append(entry: unknown, bytes?: Buffer): number {
    const place = this.#size;
    const addition = encode(entry, bytes);
    appendAll(this.#file, addition, place);
    this.#size += addition.length;
    return place;
  }

  /** Reads the entry at a place that `append` or the replay has named, until `rewrite`. */
  read(place: number): Stored {
    for (let length = ENTRY_BYTES; ; length *= 4) {
      const text = this.bytes(place, Math.min(length, this.#size - place));
      const end = text.indexOf(NEWLINE);
      if (end !== -1) {
        return { entry: JSON.parse(text.toString('utf8', 0, end)), bytesAt: place + end + 1 };
      }
      if (length > this.#size - place) throw new Error(`${this.#path}: no entry at ${place}`);
    }
  }

  /** Reads bytes of the file. Throws when it has fewer. */
  bytes(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (readFully(this.#file, bytes, position) < length) {
      throw new Error(`${this.#path} is shorter than ${position + length} bytes`);
    }
    return bytes;
  }

  /** Replaces the whole content atomically. The entries then have other places. */
  rewrite(additions: Iterable<Addition>): void {
    const temporary = `${this.#path}.new`;
    const file = fs.openSync(temporary, 'w', 0o600);
    for (const { entry, bytes } of additions) fs.writeFileSync(file, encode(entry, bytes));
    fs.closeSync(file);
    fs.renameSync(temporary, this.#path);
    fs.closeSync(this.#file);
    this.#file = fs.openSync(this.#path, 'a+');
    this.#size = fs.fstatSync(this.#file).size;
  }

  /** A later append throws instead of writing to a file that got the same descriptor. */
  close(): void {
    fs.closeSync(this.#file);
    this.#file = -1;
  }
}

function encode(entry: unknown, bytes?: Buffer): Buffer {
  const line = Buffer.from(`${JSON.stringify(entry)}\n`);
  return bytes === undefined ? line : Buffer.concat([line, bytes, LINE_END]);
}

function sizeOfBytes(entry: unknown): number {
  const bytes = isRecord(entry) ? (entry.bytes ?? 0) : 0;
  if (Number.isSafeInteger(bytes) && Number(bytes) >= 0) return Number(bytes);
  throw new Error(`an entry cannot have ${bytes} bytes`);
}

interface Line {
  take(): void;
  /** The length of the bytes after the line. */
  readonly bytes: number;
}

/**
 * Parses each complete line, and takes it when its bytes are complete too. Returns the end of the
 * last line that it has taken.
 */
function readEntries(
  file: number,
  parse: (line: string, place: number, number: number) => Line,
): number {
  const { size } = fs.fstatSync(file);
  let chunk = Buffer.alloc(Math.min(READ_BYTES, size));
  let chunkAt = 0;
  let filled = readFully(file, chunk, 0);
  let place = 0;
  for (let number = 1; place < size; number += 1) {
    let end = chunk.subarray(0, filled).indexOf(NEWLINE, place - chunkAt);
    while (place >= chunkAt + filled || end === -1) {
      // A line that is longer than the chunk, or the last one, which is incomplete.
      if (place === chunkAt && chunkAt + filled >= size) return place;
      if (place === chunkAt) chunk = Buffer.alloc(Math.min(chunk.length * 4, size - place));
      chunkAt = place;
      filled = readFully(file, chunk, chunkAt);
      end = chunk.subarray(0, filled).indexOf(NEWLINE);
    }
    const { take, bytes } = parse(chunk.toString('utf8', place - chunkAt, end), place, number);
    const next = chunkAt + end + 1 + (bytes === 0 ? 0 : bytes + 1);
    if (next > size) return place;
    take();
    place = next;
  }
  return place;
}

/** Returns the number of bytes read: fewer than fit at the end of the file. */
function readFully(file: number, bytes: Buffer, position: number): number {
  let read = 0;
  while (read < bytes.length) {
    const count = fs.readSync(file, bytes, read, bytes.length - read, position + read);
    if (count === 0) break;
    read += count;
  }
  return read;
}
