/**
 * Reads a bucket's change log as a sequence without gaps. A gap is a cursor without an entry: its
 * writer is still working, or has died. A gap that is old enough is filled with a no-op entry, so
 * that readers never wait for a dead writer. A sequence never ends inside a commit of several
 * changes.
 */

import type { BucketRef } from '../bucket-ref';
import { LIMITS } from '../limits';
import type { BucketRecord, BucketStats, Buckets } from '../store/buckets';
import type { ObjectRecord, ShownRecord } from '../store/objects';
import type { Clock, Meter } from '../system';
import { committedCursors, endsInside } from './entries';
import type { ChangeEntry, ChangeLog, CursorRange, ShownEntry } from './ports';

/** A writer needs milliseconds between its cursor and its entry; after this time it has failed. */
export const GAP_FILL_AFTER_MS = 2000;

/** Where entries are read and filled: a change log, or `shownEntries` of one. */
export interface EntrySource<R extends ShownRecord = ObjectRecord> {
  read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry<R>[]>;
  fill(bucketId: string, gap: Extract<ChangeEntry, { type: 'noop' }>): Promise<ChangeEntry<R>>;
}

/** For readers that only show the entries, or count them. */
export function shownEntries(
  changeLog: Pick<ChangeLog, 'readShown' | 'fill'>,
): EntrySource<ShownRecord> {
  return {
    read: (bucketId, after, to) => changeLog.readShown(bucketId, after, to),
    fill: (bucketId, gap) => changeLog.fill(bucketId, gap),
  };
}

export interface ReaderDeps<R extends ShownRecord = ObjectRecord> {
  readonly changeLog: EntrySource<R>;
  readonly clock: Pick<Clock, 'now'>;
  readonly meter: Meter;
}

/** Consecutive entries of a log. */
export interface Run<R extends ShownRecord = ObjectRecord> {
  /** Without a gap, from the first cursor that was asked for; whole commits to the end. */
  readonly entries: readonly ChangeEntry<R>[];
  /**
   * The cursor at which a writer may still be at work. undefined: the run ended at its own limit.
   */
  readonly gap?: number;
}

export interface RunOptions {
  readonly after: number;
  readonly to: number;
  /** Fills gaps of any age. Only for cursors that were allocated GAP_FILL_AFTER_MS ago. */
  readonly fillAllGaps?: boolean;
  /** Called with the first cursor that has no entry, before the gap is filled or reported. */
  readonly onFirstGap?: (cursor: number) => Promise<void>;
}

/**
 * The entries after `after`, at most to `to` and at most 500, up to the first gap that may still be
 * filled by its writer. A gap below an entry older than GAP_FILL_AFTER_MS is filled here. Leaves
 * out a commit that ends beyond the limits, unless the run would be empty: then it contains that
 * whole commit. AWS calls: 8 Query, and 1 PutItem per filled gap; 8 Query more for a commit beyond
 * the limits.
 */
export async function readRun<R extends ShownRecord>(
  deps: ReaderDeps<R>,
  bucket: BucketRef,
  options: RunOptions,
): Promise<Run<R>> {
  const { after } = options;
  const end = Math.min(options.to, after + LIMITS.entriesPerRead);
  const run = await readUpTo(deps, bucket, options, end);
  const commit = endsInside(run.entries);
  if (!commit) return run;
  if (commit.first > after + 1) return { entries: run.entries.slice(0, commit.first - after - 1) };
  const rest = await readUpTo(
    deps,
    bucket,
    { ...options, after: end, within: commit },
    commit.last,
  );
  return { entries: [...run.entries, ...rest.entries] };
}

async function readUpTo<R extends ShownRecord>(
  deps: ReaderDeps<R>,
  bucket: BucketRef,
  options: RunOptions & { readonly within?: CursorRange },
  end: number,
): Promise<Run<R>> {
  const { after, fillAllGaps = false, onFirstGap, within } = options;
  const read = await deps.changeLog.read(bucket.id, after, end);
  const stored = new Map(read.map((entry) => [entry.cursor, entry]));
  const now = deps.clock.now();
  // Most runs have no gap.
  let gapRules: ReturnType<typeof rulesOfGaps> | undefined;
  const entries: ChangeEntry<R>[] = [];
  let gaps = 0;
  for (let cursor = after + 1; cursor <= end; cursor++) {
    const entry = stored.get(cursor);
    if (!entry) {
      if (gaps++ === 0) await onFirstGap?.(cursor);
      // The shards were not read at one moment. What was committed with an entry that was read is
      // stored by now, and filling its cursor returns it.
      gapRules ??= rulesOfGaps(read, { fillAllGaps, within, now });
      const { fillBelow, committed } = gapRules;
      if (cursor >= fillBelow && !committed.has(cursor)) return { entries, gap: cursor };
    }
    entries.push(entry ?? (await fillGap(deps, bucket, cursor, now)));
  }
  return { entries };
}

interface GapOptions {
  readonly fillAllGaps: boolean;
  readonly within: CursorRange | undefined;
  readonly now: number;
}

/** Which gaps among the entries are filled: those below a cursor, and those of a commit. */
function rulesOfGaps(read: readonly ShownEntry[], { fillAllGaps, within, now }: GapOptions) {
  const fillBelow = fillAllGaps ? Number.POSITIVE_INFINITY : newestOldEntry(read, now);
  return { fillBelow, committed: committedCursors(read, within) };
}

/** The highest cursor of an entry that is older than GAP_FILL_AFTER_MS; 0 if there is none. */
function newestOldEntry(entries: readonly ShownEntry[], now: number): number {
  const old = entries.filter(({ at }) => now - Date.parse(at) >= GAP_FILL_AFTER_MS);
  return Math.max(0, ...old.map(({ cursor }) => cursor));
}

/** Returns the entry that is stored there afterwards: the writer may have been faster. */
async function fillGap<R extends ShownRecord>(
  deps: ReaderDeps<R>,
  { name, id }: BucketRef,
  cursor: number,
  now: number,
): Promise<ChangeEntry<R>> {
  const at = new Date(now).toISOString();
  const stored = await deps.changeLog.fill(id, { type: 'noop', bucket: name, cursor, at });
  if (stored.type === 'noop') deps.meter.add('GapFills', 1);
  return stored;
}

/** The requested entries have been trimmed, or their bucket is gone. */
export class EntriesTrimmed extends Error {
  constructor(readonly stats: BucketStats | undefined) {
    super('the entries have been trimmed');
  }
}

/**
 * For `onFirstGap`: throws EntriesTrimmed when the missing entry was trimmed or the bucket is gone.
 * A trimmed entry and one whose writer is still at work look the same; `oldest`, which rises before
 * entries are removed, distinguishes them. Without this check a trimmed entry would be replaced by
 * a no-op entry, and the reader would miss a change. AWS calls: 1 GetItem.
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

export interface UntrimmedDeps<R extends ShownRecord = ObjectRecord> extends ReaderDeps<R> {
  readonly buckets: Pick<Buckets, 'stats'>;
}

/**
 * Returns undefined when the entries have been trimmed since another instance published them, or
 * the incarnation of the bucket is gone.
 */
export async function readUntrimmedRun<R extends ShownRecord>(
  deps: UntrimmedDeps<R>,
  bucket: BucketRef,
  options: Omit<RunOptions, 'onFirstGap'>,
): Promise<Run<R> | undefined> {
  const onFirstGap = (cursor: number) => requireUntrimmed(deps.buckets, bucket, cursor);
  try {
    return await readRun(deps, bucket, { ...options, onFirstGap });
  } catch (error) {
    if (error instanceof EntriesTrimmed) return undefined;
    throw error;
  }
}

export type SettledDeps = Omit<UntrimmedDeps, 'changeLog'> & {
  readonly changeLog: Pick<ChangeLog, 'readShown' | 'fill'>;
};

/**
 * The cursor after which a reader misses nothing: every cursor up to it has its entry. The bucket's
 * own cursor may be ahead of writers that are still at work. AWS calls: none when everything is
 * published, else 8 Query, and 1 GetItem at a gap.
 */
export async function settledCursor(
  deps: SettledDeps,
  record: BucketRecord,
  stats: BucketStats | undefined,
): Promise<number> {
  const published = stats?.id === record.id ? stats.published : 0;
  if (published >= record.cursor) return record.cursor;
  const shown = { ...deps, changeLog: shownEntries(deps.changeLog) };
  const run = await readUntrimmedRun(shown, record, { after: published, to: record.cursor });
  if (run) return published + run.entries.length;
  const current = await deps.buckets.stats(record.name);
  // The bucket was deleted: the caller's next step fails for that reason.
  return current?.id === record.id ? settledCursor(deps, record, current) : published;
}
