/**
 * Posting to a channel with retries, and closing it: for too many messages, or because its API key
 * changed.
 */
import type { ApiKeyRecord } from '../access/ports';
import type { Clock } from '../system';
import { type AccessDeps, keyExpiry, permitsAllSubscriptions, usableAs } from './access';
import { type CloseCode, goodbyeMessage } from './messages';
import type { Channels, PostOutcome, Subscriptions } from './ports';

export interface PostDeps {
  readonly channels: Channels;
  readonly clock: Clock;
}

export interface CloseDeps extends PostDeps {
  readonly subscriptions: Subscriptions;
}

export type ReviewDeps = AccessDeps & CloseDeps;

/** Delays between the attempts to post to a busy connection. */
const RETRY_DELAYS_MS = [50, 200, 800];

/** Time for the client to close the connection itself, with the code of the message. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Posts a message; retries while the connection is busy. The client's next ping makes up for a
 * message that could not be posted.
 */
export async function postWithRetries(
  deps: PostDeps,
  connectionId: string,
  message: string,
): Promise<PostOutcome> {
  for (const delay of RETRY_DELAYS_MS) {
    const outcome = await deps.channels.post(connectionId, message);
    if (outcome !== 'busy') return outcome;
    await deps.clock.sleep(delay);
  }
  return deps.channels.post(connectionId, message);
}

/** Closes a channel whose API key does not permit it. AWS calls: those of closeChannel. */
export function closeUnauthorized(deps: CloseDeps, connectionId: string): Promise<void> {
  const reason =
    'the API key was revoked or replaced, has expired or lost a permission that this channel uses';
  return closeChannel(deps, connectionId, 4401, reason);
}

/**
 * Ends a connection. From here on it receives no changes. The client is asked to close it with the
 * code, and is disconnected if it does not. AWS calls: 1 POST, 1 DELETE and those of
 * `Subscriptions.close`.
 */
export async function closeChannel(
  deps: CloseDeps,
  connectionId: string,
  code: CloseCode,
  reason: string,
): Promise<void> {
  await deps.subscriptions.close(connectionId);
  await deps.channels.post(connectionId, goodbyeMessage(code, reason));
  await deps.clock.sleep(CLOSE_GRACE_MS);
  await deps.channels.disconnect(connectionId);
}

/**
 * Closes the channels that were opened with the key and use a permission that it no longer has.
 * Safe to repeat. Reviews every channel even if one of them fails, then throws. AWS calls: 1
 * GetItem, 1 Query and, per connection, those of `review`.
 */
export async function reviewChannels(deps: ReviewDeps, keyId: string): Promise<void> {
  const key = await deps.apiKeys.get(keyId);
  const ids = await deps.subscriptions.connectionsOf(keyId);
  const reviews = await Promise.allSettled(ids.map((id) => review(deps, id, async () => key)));
  const failed = reviews.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/**
 * Closes the channel if its key no longer permits it. True: it stays open. AWS calls: 1 GetItem and
 * those of `review`.
 */
export function reviewChannel(deps: ReviewDeps, connectionId: string): Promise<boolean> {
  return review(deps, connectionId, (keyId) => deps.apiKeys.get(keyId));
}

/** AWS calls: 1 GetItem, and an UpdateItem per subscription; or those of closeChannel. */
async function review(
  deps: ReviewDeps,
  connectionId: string,
  readKey: (id: string) => Promise<ApiKeyRecord | undefined>,
): Promise<boolean> {
  const connection = await deps.subscriptions.get(connectionId);
  const key = connection && usableAs(await readKey(connection.keyId), connection, deps.clock.now());
  if (!key || !permitsAllSubscriptions(key, connection)) {
    await closeUnauthorized(deps, connectionId);
    return false;
  }
  // With the expiry stored, fanout reviews the channel when the key expires, even if the client
  // sends nothing.
  const subscriptions = [...connection.subscriptions.values()];
  await Promise.all(
    subscriptions.map(({ bucketId }) =>
      deps.subscriptions.setKeyExpiry(bucketId, connectionId, keyExpiry(key)),
    ),
  );
  return true;
}
