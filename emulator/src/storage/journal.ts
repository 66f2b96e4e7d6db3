/**
 * An append-only file of JSON lines. A line is durable when `append` returns: the kernel has it, so
 * that it survives kill -9. It may not survive a power cut, because there is no fsync.
 */
import * as fs from 'node:fs';
import { appendAll } from './append';

const NEWLINE = 0x0a;
const READ_BYTES = 1024 * 1024;

export class Journal {
  readonly #path: string;
  #file: number;
  #size: number;

  private constructor(path: string, size: number) {
    this.#path = path;
    this.#size = size;
    this.#file = fs.openSync(path, 'a');
  }

  /**
   * Passes every entry to `replay`, in order, then opens the file for appending. Removes a last
   * line without a line end: a crash interrupted it before it was acknowledged. Throws when a line
   * before it is damaged.
   */
  static open(path: string, replay: (entry: unknown) => void): Journal {
    const file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    try {
      const size = readLines(file, (line, number) => {
        try {
          replay(JSON.parse(line));
        } catch (cause) {
          throw new Error(`${path}: line ${number} is damaged`, { cause });
        }
      });
      fs.ftruncateSync(file, size);
      return new Journal(path, size);
    } finally {
      fs.closeSync(file);
    }
  }

  /** Throws, with nothing appended, when the disk refuses the line. */
  append(entry: unknown): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    appendAll(this.#file, line, this.#size);
    this.#size += line.length;
  }

  /** Replaces the whole content, atomically. */
  rewrite(entries: Iterable<unknown>): void {
    const temporary = `${this.#path}.new`;
    const file = fs.openSync(temporary, 'w', 0o600);
    for (const entry of entries) fs.writeFileSync(file, `${JSON.stringify(entry)}\n`);
    fs.closeSync(file);
    fs.renameSync(temporary, this.#path);
    fs.closeSync(this.#file);
    this.#file = fs.openSync(this.#path, 'a');
    this.#size = fs.fstatSync(this.#file).size;
  }

  /** A later append throws instead of writing to a file that got the same descriptor. */
  close(): void {
    fs.closeSync(this.#file);
    this.#file = -1;
  }
}

/** Calls `take` for each complete line. Returns where the last one ends, in bytes. */
function readLines(file: number, take: (line: string, number: number) => void): number {
  const chunk = Buffer.alloc(READ_BYTES);
  let rest = Buffer.alloc(0);
  let complete = 0;
  let number = 0;
  for (let offset = 0; ; ) {
    const read = fs.readSync(file, chunk, 0, READ_BYTES, offset);
    if (read === 0) return complete;
    offset += read;
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      number += 1;
      take(bytes.toString('utf8', start, end), number);
      complete += end + 1 - start;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}
