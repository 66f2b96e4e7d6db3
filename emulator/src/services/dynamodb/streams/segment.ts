import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
} from 'node:fs';
import { basename } from 'node:path';
import { appendAll } from '../../../machine/append';

const NEWLINE = 10;
const RECORD = 'R'.charCodeAt(0);

/**
 * One file of a journal, named after the sequence number of its first record. Holds the offset of
 * each record in memory, 8 bytes each.
 */
export class Segment {
  readonly firstSequence: number;
  private readonly descriptor: number;
  private readonly offsets: number[] = [];
  private size = 0;

  /**
   * Opens or creates the file. Passes every line that is not a record to `replay`. Removes a last
   * line that a crash interrupted.
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

  /** Appends lines; `records` are the first of them. */
  append(text: string, records: readonly string[] = []): void {
    const data = Buffer.from(text);
    appendAll(this.descriptor, data, this.size);
    let offset = this.size;
    for (const record of records) {
      this.offsets.push(offset);
      offset += Buffer.byteLength(record);
    }
    this.size += data.length;
  }

  /**
   * Returns the JSON of the records from that sequence number on: at most `limit` records and at
   * most `maxBytes`, but at least one record.
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

  /** Time since the last line was appended. */
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
