/** Changes from before the page was opened, read on demand. */
import { useState } from 'react';
import type { Change } from '../../../client/channel/events';
import { useAction } from '../parts/use-action';
import { useSession } from '../session/session-context';
import { MOST_SHOWN } from './change-window';
import { changesBefore } from './read-changes';
import type { Following } from './use-changes';

/** Number of cursors that one press of the button reads. */
const STEP = 200;

interface Earlier {
  readonly changes: readonly Change[];
  readonly after: number;
  readonly isOldest: boolean;
  /** How many live changes had been seen when the first part was read. */
  readonly seen: number;
}

/**
 * The live list holds at most MOST_SHOWN changes: once it drops one, the earlier changes would no
 * longer follow it without a gap, and are dropped too.
 */
export function useEarlier(bucket: string, following: Following) {
  const { storage } = useSession();
  const [read, setRead] = useState<Earlier>();
  const { seen, changes, progress } = following;
  const earlier = read && (seen <= MOST_SHOWN || read.seen === seen) ? read : undefined;
  const last = changes.at(-1);
  const upTo = earlier?.after ?? (last ? last.cursor - 1 : progress?.cursor);
  const { isBusy, error, run } = useAction(async () => {
    if (upTo === undefined) return;
    const part = await changesBefore(storage, bucket, upTo, { limit: STEP });
    setRead({
      changes: [...(earlier?.changes ?? []), ...part.changes],
      after: part.after,
      isOldest: part.isOldest,
      seen: earlier?.seen ?? seen,
    });
  });
  return {
    changes: earlier?.changes ?? [],
    /** undefined: not known yet. */
    isOldest: earlier?.isOldest ?? (upTo === undefined ? undefined : upTo === 0),
    isLoading: isBusy,
    error,
    load: run,
  };
}
