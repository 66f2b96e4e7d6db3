/** The newest changes of a bucket, as they come: what the live page holds. Pure. */
import type { Change, StatusEvent, SubscriptionEvent } from '../../../client/channel/events';

export interface ChangeWindow {
  /** Newest first, at most MOST_SHOWN. */
  readonly changes: readonly Change[];
  /** How many have come since the page was opened. */
  readonly seen: number;
  readonly status: 'connecting' | 'connected' | 'disconnected' | 'ended';
  readonly transport?: StatusEvent['transport'];
  /** Why it was cut or ended. */
  readonly reason?: string;
}

/** As many as somebody would scroll through. */
export const MOST_SHOWN = 500;

export const EMPTY_WINDOW: ChangeWindow = { changes: [], seen: 0, status: 'connecting' };

/** Many at once, so that a burst is drawn once. */
export function withEvents(
  window: ChangeWindow,
  events: readonly SubscriptionEvent[],
): ChangeWindow {
  let { status, transport, reason } = window;
  const fresh: Change[] = [];
  for (const event of events) {
    if (event.type === 'put' || event.type === 'delete') fresh.unshift(event);
    if (event.type === 'status') ({ status, transport, reason } = { reason: undefined, ...event });
    if (event.type === 'reset') {
      status = 'ended';
      reason =
        event.reason === 'bucket_replaced'
          ? 'The bucket was deleted and made again.'
          : `Changes before cursor ${event.oldest} are not kept any more.`;
    }
    if (event.type === 'ended') {
      status = 'ended';
      reason = event.error.message;
    }
  }
  const changes = [...fresh, ...window.changes].slice(0, MOST_SHOWN);
  return { changes, seen: window.seen + fresh.length, status, transport, reason };
}

export interface ChangeFilter {
  /** Part of a key. */
  readonly text: string;
  readonly type: 'all' | 'put' | 'delete';
}

export function filtered(
  changes: readonly Change[],
  { text, type }: ChangeFilter,
): readonly Change[] {
  const wanted = text.toLowerCase();
  return changes.filter(
    (change) =>
      (type === 'all' || change.type === type) &&
      (wanted === '' || change.object.key.toLowerCase().includes(wanted)),
  );
}
