/** What the server does for a client's messages: subscribe, unsubscribe and ping. */

import { forbidden } from '../access/permissions';
import { type ErrorCode, ServiceError } from '../errors';
import { LIMITS } from '../limits';
import {
  type AccessDeps,
  keyExpiry,
  mayConnectionFollow,
  permitsAllSubscriptions,
  usableKey,
} from './access';
import type { SubscribeRequest } from './actions';
import { CATCH_UP_MS, type CatchUpDeps, catchUp, hasMissedEntries } from './catch-up';
import { closeUnauthorized, postWithRetries } from './closing';
import {
  errorMessage,
  pongMessage,
  resetMessage,
  subscribedMessage,
  unsubscribedMessage,
} from './messages';
import type { Connection, Subscription } from './ports';
import { announceDisconnect } from './push';
import { CursorExpired, checkCursor, currentCursor, headOf, readBucketState } from './read-changes';

export type ChannelDeps = CatchUpDeps & AccessDeps;

/**
 * Subscribes the connection to a bucket: stores the subscription, sends its cursor, and then every
 * entry after it. AWS calls: 8 GetItem, 1 TransactWriteItems and a POST; 8 Query more without a
 * cursor in the request while an entry is unpublished; and those of `catchUp` when there is
 * something to send.
 */
export async function subscribe(
  deps: ChannelDeps,
  connection: Connection,
  request: SubscribeRequest,
): Promise<void> {
  const key = await usableKey(deps, connection);
  if (!key) return closeUnauthorized(deps, connection.id);
  await reportingFailure(deps, connection.id, request.bucket, async () => {
    if (!mayConnectionFollow(key, connection, request)) {
      const { bucket, prefix } = request;
      throw forbidden('sync', { bucket, prefix });
    }
    const found = await readBucketState(deps, request.bucket, request.bucketId);
    if (request.cursor !== undefined) checkCursor(found, request.cursor);
    const { bucket, prefix } = request;
    const subscription = { bucket, bucketId: found.record.id, prefix };
    // The row is stored before the cursor is determined: fanout reads the rows after it has read
    // the log, so an entry that it does not push to this connection precedes the cursor.
    const options = { limit: LIMITS.subscriptionsPerConnection, expiresAt: keyExpiry(key) };
    if (!(await deps.subscriptions.subscribe(connection, subscription, options))) throw tooMany();
    // A change of the key before the row was stored did not find this subscription.
    const now = await usableKey(deps, connection);
    if (!now || !mayConnectionFollow(now, connection, request)) {
      return closeUnauthorized(deps, connection.id);
    }
    if (now.expiresAt !== key.expiresAt) {
      const { bucketId } = subscription;
      await deps.subscriptions.setKeyExpiry(bucketId, connection.id, keyExpiry(now));
    }
    await startSubscription(deps, connection.id, subscription, request.cursor);
  });
}

async function startSubscription(
  deps: ChannelDeps,
  connectionId: string,
  subscription: Subscription,
  requested: number | undefined,
): Promise<void> {
  const { bucket: name, bucketId: id } = subscription;
  const bucket = await readBucketState(deps, name, id);
  const cursor = requested ?? (await currentCursor(deps, bucket));
  checkCursor(bucket, cursor);
  const message = subscribedMessage({ name, id }, cursor, Math.max(cursor, headOf(bucket)));
  if ((await postWithRetries(deps, connectionId, message)) !== 'sent') return;
  const end = deps.clock.now() + CATCH_UP_MS;
  await catchUp(deps, connectionId, subscription, { after: cursor, end });
}

export async function unsubscribe(
  deps: ChannelDeps,
  connection: Connection,
  bucket: string,
): Promise<void> {
  const subscription = connection.subscriptions.get(bucket);
  if (subscription) await deps.subscriptions.unsubscribe(connection.id, subscription);
  await postWithRetries(deps, connection.id, unsubscribedMessage(bucket));
}

/**
 * Responds with the heads of the buckets, and sends the entries that the client missed (see
 * hasMissedEntries). The response leaves out buckets to which the connection is not subscribed, and
 * those for which there is no time. AWS calls: 1 GetItem, a POST, and for each bucket 2 GetItem,
 * and 1 Query more while an entry is unpublished, when the client missed nothing.
 */
export async function ping(
  deps: ChannelDeps,
  connection: Connection,
  cursors: ReadonlyMap<string, number>,
): Promise<void> {
  const key = await usableKey(deps, connection);
  if (!key || !permitsAllSubscriptions(key, connection)) {
    return closeUnauthorized(deps, connection.id);
  }
  const end = deps.clock.now() + CATCH_UP_MS;
  const heads = new Map<string, number>();
  const behind: { subscription: Subscription; cursor: number }[] = [];
  for (const [name, cursor] of cursors) {
    const subscription = connection.subscriptions.get(name);
    if (!subscription || deps.clock.now() >= end) continue;
    await reportingFailure(deps, connection.id, name, async () => {
      const bucket = await readBucketState(deps, name, subscription.bucketId);
      checkCursor(bucket, cursor);
      heads.set(name, Math.max(cursor, headOf(bucket)));
      if (await hasMissedEntries(deps, bucket, cursor)) behind.push({ subscription, cursor });
    });
  }
  if ((await postWithRetries(deps, connection.id, pongMessage(heads))) !== 'sent') return;
  await announceDisconnect(deps, connection.id, connection.connectedAt);
  for (const [served, { subscription, cursor }] of behind.entries()) {
    const now = deps.clock.now();
    if (now >= end) return;
    const share = (end - now) / (behind.length - served);
    await reportingFailure(deps, connection.id, subscription.bucket, () =>
      catchUp(deps, connection.id, subscription, { after: cursor, end: now + share }),
    );
  }
}

/** After one of these errors there is nothing left to subscribe to. */
const FINAL_ERRORS: readonly ErrorCode[] = ['forbidden', 'not_found', 'cursor_expired'];

/**
 * Does the work. Reports an expected failure to the client, and ends the subscription if nothing is
 * left to subscribe to.
 */
async function reportingFailure(
  deps: ChannelDeps,
  connectionId: string,
  bucket: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (FINAL_ERRORS.includes(error.code)) {
      const connection = await deps.subscriptions.get(connectionId);
      const subscription = connection?.subscriptions.get(bucket);
      if (subscription) await deps.subscriptions.unsubscribe(connectionId, subscription);
    }
    const isExpired = error instanceof CursorExpired;
    const message = isExpired ? resetMessage(bucket, error.expiry) : errorMessage(error, bucket);
    await postWithRetries(deps, connectionId, message);
  }
}

function tooMany(): ServiceError {
  return new ServiceError('invalid_request', {
    message: `one connection follows at most ${LIMITS.subscriptionsPerConnection} buckets; open another one`,
    details: { field: 'bucket', rule: 'too many subscriptions' },
  });
}
