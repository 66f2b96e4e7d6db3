/** Measures how far a consumer is behind its bucket. */

import { LIMITS } from '../limits';
import { type BucketState, headOf } from '../log/cursor-reads';
import type { ChangeEntry, ChangeLog } from '../log/ports';
import type { Clock } from '../system';
import type { Consumer } from './ports';

export interface LagDeps {
  readonly changeLog: Pick<ChangeLog, 'get' | 'read'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Lag {
  /** Cursors between the consumer and the head. */
  readonly changes: number;
  /**
   * Age of the oldest change that the consumer has not read; 0 when there is none. If that change
   * was trimmed, the time since the cursor was stored.
   */
  readonly seconds: number;
  /** Changes after its cursor have been trimmed: it cannot continue there. */
  readonly isBehindRetention: boolean;
}

/**
 * Returns the lag. AWS calls: none for a consumer at the head or behind the retention, else 1
 * GetItem; 8 Query more when the entry after its cursor is a no-op entry.
 */
export async function lagOf(
  deps: LagDeps,
  bucket: BucketState,
  { cursor, updatedAt }: Pick<Consumer, 'cursor' | 'updatedAt'>,
): Promise<Lag> {
  const head = headOf(bucket);
  const first = await firstEntry(deps, bucket, cursor);
  // Up to the head every cursor has its entry unless it was trimmed, perhaps after the bucket was
  // read. The age of trimmed changes is unknown, so the age of the cursor counts.
  const isBehindRetention = cursor < head && !first;
  const since = isBehindRetention ? updatedAt : first && (await oldestChange(deps, bucket, first));
  const age = !since ? 0 : deps.clock.now() - Date.parse(since);
  return {
    changes: Math.max(0, head - cursor),
    seconds: Math.max(0, Math.round(age / 1000)),
    isBehindRetention,
  };
}

/** Returns the entry after the cursor, or undefined at the head and when that entry was trimmed. */
async function firstEntry(
  { changeLog }: LagDeps,
  bucket: BucketState,
  cursor: number,
): Promise<ChangeEntry | undefined> {
  const isKept = cursor + 1 >= bucket.stats.oldest;
  return isKept && cursor < headOf(bucket)
    ? changeLog.get(bucket.record.id, cursor + 1)
    : undefined;
}

/**
 * Returns the commit time of the first change from that entry to the head, or undefined without a
 * change. For a long run of no-op entries, returns the time of its last entry.
 */
async function oldestChange(
  { changeLog }: LagDeps,
  bucket: BucketState,
  first: ChangeEntry,
): Promise<string | undefined> {
  if (first.type !== 'noop') return first.at;
  const head = headOf(bucket);
  const end = Math.min(head, first.cursor + LIMITS.entriesPerRead - 1);
  const entries = await changeLog.read(bucket.record.id, first.cursor, end);
  const change = entries.find(({ type }) => type !== 'noop');
  return change || end < head ? (change ?? entries.at(-1))?.at : undefined;
}
