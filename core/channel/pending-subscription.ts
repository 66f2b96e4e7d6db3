/** A subscription that was asked for in the handshake, once something can be posted. */
import { type ChannelDeps, subscribe } from './channel';
import type { PendingSubscription } from './ports';

/** The upgrade follows the handshake's answer within milliseconds. */
const OPEN_WAITS_MS = [20, 50, 100, 200, 400, 800, 1600];

/** AWS calls: those of `subscribe`, 1 GetItem, and 1 GetConnection until the connection is open. */
export async function startPendingSubscription(
  deps: ChannelDeps,
  begin: PendingSubscription,
): Promise<void> {
  if (!(await isOpen(deps, begin.connectionId))) {
    deps.log.info('channel_never_opened', { connectionId: begin.connectionId });
    return deps.subscriptions.close(begin.connectionId);
  }
  const connection = await deps.subscriptions.get(begin.connectionId);
  if (!connection) return;
  const { bucket, prefix = '' } = begin;
  const followed = connection.subscriptions.get(bucket);
  // A message was quicker: it is what the client wants by now.
  if (followed && followed.prefix !== prefix) return;
  await subscribe(deps, connection, { ...begin, prefix });
}

async function isOpen(deps: ChannelDeps, connectionId: string): Promise<boolean> {
  for (const wait of OPEN_WAITS_MS) {
    if (await deps.channels.isOpen(connectionId)) return true;
    await deps.clock.sleep(wait);
  }
  return deps.channels.isOpen(connectionId);
}
