/**
 * Where a target begins in the buckets that were there before it. In all others it begins at their
 * first change.
 */
import { settledCursor } from '../log/feed';
import type { Log } from '../system';
import { allBuckets, type BucketsDeps, type TargetBucket } from './bucket-log';
import type { Registration, Target, TargetCursors } from './ports';

export interface RegisterDeps extends BucketsDeps {
  readonly targetCursors: TargetCursors;
  readonly log: Log;
}

/**
 * A target that begins now is told of what happened in the minutes before it was seen first, too:
 * so that nothing is lost between the end of a deployment and that moment.
 */
const NOW_MS = 15 * 60_000;

/**
 * Gives the target a position in each bucket that was there before it, whether it follows that
 * bucket or not. May run twice, and beside itself; false: it was stopped, and the next run goes on
 * there. AWS calls: those of allLives, 1 Query, 1 UpdateItem, and for each bucket without a
 * position 1 UpdateItem, and up to 20 GetItem for one with a long log.
 */
export async function register(
  deps: RegisterDeps,
  target: Target,
  { since }: Registration,
  stopAt: () => boolean,
): Promise<boolean> {
  const begun = new Set((await deps.targetCursors.list(target.id)).map(({ bucket }) => bucket.id));
  const lives = await allBuckets(deps);
  const missing = lives.filter((life) => wasThere(life, since) && !begun.has(life.id));
  for (const [index, life] of missing.entries()) {
    if (stopAt()) {
      const left = missing.length - index;
      deps.log.info('enrolment_continues', { target: target.id, left });
      return false;
    }
    await deps.targetCursors.initialize(target.id, life, await start(deps, target, life, since));
  }
  await deps.targetCursors.completeRegistration(target.id);
  return true;
}

/** Of a bucket that was deleted since, nobody knows when it was made. */
function wasThere({ state, endedAt }: TargetBucket, since: number): boolean {
  return Date.parse(state?.record.createdAt ?? endedAt ?? '') < since;
}

async function start(
  deps: RegisterDeps,
  { startFrom }: Target,
  { id, head, state }: TargetBucket,
  since: number,
): Promise<number> {
  if (!state) return head;
  const { record, stats } = state;
  if (startFrom === 'oldest') return stats.oldest - 1;
  let before = stats.oldest - 1;
  let after = await settledCursor(deps, record, stats);
  // Entries are as good as ordered by time: whoever is a few seconds off is within the minutes that
  // are granted.
  while (before < after) {
    const middle = Math.ceil((before + after) / 2);
    const entry = await deps.changeLog.get(id, middle);
    if (entry && Date.parse(entry.at) >= since - NOW_MS) after = middle - 1;
    else before = middle;
  }
  return before;
}
