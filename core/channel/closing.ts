/**
 * Posts to a channel with retries, and closes a channel that sends too many messages or whose API
 * key changed. revocation.ts closes many channels.
 */
import type { ApiKeyRecord, Slots } from '../access/ports';
import type { Clock } from '../system';
import { type AccessDeps, keyExpiry, permitsAllSubscriptions, usableAs } from './access';
import { endConnection } from './connection-slots';
import { type CloseCode, goodbyeMessage } from './messages';
import type { Channels, PostOutcome, Subscriptions } from './ports';

export interface PostDeps {
  readonly channels: Channels;
  readonly clock: Clock;
}

export interface CloseDeps extends PostDeps {
  readonly subscriptions: Subscriptions;
  readonly slots: Slots;
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

const UNAUTHORIZED =
  'the API key was revoked or replaced, has expired or lost a permission that this channel uses';

/** Closes a channel whose API key does not permit it. AWS calls: those of closeChannel. */
export function closeUnauthorized(deps: CloseDeps, connectionId: string): Promise<void> {
  return closeChannel(deps, connectionId, 4401, UNAUTHORIZED);
}

/** Asks the client of a channel whose API key does not permit it to close it. 1 POST. */
export async function sayUnauthorized(deps: PostDeps, connectionId: string): Promise<void> {
  await deps.channels.post(connectionId, goodbyeMessage(4401, UNAUTHORIZED));
}

/** Resolves when a client that was asked at `askedAt` has had time to close its connection. */
export async function untilClosable({ clock }: PostDeps, askedAt: number): Promise<void> {
  const left = askedAt + CLOSE_GRACE_MS - clock.now();
  if (left > 0) await clock.sleep(left);
}

/**
 * Ends a connection, which receives no more changes. Asks the client to close it with the code, and
 * disconnects a client that does not. AWS calls: 1 POST, 1 DELETE and those of endConnection.
 */
export async function closeChannel(
  deps: CloseDeps,
  connectionId: string,
  code: CloseCode,
  reason: string,
): Promise<void> {
  await endConnection(deps, connectionId);
  const askedAt = deps.clock.now();
  await deps.channels.post(connectionId, goodbyeMessage(code, reason));
  await untilClosable(deps, askedAt);
  await deps.channels.disconnect(connectionId);
}

/**
 * Closes the channel if its key no longer permits it. Returns true when it stays open. AWS calls: 1
 * GetItem and those of isPermitted; those of closeChannel.
 */
export async function reviewChannel(deps: ReviewDeps, connectionId: string): Promise<boolean> {
  if (await isPermitted(deps, connectionId, (keyId) => deps.apiKeys.get(keyId))) return true;
  await closeUnauthorized(deps, connectionId);
  return false;
}

/**
 * Reports whether the key still permits the channel with all its subscriptions. Stores when the key
 * expires, so that fanout reviews the channel then, even if the client sends nothing. AWS calls: 1
 * GetItem, and an UpdateItem per subscription.
 */
export async function isPermitted(
  deps: ReviewDeps,
  connectionId: string,
  readKey: (id: string) => Promise<ApiKeyRecord | undefined>,
): Promise<boolean> {
  const connection = await deps.subscriptions.get(connectionId);
  const key = connection && usableAs(await readKey(connection.keyId), connection, deps.clock.now());
  if (!key || !permitsAllSubscriptions(key, connection)) return false;
  const subscriptions = [...connection.subscriptions.values()];
  await Promise.all(
    subscriptions.map(({ bucketId }) =>
      deps.subscriptions.setKeyExpiry(bucketId, connectionId, keyExpiry(key)),
    ),
  );
  return true;
}
