/**
 * Reading a bucket's log from a position that somebody else kept: it may be too old, too new, or of
 * another life.
 */

import { invalid, ServiceError } from '../errors';
import type { ChangeEntry, ChangeLog } from '../log/ports';
import { EntriesTrimmed, readRun, requireUntrimmed, settledCursor } from '../log/reader';
import { bucketNotFound } from '../objects/bucket-ids';
import type { BucketRecord, BucketStats, Buckets } from '../objects/ports';
import type { Clock, Meter } from '../system';
import type { Expiry } from './messages';

export interface ReadChangesDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly meter: Meter;
}

/** The position cannot be followed from: 410 of the page, `reset` on the channel. */
export class CursorExpired extends ServiceError {
  constructor(readonly expiry: Expiry) {
    const { reason, oldest, head } = expiry;
    const replaced = reason === 'bucket_replaced';
    super('cursor_expired', {
      message: replaced
        ? 'the bucket was deleted and made again: list it, then follow from the cursor of the list'
        : 'the position is older than the retention: list the bucket, then follow from the cursor of the list',
      details: { oldest, head, ...(replaced && { reason }) },
    });
  }
}

export interface BucketState {
  readonly record: BucketRecord;
  readonly stats: BucketStats;
}

/**
 * The bucket, if it still is the life that `bucketId` names. 2 GetItem in parallel. Throws
 * not_found, PositionLost.
 */
export async function readBucketState(
  deps: Pick<ReadChangesDeps, 'buckets'>,
  name: string,
  bucketId?: string,
): Promise<BucketState> {
  const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
  if (!record || !stats) throw bucketNotFound(name);
  // Deleted and made again between the two reads.
  if (record.id !== stats.id) return readBucketState(deps, name, bucketId);
  if (bucketId !== undefined && bucketId !== record.id) {
    throw new CursorExpired({ reason: 'bucket_replaced', ...endsOf({ record, stats }) });
  }
  return { record, stats };
}

function endsOf({ record, stats }: BucketState) {
  return { oldest: stats.oldest, head: Math.min(stats.published, record.cursor) };
}

/**
 * Throws invalid_request for a position that no one was ever given, PositionLost for one below the
 * retention.
 */
export function checkCursor(bucket: BucketState, cursor: number): void {
  const { record, stats } = bucket;
  if (cursor > record.cursor) {
    const error = invalid('cursor', `must be at most the bucket's newest position`);
    throw new ServiceError('invalid_request', {
      message: error.message,
      details: { ...error.details, head: record.cursor },
    });
  }
  if (cursor + 1 < stats.oldest) throw expired(bucket);
}

function expired(bucket: BucketState): CursorExpired {
  return new CursorExpired({ reason: 'cursor_expired', ...endsOf(bucket) });
}

export interface ChangesRun {
  readonly from: number;
  /** `from` + the number of entries. */
  readonly to: number;
  /** Without a gap. */
  readonly entries: readonly ChangeEntry[];
  /** The newest position that is known to be readable; at least `to`. */
  readonly head: number;
  /** There may be more to read now: the run ended at its limit, not at a writer in flight. */
  readonly more: boolean;
}

/**
 * The entries after `cursor`, at most `limit` (1-1000) of them, up to the first writer in flight.
 * AWS calls: none at the head, else up to 8 Query, and 1 GetItem when an entry is missing (see
 * requireUntrimmed). Throws PositionLost.
 */
export async function readAfter(
  deps: ReadChangesDeps,
  bucket: BucketState,
  cursor: number,
  limit: number,
): Promise<ChangesRun> {
  const { record, stats } = bucket;
  const end = Math.min(record.cursor, cursor + limit);
  const onMissing = (missing: number) =>
    requireUntrimmed(deps.buckets, record, missing).catch((error: unknown) => {
      if (!(error instanceof EntriesTrimmed)) throw error;
      throw expired({ record, stats: error.stats ?? stats });
    });
  const { entries, gap } =
    end > cursor
      ? await readRun(deps, record, { after: cursor, to: end, onFirstGap: onMissing })
      : NOTHING;
  const to = cursor + entries.length;
  const head = Math.min(Math.max(to, stats.published), record.cursor);
  return { from: cursor, to, entries, head, more: gap === undefined && to < record.cursor };
}

const NOTHING = { entries: [], gap: undefined };

/** From now: the position at which every earlier number has its entry. */
export function currentCursor(
  deps: ReadChangesDeps,
  { record, stats }: BucketState,
): Promise<number> {
  return settledCursor(deps, record, stats);
}
