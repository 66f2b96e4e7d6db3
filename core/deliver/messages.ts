/** What targets are told: docs/construct.md, "React to changes". Ranges and changes are those of the change channel. */
import type { ChangeEntry } from '../ports';
import { type BucketLife, changeView, visible } from '../sync/messages';
import type { ReadRun } from '../sync/read';

interface Range {
  readonly bucket: string;
  readonly bucket_id: string;
  /** The message covers (from, to]: whoever was told of everything up to `from` now knows everything up to `to`. */
  readonly from: number;
  readonly to: number;
  /** The newest position that was known when this was sent. */
  readonly head: number;
}

export interface ChangesDelivery extends Range {
  readonly type: 'changes';
  readonly changes: readonly ReturnType<typeof changeView>[];
}

/** What happened in the range was trimmed before it could be told. */
export interface ResetDelivery extends Range {
  readonly type: 'reset';
  readonly reason: 'cursor_expired';
  readonly oldest: number;
}

export type Delivery = ChangesDelivery | ResetDelivery;

/** The run in messages of at most `span` numbers. Numbers without a change are covered by their message's range like all others. */
export function changesDeliveries(
  { name, id }: BucketLife,
  run: Pick<ReadRun, 'from' | 'to' | 'entries' | 'head'>,
  span: number,
): ChangesDelivery[] {
  const messages: ChangesDelivery[] = [];
  for (let from = run.from; from < run.to; from += span) {
    const to = Math.min(from + span, run.to);
    const entries: readonly ChangeEntry[] = run.entries.slice(from - run.from, to - run.from);
    const changes = visible(entries, '').map(changeView);
    const head = Math.max(run.head, to);
    messages.push({ type: 'changes', bucket: name, bucket_id: id, from, to, head, changes });
  }
  return messages;
}

export function resetDelivery(
  { name, id }: BucketLife,
  from: number,
  { oldest, head }: { readonly oldest: number; readonly head: number },
): ResetDelivery {
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
