/**
 * Notifies a target of a bucket's changes: in order, each entry at least once, never past a gap.
 * The cursor moves only after the target has accepted everything up to it, so a crash at any point
 * repeats notifications and never skips one. The lease saves repetitions; correctness does not
 * depend on it.
 */

import type { BucketRef } from '../bucket-ref';
import type { StopSignal } from '../stop-signal';
import type { Clock, Ids, Log } from '../system';
import {
  type BucketLogDeps,
  findBucket,
  mayHaveMore,
  readBucketLog,
  type TargetBucket,
} from './bucket-log';
import { changesNotifications, type Notification, resetNotification } from './notifications';
import type { Target, TargetCursor, TargetCursors } from './ports';

export interface NotifyDeps extends BucketLogDeps {
  readonly targetCursors: TargetCursors;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'ulid'>;
  readonly log: Log;
}

/** Entries that are read at a time, and sent before the cursor moves. */
const ENTRIES_PER_READ = 100;

/**
 * What a lease lasts beyond the timeout of the target: for the reads and writes around the call.
 */
const LEASE_MARGIN_MS = 15_000;

/** Upper bound of the exponential backoff after a failed notification. */
const MAX_BACKOFF_MS = 60_000;

/** After this many failures in a row the instance leaves the next attempt to a later sweep. */
const MAX_FAILURES_PER_TASK = 3;

/**
 * `done`: nothing is left to send. `busy`: another attempt holds the lease, or the target backs
 * off. `failing`: the target failed too often. `stopped`: there is more, and no time left.
 */
export type Outcome = 'done' | 'busy' | 'failing' | 'stopped';

/**
 * Sends the target everything after its cursor. Failures of the target are logged and counted, not
 * thrown. AWS calls, not counting those of the target: 3 GetItem when there is nothing new; else 4
 * GetItem, 2 UpdateItem and 1 Query for one change, 8 Query and 1 UpdateItem more per 100 changes.
 */
export async function notifyTarget(
  deps: NotifyDeps,
  target: Target,
  ref: BucketRef,
  signal: StopSignal,
): Promise<Outcome> {
  const { clock, targetCursors } = deps;
  for (;;) {
    const [bucket, known] = await Promise.all([
      findBucket(deps, ref),
      targetCursors.get(target.id, ref.id),
    ]);
    if (!bucket || (known?.cursor ?? 0) >= bucket.head) return 'done';
    if (signal.aborted) return 'stopped';
    const holder = deps.ids.ulid();
    const lease = { holder, now: clock.now(), until: leaseEnd(deps, target) };
    const cursor = await targetCursors.acquireLease(target.id, ref, lease);
    if (!cursor) return 'busy';
    const end = await notifyUnderLease({ deps, target, bucket, holder, signal }, cursor);
    if (end.lease === 'lost') return 'busy';
    if (end.lease === 'backing off') {
      if (end.failures >= MAX_FAILURES_PER_TASK || signal.aborted) return 'failing';
      await clock.sleep(end.delayMs);
    } else {
      if (signal.aborted) return 'stopped';
      if (!(await mayHaveMore(deps, bucket, end.gap))) return 'done';
    }
  }
}

function leaseEnd({ clock }: NotifyDeps, { timeoutMs }: Target): number {
  return clock.now() + timeoutMs + LEASE_MARGIN_MS;
}

/** One attempt to notify a target of a bucket, while it holds the lease. */
interface Attempt {
  readonly deps: NotifyDeps;
  readonly target: Target;
  readonly bucket: TargetBucket;
  readonly holder: string;
  readonly signal: StopSignal;
}

/** How an attempt ends. */
type AttemptEnd =
  /**
   * `gap`: the cursor at which a writer may still be in flight, or undefined when no gap was found.
   */
  | { readonly lease: 'released'; readonly gap: number | undefined }
  /** The target failed `failures` times in a row; no attempt gets the lease before the delay. */
  | { readonly lease: 'backing off'; readonly delayMs: number; readonly failures: number }
  /** Another attempt holds the lease. */
  | { readonly lease: 'lost' };

async function notifyUnderLease(attempt: Attempt, start: TargetCursor): Promise<AttemptEnd> {
  let { cursor, failures } = start;
  for (;;) {
    const { notifications, more, gap } = await readNotifications(attempt, cursor, failures);
    if (notifications.length === 0) {
      const isReleased = await advance(attempt, { from: cursor, to: cursor, keepLease: false });
      return isReleased ? { lease: 'released', gap } : { lease: 'lost' };
    }
    const accepted = await send(attempt, notifications);
    const to = acceptedUpTo(notifications, accepted) ?? cursor;
    const hasFailed = accepted < notifications.length;
    const keepLease = hasFailed || (more && !attempt.signal.aborted);
    if (to > cursor) {
      if (!(await advance(attempt, { from: cursor, to, keepLease }))) return { lease: 'lost' };
      failures = 0;
    }
    if (hasFailed) return backOff(attempt, failures);
    if (!keepLease) return { lease: 'released', gap };
    cursor = to;
  }
}

/**
 * The cursor up to which the target has accepted whole commits. Returns undefined when there is
 * none.
 */
function acceptedUpTo(notifications: readonly Notification[], accepted: number) {
  return notifications.slice(0, accepted).findLast(isWhole)?.to;
}

/** Reports whether the notification does not end inside a commit. */
function isWhole(notification: Notification): boolean {
  const last = notification.type === 'changes' ? notification.changes.at(-1) : undefined;
  return (last?.commit?.to ?? 0) <= notification.to;
}

interface NextNotifications {
  readonly notifications: readonly Notification[];
  readonly more: boolean;
  readonly gap?: number;
}

/**
 * The next notifications for the target. Reads half as many entries after each failure, so that one
 * change that the target rejects does not block those before it.
 */
async function readNotifications(
  { deps, bucket, target }: Attempt,
  cursor: number,
  failures: number,
): Promise<NextNotifications> {
  const limit = Math.max(1, Math.floor(ENTRIES_PER_READ / 2 ** failures));
  const found = await readBucketLog(deps, bucket, cursor, limit);
  if (found === undefined) return { notifications: [], more: false };
  if ('oldest' in found) {
    const fields = { target: target.id, bucket: bucket.name, from: cursor, ...found };
    deps.log.error('notification_expired', fields);
    return { notifications: [resetNotification(bucket, cursor, found)], more: true };
  }
  const notifications = changesNotifications(bucket, found, target.maxBatchSize);
  const gap = !found.more && found.to < bucket.head ? found.to + 1 : undefined;
  return { notifications, more: found.more, gap };
}

/** How many of the notifications, counted from the first, the target has certainly accepted. */
async function send(
  { target, bucket, deps }: Attempt,
  notifications: readonly Notification[],
): Promise<number> {
  const fields = { target: target.id, bucket: bucket.name, from: notifications[0]?.from };
  try {
    const accepted = await target.send(notifications);
    if (accepted < notifications.length) {
      deps.log.error('notification_refused', { ...fields, accepted });
    }
    return accepted;
  } catch (error) {
    deps.log.error('notification_failed', { ...fields, error });
    return 0;
  }
}

/** Moves the cursor, and extends or releases the lease. Returns false when the lease is lost. */
function advance(
  { deps, target, bucket, holder }: Attempt,
  { from, to, keepLease }: { readonly from: number; readonly to: number; keepLease: boolean },
): Promise<boolean> {
  const until = keepLease ? leaseEnd(deps, target) : undefined;
  return deps.targetCursors.advance(target.id, bucket.id, { from, to, holder, until });
}

async function backOff(
  { deps, target, bucket, holder }: Attempt,
  failures: number,
): Promise<AttemptEnd> {
  const delayMs = Math.min(1000 * 2 ** failures, MAX_BACKOFF_MS);
  const until = deps.clock.now() + delayMs;
  await deps.targetCursors.backOff(target.id, bucket.id, { holder, until });
  return { lease: 'backing off', delayMs, failures: failures + 1 };
}
