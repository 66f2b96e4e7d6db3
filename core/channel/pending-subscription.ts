/** Starts a subscription that the handshake requested, once the connection is open. */
import { usableKey } from './access';
import { type ChannelDeps, subscribe } from './channel';
import { closeUnauthorized } from './closing';
import { endConnection } from './connection-slots';
import type { PendingSubscription } from './ports';

/**
 * Delays between the checks whether the connection is open. The upgrade follows the response to the
 * handshake within milliseconds.
 */
const OPEN_DELAYS_MS = [20, 50, 100, 200, 400, 800, 1600];

/**
 * Waits until the connection is open, then subscribes it. AWS calls: those of `subscribe`, 2
 * GetItem, and 1 GetConnection per check.
 */
export async function startPendingSubscription(
  deps: ChannelDeps,
  pending: PendingSubscription,
): Promise<void> {
  const { connectionId, bucket, prefix = '' } = pending;
  if (!(await isOpen(deps, connectionId))) {
    deps.log.info('channel_never_opened', { connectionId });
    return endConnection(deps, connectionId);
  }
  const connection = await deps.subscriptions.get(connectionId);
  if (!connection) return;
  const subscription = connection.subscriptions.get(bucket);
  // A later message of the client has requested another subscription, which takes precedence.
  const isOther = subscription?.prefix !== prefix || subscription.consumer !== pending.consumer;
  if (subscription && isOther) return;
  const key = await usableKey(deps, connection);
  if (!key) return closeUnauthorized(deps, connectionId);
  await subscribe(deps, { connection, key }, { ...pending, prefix });
}

async function isOpen(deps: ChannelDeps, connectionId: string): Promise<boolean> {
  for (const delay of OPEN_DELAYS_MS) {
    if (await deps.channels.isOpen(connectionId)) return true;
    await deps.clock.sleep(delay);
  }
  return deps.channels.isOpen(connectionId);
}
