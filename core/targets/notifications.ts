/**
 * The messages that targets receive: docs/targets.md. Ranges and changes have
 * the form that they have on the change channel.
 */

import type { BucketRef } from '../bucket-ref';
import { changeView, visibleChanges } from '../log/change-view';
import type { ChangesRun } from '../log/cursor-reads';
import { wholeCommits } from '../log/entries';

interface Range {
  readonly bucket: string;
  readonly bucket_id: string;
  /**
   * The notification covers (from, to]: a target that knows everything up to `from` then knows
   * everything up to `to`.
   */
  readonly from: number;
  readonly to: number;
  /** The newest cursor that was known when the notification was sent. */
  readonly head: number;
}

export interface ChangesNotification extends Range {
  readonly type: 'changes';
  readonly changes: readonly ReturnType<typeof changeView>[];
}

/** The changes in the range were trimmed before the target was notified of them. */
export interface ResetNotification extends Range {
  readonly type: 'reset';
  readonly reason: 'cursor_expired';
  readonly oldest: number;
}

export type Notification = ChangesNotification | ResetNotification;

/**
 * The run as notifications that cover at most `maxBatchSize` entries each, or one commit if that
 * has more; with a size of 1 one entry each, so that a commit has several notifications. A no-op
 * entry has no change, but the range of its notification covers it.
 */
export function changesNotifications(
  { name, id }: BucketRef,
  run: Pick<ChangesRun, 'from' | 'to' | 'entries' | 'head'>,
  maxBatchSize: number,
): ChangesNotification[] {
  const notifications: ChangesNotification[] = [];
  for (let from = run.from; from < run.to; ) {
    const rest = run.entries.slice(from - run.from);
    const entries = maxBatchSize === 1 ? rest.slice(0, 1) : wholeCommits(rest, maxBatchSize);
    const to = from + entries.length;
    const changes = visibleChanges(entries, '').map(changeView);
    const head = Math.max(run.head, to);
    notifications.push({ type: 'changes', bucket: name, bucket_id: id, from, to, head, changes });
    from = to;
  }
  return notifications;
}

export function resetNotification(
  { name, id }: BucketRef,
  from: number,
  { oldest, head }: { readonly oldest: number; readonly head: number },
): ResetNotification {
  const to = oldest - 1;
  return {
    type: 'reset',
    bucket: name,
    bucket_id: id,
    reason: 'cursor_expired',
    from,
    to,
    oldest,
    head: Math.max(head, to),
  };
}
