/** The newest changes of a bucket, which the live page shows. Pure functions. */
import type { Change, StatusEvent, SubscriptionEvent } from '../../../client/channel/events';

type Status = 'connecting' | 'connected' | 'disconnected' | 'ended';

export interface ChangeWindow {
  /** Newest first, at most MOST_SHOWN. */
  readonly changes: readonly Change[];
  /** How many changes have arrived since the page was opened. */
  readonly seen: number;
  readonly status: Status;
  /** Whether the service has confirmed the cursor from which the bucket is followed. */
  readonly isFollowed: boolean;
  readonly transport?: StatusEvent['transport'];
  /** Why the connection was lost or the subscription ended. */
  readonly reason?: string;
}

/** Most changes that the page keeps. */
export const MOST_SHOWN = 500;

export const EMPTY_WINDOW: ChangeWindow = {
  ...{ changes: [], seen: 0, status: 'connecting', isFollowed: false },
};

/** Adds several events at once, so that a burst is rendered once. */
export function withEvents(
  window: ChangeWindow,
  events: readonly SubscriptionEvent[],
): ChangeWindow {
  let { status, isFollowed, transport, reason } = window;
  const fresh: Change[] = [];
  for (const event of events) {
    if (event.type === 'put' || event.type === 'delete') fresh.unshift(event);
    if (event.type === 'cursor') isFollowed = true;
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
  const seen = window.seen + fresh.length;
  return { changes, seen, status, isFollowed, transport, reason };
}

/** Returns `connected` only once the bucket is followed: a change before that would be missed. */
export function statusOf({ status, isFollowed }: ChangeWindow): Status {
  return status === 'connected' && !isFollowed ? 'connecting' : status;
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
