/** What follows from a change of an API key: channels that it no longer carries are closed. */
import type { ApiKeyRecord } from '../access/ports';
import { type AccessDeps, keyExpiry, permitsAllSubscriptions, usableAs } from './access';
import { type CloseDeps, closeUnauthorized } from './channel';

export type RevocationDeps = AccessDeps & CloseDeps;

/**
 * Closes the channels that were opened with the key and use what it no longer permits. Repeatable.
 * AWS calls: 1 GetItem, 1 Query and, per connection, those of `review`. When one fails the others
 * are done all the same; then throws.
 */
export async function reviewChannels(deps: RevocationDeps, keyId: string): Promise<void> {
  const key = await deps.apiKeys.get(keyId);
  const ids = await deps.subscriptions.connectionsOf(keyId);
  const reviews = await Promise.allSettled(ids.map((id) => review(deps, id, async () => key)));
  const failed = reviews.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** True: the channel goes on. AWS calls: 1 GetItem and those of `review`. */
export function reviewChannel(deps: RevocationDeps, connectionId: string): Promise<boolean> {
  return review(deps, connectionId, (keyId) => deps.apiKeys.get(keyId));
}

/**
 * AWS calls: 1 GetItem, and an UpdateItem per subscription; or, to close it, 1 POST, 1 DELETE and
 * those of `Subscriptions.close`.
 */
async function review(
  deps: RevocationDeps,
  connectionId: string,
  keyWith: (id: string) => Promise<ApiKeyRecord | undefined>,
): Promise<boolean> {
  const connection = await deps.subscriptions.get(connectionId);
  const key = connection && usableAs(await keyWith(connection.keyId), connection, deps.clock.now());
  if (!key || !permitsAllSubscriptions(key, connection)) {
    await closeUnauthorized(deps, connectionId);
    return false;
  }
  // So that fanout stops by itself when the key expires, although the client says nothing.
  const followed = [...connection.subscriptions.values()];
  await Promise.all(
    followed.map(({ bucketId }) =>
      deps.subscriptions.setKeyExpiry(bucketId, connectionId, keyExpiry(key)),
    ),
  );
  return true;
}
