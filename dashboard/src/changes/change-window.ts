/** The newest changes of a bucket, which the live page shows. Pure functions. */
import type { Change, StatusEvent, SubscriptionEvent } from '../../../client/channel/events';

export interface ChangeWindow {
  /** Newest first, at most MOST_SHOWN. */
  readonly changes: readonly Change[];
  /** How many changes have arrived since the page was opened. */
  readonly seen: number;
  readonly status: 'connecting' | 'connected' | 'disconnected' | 'ended';
  readonly transport?: StatusEvent['transport'];
  /** Why it was disconnected or ended. */
  readonly reason?: string;
}

/** More than a person scrolls through. */
export const MOST_SHOWN = 500;

export const EMPTY_WINDOW: ChangeWindow = { changes: [], seen: 0, status: 'connecting' };

/** Adds several events at once, so that a burst is rendered once. */
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
          ? 'The bucket was deleted and created again.'
          : `The change log begins at cursor ${event.oldest}.`;
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
