/**
 * Allocates cursors only while nothing in the bucket has changed since a cursor N: compare-and-set
 * on a whole bucket, whose state is what its entries up to a cursor make of it.
 *
 * The counter decides, in the condition of the allocation: with N as the cursor that was allocated
 * last, every other writer comes after this one. A writer whose cursor is at most N may still be at
 * work. Its entry belongs to the state at N, and no client knows that state without having read the
 * entry, because no reader passes a gap. So N need not be published.
 *
 * The counter may be beyond N without a change: no-op entries are at the cursors of writers that
 * gave up, this one's earlier attempts among them. Whether a writer that is still at work makes a
 * change is not known yet; this one waits for it, at most as long as any reader does.
 */
import { type BucketRef, StaleBucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import type { Buckets } from '../store/buckets';
import type { ObjectRecord } from '../store/objects';
import type { Clock, Meter } from '../system';
import type { ChangeLog, Commits } from './ports';
import { GAP_FILL_AFTER_MS, type Run, readUntrimmedRun, settledCursor } from './reader';

export interface IfCursorDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'readShown' | 'fill'>;
  readonly commits: Pick<Commits, 'allocate'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Waits a random time that grows with the attempt (0, 1, 2 …). */
  readonly backoff: (attempt: number) => Promise<void>;
  readonly meter: Meter;
}

/** Bounds the cost. Ends the loop even if the clock stands still, as in tests. */
const MAX_ATTEMPTS = 60;

export class UnchangedBucket {
  /** Up to here, nothing has changed. */
  private cursor: number;
  /** The first cursor without an entry, and when it was first seen, epoch milliseconds. */
  private gap?: { readonly cursor: number; readonly since: number };

  constructor(
    private readonly deps: IfCursorDeps,
    private readonly bucket: BucketRef,
    private readonly ifCursor: number,
  ) {
    this.cursor = ifCursor;
  }

  /** Reports whether one of the records was changed after the cursor. */
  hasChanged(records: readonly (ObjectRecord | undefined)[]): boolean {
    return records.some((record) => (record?.cursor ?? 0) > this.ifCursor);
  }

  /**
   * Returns the first of `count` new cursors. Throws precondition_failed when something has
   * changed, StaleBucketRef, and `unavailable` when it cannot be determined in time. AWS calls: 1
   * UpdateItem; each time that the counter is beyond the cursor, 2 GetItem, 8 Query, 1 PutItem per
   * filled gap, and 1 UpdateItem.
   */
  async allocate(count: number): Promise<number> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const first = await this.deps.commits.allocate(this.bucket, count, this.cursor);
      if (first !== undefined) return first;
      if (!(await this.pass())) await this.deps.backoff(attempt);
    }
    throw unavailable();
  }

  /** Throws as `allocate` does, without allocating. AWS calls: 2 GetItem, 8 Query. */
  async require(): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (await this.pass()) return;
      await this.deps.backoff(attempt);
    }
    throw unavailable();
  }

  /**
   * Waits for the writers at or below the cursor. Whatever is read afterwards, and is not part of
   * the commit's transaction, is as at the cursor, or something has changed since. Throws as
   * `allocate`. AWS calls: 2 GetItem; unless everything up to the cursor is published 8 Query, and
   * 1 PutItem per filled gap.
   */
  async settle(): Promise<void> {
    let settled = 0;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { record, stats } = await this.read();
      if (this.ifCursor > record.cursor) throw await this.refusal();
      settled = Math.max(settled, stats.published);
      if (settled >= this.ifCursor) return;
      const run = await this.readAfter(settled, this.ifCursor);
      if (!run) continue;
      settled += run.entries.length;
      if (settled >= this.ifCursor) return;
      if (run.gap !== undefined) await this.deps.backoff(attempt);
    }
    throw unavailable();
  }

  /**
   * Moves the cursor over no-op entries. Returns false when there is a gap. Throws
   * precondition_failed.
   */
  private async pass(): Promise<boolean> {
    const { record } = await this.read();
    if (this.cursor > record.cursor) throw await this.refusal();
    const run = await this.readAfter(this.cursor, record.cursor);
    if (!run || run.entries.some(({ type }) => type !== 'noop')) throw await this.refusal();
    this.cursor += run.entries.length;
    if (run.gap !== undefined) return false;
    // A run that filled a gap has ended there.
    return this.cursor === record.cursor || this.pass();
  }

  /**
   * Fills a gap that was seen long enough ago. Returns undefined when the entries have been
   * trimmed.
   */
  private async readAfter(after: number, to: number): Promise<Run | undefined> {
    const now = this.deps.clock.now();
    const gap = this.gap && now - this.gap.since >= GAP_FILL_AFTER_MS ? this.gap : undefined;
    const run = await readUntrimmedRun(this.deps, this.bucket, {
      after,
      to: gap?.cursor ?? to,
      fillAllGaps: gap !== undefined,
    });
    if (run?.gap === undefined) this.gap = undefined;
    else if (run.gap !== this.gap?.cursor) this.gap = { cursor: run.gap, since: now };
    return run;
  }

  private async read() {
    const { name, id } = this.bucket;
    const [record, stats] = await Promise.all([
      this.deps.buckets.get(name),
      this.deps.buckets.stats(name),
    ]);
    if (record?.id !== id || record.closingAt !== undefined || stats?.id !== id) {
      throw new StaleBucketRef(`bucket ${name} is closing or is no longer ${id}`);
    }
    return { record, stats };
  }

  /** 412, with the cursor up to which every entry can be read now. */
  async refusal(): Promise<ServiceError> {
    const { record, stats } = await this.read();
    const cursor = await settledCursor(this.deps, record, stats);
    return new ServiceError('precondition_failed', {
      message: `if_cursor: the bucket is not at cursor ${this.ifCursor}`,
      details: { field: 'if_cursor', cursor },
    });
  }
}
