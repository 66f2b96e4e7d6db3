/**
 * Reading a bucket's change log as a gapless sequence: fencing holes, moving `delivered`, keeping the counters.
 * Each step may run twice, late or beside itself: `delivered` moves by compare-and-set, and the counters with it.
 */
import type { BucketRecord, BucketStats, Buckets, ChangeEntry, ChangeLog, Clock } from './ports';

/** A writer needs some milliseconds between its number and its entry; one that took this long is fenced. */
export const FENCE_AFTER_MS = 2000;

/** Entries read at a time. */
const SLICE = 500;

export interface FeedDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats' | 'advance'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly clock: Clock;
}

export interface Run {
  /** Without a gap from the first number asked for. */
  readonly entries: readonly ChangeEntry[];
  /** The number at which a writer may still be in flight; undefined = the run reached its end. */
  readonly hole?: number;
}

/**
 * The entries after `after` up to the first hole, at most to `to`. A hole below an entry older than FENCE_AFTER_MS is
 * filled with a void and is none any more; with `force`, every hole is.
 */
export async function readRun(
  deps: Pick<FeedDeps, 'changeLog' | 'clock'>,
  bucket: { readonly name: string; readonly id: string },
  after: number,
  to: number,
  force: boolean,
): Promise<Run> {
  const end = Math.min(to, after + SLICE);
  const stored = new Map(
    (await deps.changeLog.read(bucket.id, after, end)).map((entry) => [entry.cursor, entry]),
  );
  const now = deps.clock.now();
  const old = Math.max(
    after,
    ...[...stored.values()]
      .filter((entry) => now - Date.parse(entry.at) >= FENCE_AFTER_MS)
      .map((entry) => entry.cursor),
  );
  const entries: ChangeEntry[] = [];
  for (let cursor = after + 1; cursor <= end; cursor++) {
    const entry = stored.get(cursor);
    if (entry) {
      entries.push(entry);
    } else if (force || cursor < old) {
      const at = new Date(now).toISOString();
      entries.push(
        await deps.changeLog.fill(bucket.id, { type: 'void', bucket: bucket.name, cursor, at }),
      );
    } else {
      return { entries, hole: cursor };
    }
  }
  return { entries };
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

/**
 * Moves `delivered` over everything that is contiguous, at most to `upTo`.
 * AWS calls: 2 GetItem, then for each 500 entries 8 Query and 1 UpdateItem (half as many when the last slice is short).
 * Answers the hole that it stopped at, if any.
 */
export async function advanceFeed(
  deps: FeedDeps,
  name: string,
  options: {
    readonly force?: boolean;
    readonly upTo?: number;
    readonly stopAt?: () => boolean;
  } = {},
): Promise<{ readonly delivered: number; readonly hole?: number } | undefined> {
  const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
  if (!record || !stats) return undefined;
  const head = Math.min(record.cursor, options.upTo ?? record.cursor);
  let delivered = stats.delivered;
  while (delivered < head && !options.stopAt?.()) {
    const run = await readRun(deps, record, delivered, head, options.force ?? false);
    const moved = await deliver(deps, record, delivered, run);
    if (!moved) return undefined;
    delivered += run.entries.length;
    if (run.hole !== undefined) return { delivered, hole: run.hole };
  }
  return { delivered };
}

async function deliver(
  deps: FeedDeps,
  record: BucketRecord,
  from: number,
  run: Run,
): Promise<boolean> {
  if (run.entries.length === 0) return true;
  const step = { from, to: from + run.entries.length, ...countersOf(run.entries) };
  return deps.buckets.advance(record.name, record.id, step);
}

/** Is there anything after `delivered`? */
export function isBehind(record: BucketRecord, stats: BucketStats): boolean {
  return stats.delivered < record.cursor;
}
