/**
 * The records of one stream on disk, append-only, in segments. A line is a letter and JSON:
 * - `I` an intent, before the write is forwarded: `{id, writes: [{kind, keys}]}`
 * - `R` a record; sequence numbers are consecutive
 * - `S` an intent is settled, and its records are before this line: `{id, token?}`
 * - `C` a checkpoint of a consumer: `{consumer, sequence}`
 *
 * Each append is one write(2) without fsync: it survives the end of every process, but not of the
 * machine. After a crash the outcome of an intent without `S` is read from the items. Its records
 * may then be in the stream twice, but are never missing.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamRecord } from '../../events/stream-source';
import type { Item } from '../protocol/attribute-value';
import { Segment } from './segment';

export interface Intent {
  readonly id: number;
  readonly writes: readonly { readonly kind: 'put' | 'update' | 'delete'; readonly keys: Item }[];
}

const RETENTION_MILLISECONDS = 24 * 3_600_000;
/** A batch that Lambda passes to a function has at most 6 MB. */
const MAX_READ_BYTES = 6 * 1024 * 1024;
const MAX_TOKENS = 50_000;

export class Journal {
  private readonly segments: Segment[] = [];
  private readonly open = new Map<number, Intent>();
  private readonly checkpoints = new Map<string, string>();
  /** Tokens of transactions whose records are in the stream, oldest first. */
  private readonly tokens = new Set<string>();
  private nextIntent = 1;

  constructor(
    private readonly directory: string,
    private readonly segmentBytes = 1024 * 1024,
  ) {
    mkdirSync(directory, { recursive: true });
    for (const file of readdirSync(directory).sort()) {
      this.segments.push(
        new Segment(join(directory, file), (kind, json) => this.replay(kind, json)),
      );
    }
    if (this.segments.length === 0) this.segments.push(this.newSegment(1));
    this.trim();
  }

  /** Intents that are not settled. */
  get openIntents(): readonly Intent[] {
    return [...this.open.values()];
  }

  /** Adds an intent to write these items. On disk when this returns. Returns its id. */
  intend(writes: Intent['writes']): number {
    const intent = { id: this.nextIntent++, writes };
    this.active.append(line('I', intent));
    this.open.set(intent.id, intent);
    return intent.id;
  }

  /**
   * Settles an intent and adds its records, none if the write was refused. On disk and readable
   * when this returns.
   */
  settle(
    id: number,
    records: readonly ((sequence: string) => StreamRecord)[],
    token?: string,
  ): void {
    const first = this.active.nextSequence;
    const lines = records.map((record, index) => line('R', record(sequenceText(first + index))));
    this.active.append(lines.join('') + line('S', { id, token }), lines);
    this.open.delete(id);
    if (token !== undefined) this.addToken(token);
    if (this.active.bytes > this.segmentBytes && this.active.count > 0) this.rotate();
  }

  /**
   * Reports whether the transaction with that token is in the stream, so that a new one repeats it.
   */
  hasTransaction(token: string): boolean {
    return this.tokens.has(token);
  }

  read(after: string | undefined, limit: number): readonly StreamRecord[] {
    const from = Math.max(after === undefined ? 1 : sequenceNumber(after) + 1, this.oldest);
    const segment = this.segments.findLast((candidate) => candidate.firstSequence <= from);
    const records: StreamRecord[] = [];
    let bytes = 0;
    for (
      let index = segment === undefined ? this.segments.length : this.segments.indexOf(segment);
      index < this.segments.length && records.length < limit && bytes < MAX_READ_BYTES;
      index++
    ) {
      const texts = this.segments[index]?.read(
        from,
        limit - records.length,
        MAX_READ_BYTES - bytes,
      );
      for (const text of texts ?? []) {
        bytes += text.length;
        records.push(JSON.parse(text));
      }
    }
    return records;
  }

  get latest(): string | undefined {
    const next = this.active.nextSequence;
    return next === this.oldest ? undefined : sequenceText(next - 1);
  }

  checkpoint(consumer: string): string | undefined {
    return this.checkpoints.get(consumer);
  }

  saveCheckpoint(consumer: string, sequence: string): void {
    this.active.append(line('C', { consumer, sequence }));
    this.checkpoints.set(consumer, sequence);
    this.trim();
  }

  close(): void {
    for (const segment of this.segments) segment.close();
  }

  private get active(): Segment {
    const segment = this.segments.at(-1);
    if (segment === undefined) throw new Error('a journal has at least one segment');
    return segment;
  }

  private get oldest(): number {
    return this.segments[0]?.firstSequence ?? 1;
  }

  private newSegment(first: number): Segment {
    return new Segment(join(this.directory, `${String(first).padStart(16, '0')}.log`));
  }

  /**
   * Starts a segment with the checkpoints and open intents of the older ones, so that those can be
   * deleted. After a crash in between they are in both.
   */
  private rotate(): void {
    const segment = this.newSegment(this.active.nextSequence);
    const kept = [
      ...[...this.checkpoints].map(([consumer, sequence]) => line('C', { consumer, sequence })),
      ...this.openIntents.map((intent) => line('I', intent)),
    ];
    if (kept.length > 0) segment.append(kept.join(''));
    this.segments.push(segment);
    this.trim();
  }

  /**
   * Deletes segments that every consumer with a checkpoint has passed, and those older than 24
   * hours. A consumer without a checkpoint does not retain segments: to miss no record, it saves
   * `0` before it first reads.
   */
  private trim(): void {
    const passed = Math.min(...[...this.checkpoints.values()].map(sequenceNumber));
    let [first, second] = this.segments;
    while (first !== undefined && second !== undefined) {
      const isPassed = this.checkpoints.size > 0 && second.firstSequence - 1 <= passed;
      if (!isPassed && first.ageMilliseconds() < RETENTION_MILLISECONDS) return;
      this.segments.shift()?.remove();
      [first, second] = this.segments;
    }
  }

  private replay(kind: string, json: string): void {
    const value = JSON.parse(json);
    if (kind === 'I') {
      this.open.set(value.id, value);
      this.nextIntent = Math.max(this.nextIntent, value.id + 1);
    } else if (kind === 'S') {
      this.open.delete(value.id);
      this.nextIntent = Math.max(this.nextIntent, value.id + 1);
      if (value.token !== undefined) this.addToken(value.token);
    } else if (kind === 'C') {
      this.checkpoints.set(value.consumer, value.sequence);
    }
  }

  private addToken(token: string): void {
    this.tokens.add(token);
    if (this.tokens.size <= MAX_TOKENS) return;
    for (const oldest of this.tokens) {
      this.tokens.delete(oldest);
      return;
    }
  }
}

function line(kind: string, value: unknown): string {
  return `${kind}${JSON.stringify(value)}\n`;
}

/**
 * 21 digits: as in AWS, more than a JavaScript number can represent, so that a function that uses
 * Number fails here too.
 */
function sequenceText(number: number): string {
  return `1${String(number).padStart(20, '0')}`;
}

/** Shorter text is before the first record, by the order of compareSequences. */
function sequenceNumber(text: string): number {
  return text.length < 21 ? 0 : Number(text.slice(1));
}
