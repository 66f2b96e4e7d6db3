/**
 * Publishes a bucket's change log: pushes its entries to the subscribers that it reaches in time
 * and adds them to the counters, in order and without gaps. `published` marks how far this got. The
 * client's ping makes up for what a subscriber did not receive. Each step may run twice, late, or
 * concurrently on several instances: the mark moves by compare-and-set, and the counters with it.
 */

import type { StopSignal } from '../stop-signal';
import type { BucketRecord, BucketStats, Buckets, LogDigest } from '../store/buckets';
import type { Clock } from '../system';
import { nextDigest } from './digest';
import type { ChangeEntry } from './ports';
import type { PushLease } from './push-lease';
import { type ReaderDeps, type Run, readUntrimmedRun } from './reader';

export interface PublishDeps extends ReaderDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats' | 'movePublished'>;
  readonly clock: Clock;
}

/**
 * Sends a run, whose first entry follows `from`, to the subscribers that it reaches in time.
 * Resolves with the time at which the next push should begin, epoch milliseconds.
 */
export type Push = (
  record: BucketRecord,
  from: number,
  run: Run & { readonly digest: LogDigest },
) => Promise<number | undefined>;

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
   * when this instance dies in between, or another one moves the mark or takes the lease first.
   */
  readonly push?: Push;
  /**
   * Under which `push` pushes, so that no other instance pushes the same entries. `push` acquires
   * it, once it has found subscribers; here it is kept and released.
   */
  readonly lease?: PushLease;
  /** Keeps the lease until the next push should begin, so that fewer messages carry more. */
  readonly paces?: boolean;
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
 * Time for which an instance continues with entries that other instances left to it. The changes of
 * other buckets wait for it; the caller comes back later.
 */
const CONTINUE_MS = 1_000;

/** The same with pauses, in which the changes of other buckets wait too. */
const CONTINUE_PACED_MS = 500;

/**
 * Publishes everything up to the first gap, at most to `upTo`, and less when other instances
 * publish at the same time: the caller asks again later while `hasUnpublished`. Returns undefined
 * when the bucket, or the incarnation `id` of it, is gone. AWS calls: 2 GetItem, then for each 500
 * entries 8 Query and 1 UpdateItem, and 1 GetItem at a gap; with a push under a lease 1 UpdateItem
 * more for each 500 entries, and 1 GetItem or, at a gap, 1 Query at the end; 1 UpdateItem more when
 * it waits for the next push.
 */
export async function publishChanges(
  deps: PublishDeps,
  name: string,
  options: PublishOptions = {},
): Promise<LogState | undefined> {
  const { id, upTo, lease } = options;
  let { paces = false } = options;
  const end = deps.clock.now() + (paces ? CONTINUE_PACED_MS : CONTINUE_MS);
  // What this instance knows of the log, returned when it loses every race.
  let lastRead: LogState | undefined;
  for (let lost = 0; lost < MAX_LOST_RACES; ) {
    const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
    if (!record || !stats || (id ?? record.id) !== record.id) return undefined;
    if (record.id === stats.id) {
      lastRead = { record, stats };
      // The holder looks for newer entries after its lease, see `latestRecord`.
      if (lease?.isHeldByAnother(stats)) return lastRead;
      const published = await publishRuns(deps, lastRead, { ...options, paces });
      if (published) {
        const latest = await latestRecord(deps, published, upTo);
        if (!latest) return published;
        const isLate = deps.clock.now() >= end;
        if (isLate && !paces) return { ...published, record: latest };
        // What came in the last pause is pushed without a further one.
        paces &&= !isLate;
        continue;
      }
    }
    // The bucket was deleted and created again between the two reads, or another instance moved the
    // mark, perhaps not as far as the cursor read here: start over.
    lost += 1;
  }
  return lastRead;
}

interface Published extends LogState {
  /**
   * Some of it was pushed under the lease, so that others left what they found to this instance.
   */
  readonly underLease: boolean;
}

/** Returns undefined when another instance pushes or has published the same entries. */
async function publishRuns(
  deps: PublishDeps,
  { record, stats }: LogState,
  { upTo = record.cursor, fillAllGaps, signal, push, lease, paces }: PublishOptions,
): Promise<Published | undefined> {
  const to = Math.min(record.cursor, upTo);
  let current = stats;
  let underLease = false;
  while (current.published < to && !signal?.aborted) {
    const after = current.published;
    const run = await readUntrimmedRun(deps, record, { after, to, fillAllGaps });
    if (!run) return undefined;
    const digest = nextDigest(current, run.entries);
    const ended = { ...run, digest };
    const nextPush = run.entries.length > 0 ? await push?.(record, after, ended) : undefined;
    const isHeld = lease?.isHeld ?? false;
    const isLast = after + run.entries.length >= to || run.gap !== undefined;
    const wait = isHeld && isLast && paces ? (nextPush ?? 0) - deps.clock.now() : 0;
    const endsLease = isHeld && wait <= 0;
    const moved = lease?.isLost
      ? undefined
      : await movePublished(deps, record, current, { ...ended, endsLease });
    if (!moved) {
      await lease?.release();
      return undefined;
    }
    if (endsLease) lease?.ended();
    else if (isHeld) {
      await deps.clock.sleep(wait);
      // Before the look at what others left to this instance: see latestRecord.
      await lease?.release();
    }
    underLease ||= isHeld;
    current = moved;
    if (run.gap !== undefined) return { record, stats: current, underLease, gap: run.gap };
  }
  return { record, stats: current, underLease };
}

/**
 * The bucket as of now, if there is more to publish after a push under the lease. An instance that
 * found the lease taken has returned, so what invoked it would wait for the next invocation.
 */
async function latestRecord(
  deps: PublishDeps,
  { record, stats, gap, underLease }: Published,
  upTo = Number.POSITIVE_INFINITY,
): Promise<BucketRecord | undefined> {
  if (!underLease || stats.published >= upTo) return undefined;
  if (gap === undefined) {
    const current = await deps.buckets.get(record.name);
    return current?.id === record.id && hasUnpublished(current, stats) ? current : undefined;
  }
  return (await deps.changeLog.read(record.id, gap - 1, gap)).length > 0 ? record : undefined;
}

/** The statistics afterwards, or undefined when another instance has moved the mark. */
async function movePublished(
  deps: PublishDeps,
  record: BucketRecord,
  stats: BucketStats,
  { entries, digest, endsLease }: Run & { readonly digest: LogDigest; readonly endsLease: boolean },
): Promise<BucketStats | undefined> {
  if (entries.length === 0) return stats;
  const { objects, bytes } = countersOf(entries);
  const from = stats.published;
  const to = from + entries.length;
  const step = { from, to, objects, bytes, digest, ...(endsLease && { endsLease }) };
  if (!(await deps.buckets.movePublished(record, step))) return undefined;
  return {
    ...stats,
    published: to,
    digest: { ...digest, at: to },
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

/** Reports whether there are entries after the published mark. */
export function hasUnpublished(record: BucketRecord, stats: BucketStats): boolean {
  return stats.published < record.cursor;
}
