/** Sends a subscriber the entries that it missed. */

import { visibleChanges } from '../log/change-view';
import {
  type BucketState,
  type ReadChangesDeps,
  readAfter,
  readBucketState,
} from '../log/cursor-reads';
import { stopAt } from '../stop-signal';
import type { Log } from '../system';
import { type CloseDeps, postWithRetries } from './closing';
import { changesMessages, serializeChanges } from './messages';
import type { Subscription } from './ports';

export type CatchUpDeps = ReadChangesDeps & CloseDeps & { readonly log: Log };

/** Time budget of a catch-up for one message of the client; the client asks again for the rest. */
export const CATCH_UP_MS = 8_000;
/**
 * Additional time to send the messages of the last read. With the retries for a busy connection
 * before and after it, this fits into the function's timeout of 29 s.
 */
const OVERTIME_MS = 3_000;
const ENTRIES_PER_READ = 500;

/**
 * Age after which an unpublished entry will not be published soon: fanout fails, or cannot keep up.
 */
const LATE_MS = 30_000;

/**
 * Sends the entries after the cursor until there are none left, or until `end` (epoch
 * milliseconds). It also sends entries that are committed during the catch-up: the client ignores a
 * pushed message that arrives before its predecessor. `mayContinue` is asked before each full read
 * but the first; false ends it. AWS calls: for each 500 entries 2 GetItem, 8 Query and a POST per
 * message, and 2 GetItem at the end; those of `mayContinue`.
 */
export async function catchUp(
  deps: CatchUpDeps,
  connectionId: string,
  subscription: Subscription,
  range: {
    readonly after: number;
    readonly end: number;
    readonly mayContinue: () => Promise<boolean>;
  },
): Promise<void> {
  const { bucket: name, bucketId: id, prefix } = subscription;
  const signal = stopAt(deps.clock, range.end + OVERTIME_MS);
  for (let cursor = range.after; ; ) {
    const bucket = await readBucketState(deps, name, id);
    const run = await readAfter(deps, bucket, cursor, ENTRIES_PER_READ);
    if (run.to === cursor) return;
    const isLast = deps.clock.now() >= range.end;
    const options = { prefix, head: run.head, more: isLast && run.more, signal };
    const serialized = { ...run, changes: serializeChanges(visibleChanges(run.entries, prefix)) };
    for (const message of changesMessages({ name, id }, serialized, options)) {
      if ((await postWithRetries(deps, connectionId, message)) !== 'sent') return;
    }
    if (isLast || signal.aborted) return;
    if (run.more && !(await range.mayContinue())) return;
    cursor = run.to;
  }
}

/**
 * Reports whether the subscriber missed an entry: one after its cursor that was published, or
 * should have been published long ago. A newer entry is left to fanout; otherwise every ping would
 * send it to every subscriber of a busy bucket a second time. AWS calls: 1 Query while an entry is
 * unpublished.
 */
export async function hasMissedEntries(
  deps: CatchUpDeps,
  bucket: BucketState,
  cursor: number,
): Promise<boolean> {
  if (bucket.stats.published > cursor) return true;
  const [next] = (await readAfter(deps, bucket, cursor, 1)).entries;
  return next !== undefined && deps.clock.now() - Date.parse(next.at) >= LATE_MS;
}
