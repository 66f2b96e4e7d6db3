/**
 * What targets are told: docs/construct.md, "React to changes". Ranges and changes are those of the
 * change channel.
 */

import type { BucketRef } from '../bucket-ref';
import { changeView, visibleChanges } from '../channel/messages';
import type { ChangesRun } from '../channel/read-changes';
import type { ChangeEntry } from '../log/ports';

interface Range {
  readonly bucket: string;
  readonly bucket_id: string;
  /**
   * The message covers (from, to]: whoever was told of everything up to `from` now knows everything
   * up to `to`.
   */
  readonly from: number;
  readonly to: number;
  /** The newest position that was known when this was sent. */
  readonly head: number;
}

export interface ChangesNotification extends Range {
  readonly type: 'changes';
  readonly changes: readonly ReturnType<typeof changeView>[];
}

/** What happened in the range was trimmed before it could be told. */
export interface ResetNotification extends Range {
  readonly type: 'reset';
  readonly reason: 'cursor_expired';
  readonly oldest: number;
}

export type Notification = ChangesNotification | ResetNotification;

/**
 * The run in messages of at most `span` numbers. Numbers without a change are covered by their
 * message's range like all others.
 */
export function changesNotifications(
  { name, id }: BucketRef,
  run: Pick<ChangesRun, 'from' | 'to' | 'entries' | 'head'>,
  span: number,
): ChangesNotification[] {
  const messages: ChangesNotification[] = [];
  for (let from = run.from; from < run.to; from += span) {
    const to = Math.min(from + span, run.to);
    const entries: readonly ChangeEntry[] = run.entries.slice(from - run.from, to - run.from);
    const changes = visibleChanges(entries, '').map(changeView);
    const head = Math.max(run.head, to);
    messages.push({ type: 'changes', bucket: name, bucket_id: id, from, to, head, changes });
  }
  return messages;
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
