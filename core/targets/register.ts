/**
 * Gives a new target its first cursors: one in each bucket that existed before it. In every other
 * bucket the target starts at the first change.
 */

import { lowerBound } from '../log/lower-bound';
import { settledCursor } from '../log/reader';
import type { StopSignal } from '../stop-signal';
import type { Log } from '../system';
import { type AllBucketsDeps, allBuckets, type TargetBucket } from './bucket-log';
import type { Registration, Target, TargetCursors } from './ports';

export interface RegisterDeps extends AllBucketsDeps {
  readonly targetCursors: TargetCursors;
  readonly log: Log;
}

/**
 * A new target also receives the changes of the last minutes before it was first seen, so that
 * nothing is lost between the end of a deployment and that moment.
 */
const GRACE_MS = 15 * 60_000;

/**
 * Gives the target a cursor in each bucket that existed before it, whether the target follows that
 * bucket or not. Safe to repeat, and to run on several instances. Returns false when it was
 * stopped, and the next call continues. AWS calls: those of allBuckets, 1 Query, 1 UpdateItem, and
 * for each bucket without a cursor 1 UpdateItem, and up to 20 GetItem if its log is long.
 */
export async function register(
  deps: RegisterDeps,
  target: Target,
  { since }: Registration,
  signal: StopSignal,
): Promise<boolean> {
  const cursors = await deps.targetCursors.list(target.id);
  const initialized = new Set(cursors.map(({ bucket }) => bucket.id));
  const missing = (await allBuckets(deps)).filter(
    (bucket) => mayHaveExisted(bucket, since) && !initialized.has(bucket.id),
  );
  for (const [index, bucket] of missing.entries()) {
    if (signal.aborted) {
      const left = missing.length - index;
      deps.log.info('registration_continues', { target: target.id, left });
      return false;
    }
    const cursor = await firstCursor(deps, target, bucket, since);
    await deps.targetCursors.initialize(target.id, bucket, cursor);
  }
  await deps.targetCursors.completeRegistration(target.id);
  return true;
}

/** When a deleted bucket was created is not known: it counts if it was deleted before `since`. */
function mayHaveExisted({ state, deletedAt }: TargetBucket, since: number): boolean {
  return Date.parse(state?.record.createdAt ?? deletedAt ?? '') < since;
}

async function firstCursor(
  deps: RegisterDeps,
  { startFrom }: Target,
  { id, head, state }: TargetBucket,
  since: number,
): Promise<number> {
  if (!state) return head;
  const { record, stats } = state;
  if (startFrom === 'oldest') return stats.oldest - 1;
  const end = (await settledCursor(deps, record, stats)) + 1;
  // The times of entries rise with their cursors, give or take a few seconds, which the grace
  // period covers.
  const isRecent = async (cursor: number) => {
    const entry = await deps.changeLog.get(id, cursor);
    return entry !== undefined && Date.parse(entry.at) >= since - GRACE_MS;
  };
  return (await lowerBound(stats.oldest, end, isRecent)) - 1;
}
