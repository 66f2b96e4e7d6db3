/** How far a consumer is behind its bucket. */
import { type BucketState, headOf } from '../channel/cursor-reads';
import { LIMITS } from '../limits';
import type { ChangeLog } from '../log/ports';
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
   * Age of the oldest change that it has not read; 0 when there is none. When that is no longer
   * kept: the time since the cursor was stored.
   */
  readonly seconds: number;
  /** Changes after its cursor have been trimmed: it cannot continue there. */
  readonly isBehindRetention: boolean;
}

/**
 * AWS calls: none for a consumer at the head or behind the retention, else 1 GetItem; 8 Query more
 * when the entry after its cursor is a no-op entry.
 */
export async function lagOf(
  deps: LagDeps,
  bucket: BucketState,
  { cursor, updatedAt }: Pick<Consumer, 'cursor' | 'updatedAt'>,
): Promise<Lag> {
  const head = headOf(bucket);
  const { oldest } = bucket.stats;
  const isBehindRetention = cursor + 1 < oldest;
  // Nobody knows the age of changes that are no longer kept: the cursor's own age counts.
  const since = isBehindRetention
    ? updatedAt
    : cursor < head && (await oldestChange(deps, bucket.record.id, cursor, head));
  const age = !since ? 0 : deps.clock.now() - Date.parse(since);
  return {
    changes: Math.max(0, head - cursor),
    seconds: Math.max(0, Math.round(age / 1000)),
    isBehindRetention,
  };
}

/**
 * When the first change of (after, head] was committed; of a long row of no-op entries, when its
 * end was. undefined: there is no change.
 */
async function oldestChange(
  { changeLog }: LagDeps,
  bucketId: string,
  after: number,
  head: number,
): Promise<string | undefined> {
  const next = await changeLog.get(bucketId, after + 1);
  if (next && next.type !== 'noop') return next.at;
  const end = Math.min(head, after + LIMITS.entriesPerRead);
  const entries = await changeLog.read(bucketId, after, end);
  const change = entries.find(({ type }) => type !== 'noop');
  return change || end < head ? (change ?? entries.at(-1))?.at : undefined;
}
