/**
 * Publishes a bucket's change log: pushes its entries to the subscribers that it reaches in time
 * and adds them to the counters, in order and without gaps. `published` marks how far this got. The
 * client's ping makes up for what a subscriber did not receive. Each step may run twice, late, or
 * concurrently on several instances: the mark moves by compare-and-set, and the counters with it.
 */

import type { BucketRecord, BucketStats, Buckets } from '../objects/ports';
import type { StopSignal } from '../stop-signal';
import type { Clock } from '../system';
import type { ChangeEntry } from './ports';
import { type ReaderDeps, type Run, readUntrimmedRun } from './reader';

export interface PublishDeps extends ReaderDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats' | 'movePublished'>;
  readonly clock: Clock;
}

/** Sends a run, whose first entry follows `from`, to the subscribers that it reaches in time. */
export type Push = (record: BucketRecord, from: number, run: Run) => Promise<void>;

export interface PublishOptions {
  /** Only this incarnation of the bucket. */
  readonly id?: string;
  /** Fills gaps of any age. Only for cursors that were allocated GAP_FILL_AFTER_MS ago. */
  readonly fillAllGaps?: boolean;
  /** The last cursor to publish; by default the bucket's newest. */
  readonly upTo?: number;
  readonly signal?: StopSignal;
  /**
   * Called with each run before the mark moves over it. It is called again for the same entries
   * when this instance dies in between, or another one moves the mark first.
   */
  readonly push?: Push;
}

export interface LogState {
  readonly record: BucketRecord;
  /** As of now: after `publishChanges`, with the published mark that it reached. */
  readonly stats: BucketStats;
  /** The cursor at which publishing stopped, because its writer may still be at work. */
  readonly gap?: number;
}

/** How often publishing starts over when another instance has moved the mark. */
const MAX_LOST_RACES = 5;

/**
 * Publishes everything up to the first gap, at most to `upTo`. undefined: the bucket, or the
 * incarnation `id` of it, is gone. AWS calls: 2 GetItem, then for each 500 entries 8 Query and 1
 * UpdateItem, and 1 GetItem at a gap.
 */
export async function publishChanges(
  deps: PublishDeps,
  name: string,
  options: PublishOptions = {},
): Promise<LogState | undefined> {
  for (let race = 0; race < MAX_LOST_RACES; race++) {
    const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
    if (!record || !stats || (options.id ?? record.id) !== record.id) return undefined;
    // Deleted and created again between the two reads.
    if (record.id !== stats.id) continue;
    const state = await publishRuns(deps, { record, stats }, options);
    if (state) return state;
    // Another instance moved the mark, perhaps not as far as the cursor read here: start over.
  }
  throw new Error(`too many instances publish the changes of ${name} at once`);
}

/** undefined: another instance has moved the mark. */
async function publishRuns(
  deps: PublishDeps,
  { record, stats }: LogState,
  { upTo = record.cursor, fillAllGaps, signal, push }: PublishOptions,
): Promise<LogState | undefined> {
  const to = Math.min(record.cursor, upTo);
  let current = stats;
  while (current.published < to && !signal?.aborted) {
    const after = current.published;
    const run = await readUntrimmedRun(deps, record, { after, to, fillAllGaps });
    if (!run) return undefined;
    if (run.entries.length > 0) await push?.(record, after, run);
    const moved = await movePublished(deps, record, current, run);
    if (!moved) return undefined;
    current = moved;
    if (run.gap !== undefined) return { record, stats: current, gap: run.gap };
  }
  return { record, stats: current };
}

/** The statistics afterwards; undefined: another instance has moved the mark. */
async function movePublished(
  deps: PublishDeps,
  record: BucketRecord,
  stats: BucketStats,
  { entries }: Run,
): Promise<BucketStats | undefined> {
  if (entries.length === 0) return stats;
  const { objects, bytes } = countersOf(entries);
  const from = stats.published;
  const to = from + entries.length;
  if (!(await deps.buckets.movePublished(record, { from, to, objects, bytes }))) return undefined;
  return {
    ...stats,
    published: to,
    objectCount: stats.objectCount + objects,
    totalSize: stats.totalSize + bytes,
  };
}

/** What the entries add to the counters of their bucket. */
function countersOf(entries: readonly ChangeEntry[]): { objects: number; bytes: number } {
  let objects = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (entry.type === 'noop') continue;
    if (entry.object.state === 'live') {
      objects += 1;
      bytes += entry.object.size;
    }
    if (entry.previous?.state === 'live') {
      objects -= 1;
      bytes -= entry.previous.size;
    }
  }
  return { objects, bytes };
}

/** Whether there are entries after the published mark. */
export function hasUnpublished(record: BucketRecord, stats: BucketStats): boolean {
  return stats.published < record.cursor;
}
