import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';

const NEWLINE = 10;
const RECORD = 'R'.charCodeAt(0);

/**
 * One file of a journal, named by the number of its first record. Knows where each record begins: 8
 * bytes of memory each.
 */
export class Segment {
  readonly firstSequence: number;
  private readonly descriptor: number;
  private readonly offsets: number[] = [];
  private size = 0;

  /**
   * Opens or creates the file. `replay` gets every line that is no record. A line that a crash tore
   * is cut off.
   */
  constructor(
    private readonly path: string,
    replay: (kind: string, json: string) => void = () => {},
  ) {
    this.firstSequence = Number.parseInt(basename(path), 10);
    this.descriptor = openSync(path, 'a+');
    const content = readFileSync(this.descriptor);
    for (let end = content.indexOf(NEWLINE); end >= 0; end = content.indexOf(NEWLINE, this.size)) {
      if (content[this.size] === RECORD) this.offsets.push(this.size);
      else
        replay(
          String.fromCharCode(content[this.size] ?? 0),
          content.toString('utf8', this.size + 1, end),
        );
      this.size = end + 1;
    }
    if (this.size < content.length) ftruncateSync(this.descriptor, this.size);
  }

  get bytes(): number {
    return this.size;
  }

  get count(): number {
    return this.offsets.length;
  }

  get nextSequence(): number {
    return this.firstSequence + this.offsets.length;
  }

  /** Adds lines, the first of which are these records. */
  append(text: string, records: readonly string[] = []): void {
    const data = Buffer.from(text);
    try {
      for (let written = 0; written < data.length; ) {
        written += writeSync(this.descriptor, data, written);
      }
    } catch (error) {
      // A full disk: half a line must not spoil the next one.
      ftruncateSync(this.descriptor, this.size);
      throw error;
    }
    let offset = this.size;
    for (const record of records) {
      this.offsets.push(offset);
      offset += Buffer.byteLength(record);
    }
    this.size += data.length;
  }

  /**
   * The JSON of records from that number on: at most `limit`, at least one, else at most
   * `maxBytes`.
   */
  read(from: number, limit: number, maxBytes: number): string[] {
    const first = Math.max(from - this.firstSequence, 0);
    const start = this.offsets[first];
    if (start === undefined) return [];
    let last = Math.min(first + limit, this.offsets.length);
    const endOf = (index: number) => this.offsets[index] ?? this.size;
    while (last > first + 1 && endOf(last) - start > maxBytes)
      last = first + Math.ceil((last - first) / 2);
    const data = Buffer.allocUnsafe(endOf(last) - start);
    readSync(this.descriptor, data, 0, data.length, start);
    return data
      .toString('utf8')
      .split('\n')
      .filter((text) => text.startsWith('R'))
      .map((text) => text.slice(1));
  }

  /** Since the last line was added. */
  ageMilliseconds(): number {
    return Date.now() - fstatSync(this.descriptor).mtimeMs;
  }

  close(): void {
    closeSync(this.descriptor);
  }

  remove(): void {
    closeSync(this.descriptor);
    unlinkSync(this.path);
  }
}
