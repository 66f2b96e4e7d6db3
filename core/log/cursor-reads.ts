/**
 * Reads a bucket's change log from a client's cursor, which may be too old, too new, or of another
 * incarnation of the bucket.
 */

import { invalid, ServiceError } from '../errors';
import { LIMITS } from '../limits';
import { bucketNotFound } from '../not-found';
import type { BucketRecord, BucketStats, Buckets, LogDigest } from '../store/buckets';
import type { Clock, Meter } from '../system';
import { publishedDigest } from './digest';
import type { ChangeLog, ShownEntry } from './ports';
import { EntriesTrimmed, readRun, requireUntrimmed, settledCursor, shownEntries } from './reader';

export interface ReadChangesDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats'>;
  readonly changeLog: Pick<ChangeLog, 'readShown' | 'fill'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly meter: Meter;
}

/** Why changes can no longer be read from a cursor. */
export interface Expiry {
  readonly reason: 'cursor_expired' | 'bucket_replaced';
  readonly oldest: number;
  readonly head: number;
}

/** Changes cannot be read from the cursor: 410 of a page, `reset` on the channel. */
export class CursorExpired extends ServiceError {
  constructor(readonly expiry: Expiry) {
    const { reason, oldest, head } = expiry;
    const replaced = reason === 'bucket_replaced';
    super('cursor_expired', {
      message: replaced
        ? 'the bucket was deleted and created again: list it, then follow from the cursor of the list'
        : 'the cursor is older than the retention: list the bucket, then follow from the cursor of the list',
      details: { oldest, head, ...(replaced && { reason }) },
    });
  }
}

export interface BucketState {
  readonly record: BucketRecord;
  readonly stats: BucketStats;
}

/**
 * The bucket with its statistics. Throws not_found, and CursorExpired if `bucketId` names another
 * incarnation. AWS calls: 2 GetItem in parallel.
 */
export async function readBucketState(
  deps: Pick<ReadChangesDeps, 'buckets'>,
  name: string,
  bucketId?: string,
): Promise<BucketState> {
  const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
  if (!record || !stats) throw bucketNotFound(name);
  // The bucket was deleted and created again between the two reads.
  if (record.id !== stats.id) return readBucketState(deps, name, bucketId);
  if (bucketId !== undefined && bucketId !== record.id) {
    throw new CursorExpired({ reason: 'bucket_replaced', ...rangeOf({ record, stats }) });
  }
  return { record, stats };
}

/** The newest cursor that is published. */
export function headOf({ record, stats }: BucketState): number {
  return Math.min(stats.published, record.cursor);
}

/**
 * The digest of the log up to the cursor, if that is the published mark. undefined with a prefix:
 * the changes below it are not the log.
 */
export function digestAt(
  { stats }: BucketState,
  cursor: number,
  prefix = '',
): LogDigest | undefined {
  return cursor === stats.published && prefix === '' ? publishedDigest(stats) : undefined;
}

function rangeOf(bucket: BucketState) {
  return { oldest: bucket.stats.oldest, head: headOf(bucket) };
}

/**
 * Throws invalid_request if the cursor was never allocated, CursorExpired if entries after it are
 * trimmed.
 */
export function checkCursor(bucket: BucketState, cursor: number): void {
  const { record, stats } = bucket;
  if (cursor > record.cursor) {
    const error = invalid('cursor', `must be at most the bucket's newest cursor`);
    throw new ServiceError('invalid_request', {
      message: error.message,
      details: { ...error.details, head: record.cursor },
    });
  }
  if (cursor + 1 < stats.oldest) throw expired(bucket);
}

function expired(bucket: BucketState): CursorExpired {
  return new CursorExpired({ reason: 'cursor_expired', ...rangeOf(bucket) });
}

export interface ChangesRun {
  readonly from: number;
  /** `from` + the number of entries. */
  readonly to: number;
  /** Contiguous from `from` on. */
  readonly entries: readonly ShownEntry[];
  /** The newest cursor that is known to be readable; at least `to`. */
  readonly head: number;
  /** Of the log up to `to`, if that is the published mark. */
  readonly digest?: LogDigest;
  /** There may be more to read now: the run ended at its limit, not at a gap. */
  readonly more: boolean;
}

/**
 * The entries after `cursor`, at most `limit` (1-1000) of them unless a single commit has more, up
 * to the first gap whose writer may be in flight; whole commits. Throws CursorExpired. AWS calls:
 * none at the head, else up to 8 Query per 500 entries, and 1 GetItem when an entry is missing (see
 * requireUntrimmed); those of readRun for a commit beyond the limit.
 */
export async function readAfter(
  deps: ReadChangesDeps,
  bucket: BucketState,
  cursor: number,
  limit: number,
): Promise<ChangesRun> {
  const { record, stats } = bucket;
  const end = Math.min(record.cursor, cursor + limit);
  const onFirstGap = (missing: number) =>
    requireUntrimmed(deps.buckets, record, missing).catch((error: unknown) => {
      if (!(error instanceof EntriesTrimmed)) throw error;
      throw expired({ record, stats: error.stats ?? stats });
    });
  const shown = { ...deps, changeLog: shownEntries(deps.changeLog) };
  const entries: ShownEntry[] = [];
  let gap: number | undefined;
  let isAtEnd = end <= cursor;
  while (gap === undefined && !isAtEnd) {
    const after = cursor + entries.length;
    const run = await readRun(shown, record, { after, to: end, onFirstGap });
    entries.push(...run.entries);
    gap = run.gap;
    // What a run up to the end leaves out belongs to a commit that ends after it.
    isAtEnd = after + LIMITS.entriesPerRead >= end;
  }
  const to = cursor + entries.length;
  const head = Math.min(Math.max(to, stats.published), record.cursor);
  const digest = digestAt(bucket, to);
  const more = gap === undefined && to < record.cursor;
  return { from: cursor, to, entries, head, ...(digest && { digest }), more };
}

/** The newest cursor up to which every entry is written: where "from now" starts. */
export function currentCursor(
  deps: ReadChangesDeps,
  { record, stats }: BucketState,
): Promise<number> {
  return settledCursor(deps, record, stats);
}
