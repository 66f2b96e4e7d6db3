/**
 * Reading a bucket's change log as a gapless sequence: fencing holes, moving `delivered`, keeping
 * the counters. Each step may run twice, late or beside itself: `delivered` moves by
 * compare-and-set, and the counters with it.
 */

import type { BucketRef } from '../bucket-ref';
import type { BucketRecord, BucketStats, Buckets } from '../objects/ports';
import type { Clock, Meter } from '../system';
import type { ChangeEntry, ChangeLog } from './ports';

/**
 * A writer needs some milliseconds between its number and its entry; one that took this long is
 * fenced.
 */
export const GAP_FILL_AFTER_MS = 2000;

/** Entries read at a time. */
const SLICE = 500;

export interface PublishDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats' | 'movePublished'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly clock: Clock;
  readonly meter: Meter;
}

export interface LogDeps {
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly meter: Meter;
}

export interface Run {
  /** Without a gap from the first number asked for. */
  readonly entries: readonly ChangeEntry[];
  /** The number at which a writer may still be in flight; undefined = the run reached its end. */
  readonly gap?: number;
}

/**
 * The entries after `after` up to the first hole, at most to `to`. A hole below an entry older than
 * FENCE_AFTER_MS is filled with a void and is none any more; with `force`, every hole is.
 */
export async function readRun(
  deps: LogDeps,
  bucket: BucketRef,
  after: number,
  to: number,
  options: {
    readonly force?: boolean;
    /**
     * Called once, with the first number that has no entry, before anything is concluded from that.
     */
    readonly onMissing?: (cursor: number) => Promise<void>;
  } = {},
): Promise<Run> {
  const end = Math.min(to, after + SLICE);
  const stored = new Map(
    (await deps.changeLog.read(bucket.id, after, end)).map((entry) => [entry.cursor, entry]),
  );
  const now = deps.clock.now();
  const old = Math.max(
    after,
    ...[...stored.values()]
      .filter((entry) => now - Date.parse(entry.at) >= GAP_FILL_AFTER_MS)
      .map((entry) => entry.cursor),
  );
  const entries: ChangeEntry[] = [];
  let missing = 0;
  for (let cursor = after + 1; cursor <= end; cursor++) {
    const entry = stored.get(cursor);
    if (entry) {
      entries.push(entry);
      continue;
    }
    if (missing++ === 0) await options.onMissing?.(cursor);
    if (options.force || cursor < old) {
      const filled = await deps.changeLog.fill(bucket.id, {
        type: 'void',
        bucket: bucket.name,
        cursor,
        at: new Date(now).toISOString(),
      });
      if (filled.type === 'void') deps.meter.add('GapFills', 1);
      entries.push(filled);
    } else {
      return { entries, gap: cursor };
    }
  }
  return { entries };
}

/**
 * For `onMissing`: trimmed entries and writers in flight look the same, and `oldest`, which rises
 * before an entry goes, tells them apart. Without this a trimmed entry would be fenced with a void,
 * and whoever is handed that void loses a change. 1 GetItem. Throws Trimmed.
 */
export async function requireUntrimmed(
  buckets: Pick<Buckets, 'stats'>,
  { name, id }: BucketRef,
  missing: number,
): Promise<void> {
  const found = await buckets.stats(name);
  const stats = found?.id === id ? found : undefined;
  if (!stats || missing < stats.oldest) throw new EntriesTrimmed(stats);
}

/** The entries that were read for are gone: whoever reads is behind. */
export class EntriesTrimmed extends Error {
  constructor(readonly stats: BucketStats | undefined) {
    super('the entries have been trimmed');
  }
}

/** What a run of entries does to the counters. */
export function countersOf(entries: readonly ChangeEntry[]): { objects: number; bytes: number } {
  let objects = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (entry.type === 'void') continue;
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

/** Times that a feed which someone else moved is looked at again. */
const MAX_LOST_RACES = 5;

/** Delivers a run, of which the first entry follows `from`, to whoever follows the bucket. */
export type Push = (record: BucketRecord, from: number, run: Run) => Promise<void>;

export interface BucketLog {
  readonly record: BucketRecord;
  /** As they are now. */
  readonly stats: BucketStats;
  /** Where it stopped, if a writer may still be in flight. */
  readonly gap?: number;
}

/**
 * Moves `delivered` over everything that is contiguous, at most to `upTo`. undefined: the bucket,
 * or with `id` that life of it, is gone. AWS calls: 2 GetItem, then for each 500 entries 8 Query
 * and 1 UpdateItem, and 1 GetItem at a hole.
 */
export async function publishChanges(
  deps: PublishDeps,
  name: string,
  options: {
    readonly id?: string;
    readonly force?: boolean;
    readonly upTo?: number;
    readonly stopAt?: () => boolean;
    /**
     * Given each run before `delivered` moves over it: again when this one dies in between, or
     * another one is quicker.
     */
    readonly push?: Push;
  } = {},
): Promise<BucketLog | undefined> {
  for (let race = 0; race < MAX_LOST_RACES; race++) {
    const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
    if (!record || !stats || (options.id ?? record.id) !== record.id) return undefined;
    // Deleted and made again between the two reads.
    if (record.id !== stats.id) continue;
    const feed = await deliverRuns(deps, { record, stats }, options);
    // Whoever else moved it may have known an older head.
    if (feed) return feed;
  }
  throw new Error(`the feed of ${name} is moved by too many at once`);
}

/** undefined: someone else moved `delivered` meanwhile. */
async function deliverRuns(
  deps: PublishDeps,
  { record, stats }: BucketLog,
  options: {
    readonly force?: boolean;
    readonly upTo?: number;
    readonly stopAt?: () => boolean;
    readonly push?: Push;
  },
): Promise<BucketLog | undefined> {
  const head = Math.min(record.cursor, options.upTo ?? record.cursor);
  let now = stats;
  while (now.published < head && !options.stopAt?.()) {
    const run = await untrimmedRun(deps, record, now.published, head, options.force);
    if (!run) return undefined;
    if (run.entries.length > 0) await options.push?.(record, now.published, run);
    const moved = await deliver(deps, record, now, run);
    if (!moved) return undefined;
    now = moved;
    if (run.gap !== undefined) return { record, stats: now, gap: run.gap };
  }
  return { record, stats: now };
}

/** undefined: someone else has delivered it, and it was trimmed since. */
async function untrimmedRun(
  deps: LogDeps & { readonly buckets: Pick<Buckets, 'stats'> },
  record: BucketRecord,
  after: number,
  to: number,
  force?: boolean,
): Promise<Run | undefined> {
  const onMissing = (missing: number) => requireUntrimmed(deps.buckets, record, missing);
  try {
    return await readRun(deps, record, after, to, { force, onMissing });
  } catch (error) {
    if (error instanceof EntriesTrimmed) return undefined;
    throw error;
  }
}

async function deliver(
  deps: PublishDeps,
  record: BucketRecord,
  stats: BucketStats,
  run: Run,
): Promise<BucketStats | undefined> {
  if (run.entries.length === 0) return stats;
  const { objects, bytes } = countersOf(run.entries);
  const from = stats.published;
  const to = from + run.entries.length;
  if (!(await deps.buckets.movePublished(record, { from, to, objects, bytes }))) {
    return undefined;
  }
  return {
    ...stats,
    published: to,
    objectCount: stats.objectCount + objects,
    totalSize: stats.totalSize + bytes,
  };
}

/**
 * The position from which a follower misses nothing: every number up to it has its entry. The
 * counter itself may be ahead of writers that are still under way. AWS calls: none when all is
 * delivered, else 8 Query, and 1 GetItem at a hole.
 */
export async function settledCursor(
  deps: LogDeps & { readonly buckets: Pick<Buckets, 'stats'> },
  record: BucketRecord,
  stats: BucketStats | undefined,
): Promise<number> {
  const delivered = stats?.id === record.id ? stats.published : 0;
  if (delivered >= record.cursor) return record.cursor;
  const run = await untrimmedRun(deps, record, delivered, record.cursor);
  if (run) return delivered + run.entries.length;
  const now = await deps.buckets.stats(record.name);
  // Gone meanwhile: what follows will find that out.
  return now?.id === record.id ? settledCursor(deps, record, now) : delivered;
}

/** Is there anything after `delivered`? */
export function hasUnpublished(record: BucketRecord, stats: BucketStats): boolean {
  return stats.published < record.cursor;
}
