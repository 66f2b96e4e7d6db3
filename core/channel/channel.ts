/** Handles the messages of a client: subscribe, unsubscribe and ping. */

import { claimOf } from '../access/key-claim';
import { forbidden } from '../access/permissions';
import type { ApiKeyRecord } from '../access/ports';
import type { RateLimiter } from '../access/rate-limiter';
import { type ErrorCode, ServiceError } from '../errors';
import { LIMITS, type RateTiers, ratesOf } from '../limits';
import {
  CursorExpired,
  checkCursor,
  currentCursor,
  digestAt,
  headOf,
  readBucketState,
} from '../log/cursor-reads';
import type { LogDigest } from '../store/buckets';
import type { Clock } from '../system';
import {
  type AccessDeps,
  keyExpiry,
  mayConnectionFollow,
  mayFollow,
  permitsAllSubscriptions,
  usableKey,
} from './access';
import type { ReportedCursors, SubscribeRequest } from './actions';
import { CATCH_UP_MS, type CatchUpDeps, catchUp, hasMissedEntries } from './catch-up';
import { closeUnauthorized, postWithRetries } from './closing';
import { type ConsumerCursors, consumerCursor, storeCursor, storeLast } from './consumer-cursor';
import {
  errorMessage,
  pongMessage,
  resetMessage,
  subscribedMessage,
  unsubscribedMessage,
} from './messages';
import type { Connection, Subscription } from './ports';
import { announceDisconnect } from './push';
import { isReplaying, Replay, type ReplayOwner, type ReplaysDeps, stopReplay } from './replays';

export interface ChannelDeps extends CatchUpDeps, AccessDeps, ReplaysDeps {
  readonly consumers: ConsumerCursors;
  readonly limiter: Pick<RateLimiter, 'takeToken'>;
  readonly rateTiers: RateTiers;
  readonly clock: Clock;
}

/** A connection, and the usable key that opened it. */
export interface Sender {
  readonly connection: Connection;
  readonly key: ApiKeyRecord;
  /** The `id` of the sender's message, for errors. */
  readonly messageId?: string;
}

/**
 * Subscribes the connection to a bucket: stores the subscription, sends its cursor, and then every
 * entry after it. AWS calls: 5 GetItem, 1 TransactWriteItems and a POST; 8 Query more without a
 * cursor in the request while an entry is unpublished; 1 UpdateItem in place of an earlier
 * subscription; 1 GetItem more with a consumer; and those of `replay` when there is something to
 * send.
 */
export async function subscribe(
  deps: ChannelDeps,
  sender: Sender,
  request: SubscribeRequest,
): Promise<void> {
  const { connection, key } = sender;
  await reportingFailure(deps, sender, request.bucket, async () => {
    if (!mayConnectionFollow(key, connection, request)) {
      const { bucket, prefix } = request;
      throw forbidden('sync', { bucket, prefix });
    }
    const found = await readBucketState(deps, request.bucket, request.bucketId);
    const { bucket, prefix, consumer } = request;
    const subscription = {
      bucket,
      bucketId: found.record.id,
      prefix,
      ...(consumer && { consumer }),
    };
    // Read also when the request has a cursor: the cursor of a missing consumer would never be
    // stored.
    const stored = await consumerCursor(deps, subscription);
    const cursor = request.cursor ?? stored;
    if (cursor !== undefined) checkCursor(found, cursor);
    // The row is stored before the cursor is determined: fanout reads the rows after it has read
    // the log, so an entry that it does not push to this connection precedes the cursor.
    const options = { limit: LIMITS.subscriptionsPerConnection, expiresAt: keyExpiry(key) };
    if (!(await deps.subscriptions.subscribe(connection, subscription, options))) throw tooMany();
    // A key change that was processed before the row was stored did not see this subscription.
    const now = await usableKey(deps, connection);
    if (!now || !mayConnectionFollow(now, connection, request)) {
      // closeMany may have removed the connection's row, which names the subscription, in between.
      await deps.subscriptions.removeSubscriber(subscription.bucketId, connection.id);
      return closeUnauthorized(deps, connection.id);
    }
    if (now.expiresAt !== key.expiresAt) {
      const { bucketId } = subscription;
      await deps.subscriptions.setKeyExpiry(bucketId, connection.id, keyExpiry(now));
    }
    await startSubscription(deps, { connection, key: now }, subscription, cursor);
  });
}

async function startSubscription(
  deps: ChannelDeps,
  sender: Sender,
  subscription: Subscription,
  requested: number | undefined,
): Promise<void> {
  const { connection } = sender;
  const { bucket: name, bucketId: id } = subscription;
  const replaces = connection.subscriptions.has(name);
  if (replaces) await stopReplay(deps, replayOf(deps, sender, subscription));
  const bucket = await readBucketState(deps, name, id);
  const cursor = requested ?? (await currentCursor(deps, bucket));
  checkCursor(bucket, cursor);
  const message = subscribedMessage({ name, id }, cursor, Math.max(cursor, headOf(bucket)));
  if ((await postWithRetries(deps, connection.id, message)) !== 'sent') return;
  // Newer entries are pushed: fanout finds the subscription's row.
  if (cursor >= bucket.record.cursor) return;
  const end = deps.clock.now() + CATCH_UP_MS;
  await replay(deps, sender, subscription, { after: cursor, end });
}

/**
 * Sends the entries after the cursor, within the limits of the key. Throws rate_limited. AWS calls:
 * 2 UpdateItem, those of `catchUp`, and 1 GetItem and a token for each 500 entries after the first.
 */
async function replay(
  deps: ChannelDeps,
  sender: Sender,
  subscription: Subscription,
  range: { readonly after: number; readonly end: number },
): Promise<void> {
  const { connection, key } = sender;
  const current = await Replay.begin(deps, replayOf(deps, sender, subscription));
  const mayContinue = async () => {
    if (!(await current.isCurrent())) return false;
    const claim = claimOf(key, connection.generation ?? 0, deps.clock.now());
    await deps.limiter.takeToken(claim, 'read');
    return true;
  };
  try {
    await catchUp(deps, connection.id, subscription, { ...range, mayContinue });
  } finally {
    await current.end();
  }
}

function replayOf(
  deps: ChannelDeps,
  { connection, key }: Sender,
  { bucketId }: Subscription,
): ReplayOwner {
  const limit = ratesOf(deps.rateTiers, key.tier).wait.concurrent;
  return { keyId: key.id, connectionId: connection.id, bucketId, limit };
}

/** Ends the subscription. The consumer has processed every change up to `consumed`. */
export async function unsubscribe(
  deps: ChannelDeps,
  { connection, key }: Sender,
  bucket: string,
  consumed?: number,
): Promise<void> {
  const subscription = connection.subscriptions.get(bucket);
  if (subscription && consumed !== undefined && mayFollow(key, subscription)) {
    await storeLast(deps, subscription, consumed);
  }
  if (subscription) await deps.subscriptions.unsubscribe(connection.id, subscription);
  await postWithRetries(deps, connection.id, unsubscribedMessage(bucket));
}

/**
 * Responds with the heads of the buckets, and sends the entries that the client missed (see
 * hasMissedEntries). The response leaves out buckets to which the connection is not subscribed, and
 * those for which there is no time. AWS calls: 1 GetItem, a POST, and for each bucket 2 GetItem,
 * and 1 Query more while an entry is unpublished, when the client missed nothing; 1 UpdateItem more
 * for each consumer.
 */
export async function ping(
  deps: ChannelDeps,
  sender: Sender,
  { cursors, consumed }: ReportedCursors,
): Promise<void> {
  const { connection, key } = sender;
  if (!permitsAllSubscriptions(key, connection)) {
    return closeUnauthorized(deps, connection.id);
  }
  const end = deps.clock.now() + CATCH_UP_MS;
  const heads = new Map<string, number>();
  const digests = new Map<string, LogDigest>();
  const behind: { subscription: Subscription; cursor: number }[] = [];
  const done: { subscription: Subscription; cursor: number }[] = [];
  for (const [name, cursor] of cursors) {
    const subscription = connection.subscriptions.get(name);
    if (!subscription || deps.clock.now() >= end) continue;
    await reportingFailure(deps, sender, name, async () => {
      const bucket = await readBucketState(deps, name, subscription.bucketId);
      checkCursor(bucket, cursor);
      const head = Math.max(cursor, headOf(bucket));
      heads.set(name, head);
      const digest = digestAt(bucket, head, subscription.prefix);
      if (digest) digests.set(name, digest);
      const stored = consumed.get(name);
      if (stored !== undefined) done.push({ subscription, cursor: stored });
      if (await hasMissedEntries(deps, bucket, cursor)) behind.push({ subscription, cursor });
    });
  }
  if ((await postWithRetries(deps, connection.id, pongMessage(heads, digests))) !== 'sent') return;
  for (const { subscription, cursor } of done) await storeCursor(deps, subscription, cursor);
  await announceDisconnect(deps, connection.id, connection.connectedAt);
  for (const [served, { subscription, cursor }] of behind.entries()) {
    const now = deps.clock.now();
    if (now >= end) return;
    const share = (end - now) / (behind.length - served);
    const failure = await reportingFailure(deps, sender, subscription.bucket, async () => {
      if (await isReplaying(deps, replayOf(deps, sender, subscription))) return;
      await replay(deps, sender, subscription, { after: cursor, end: now + share });
    });
    if (failure === 'rate_limited') return;
  }
}

/** Errors that end the subscription. */
const FINAL_ERRORS: readonly ErrorCode[] = ['forbidden', 'not_found', 'cursor_expired'];

/**
 * Runs `work`. Reports an expected failure to the client, and ends the subscription after a final
 * error. Returns the code of the failure.
 */
async function reportingFailure(
  deps: ChannelDeps,
  { connection: { id: connectionId }, messageId: id }: Sender,
  bucket: string,
  work: () => Promise<void>,
): Promise<ErrorCode | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (FINAL_ERRORS.includes(error.code)) {
      const connection = await deps.subscriptions.get(connectionId);
      const subscription = connection?.subscriptions.get(bucket);
      if (subscription) await deps.subscriptions.unsubscribe(connectionId, subscription);
    }
    const isExpired = error instanceof CursorExpired;
    const message = isExpired
      ? resetMessage(bucket, error.expiry)
      : errorMessage(error, { id, bucket });
    await postWithRetries(deps, connectionId, message);
    return error.code;
  }
}

function tooMany(): ServiceError {
  return new ServiceError('invalid_request', {
    message: `one connection follows at most ${LIMITS.subscriptionsPerConnection} buckets; open another one`,
    details: { field: 'bucket', rule: 'too many subscriptions' },
  });
}
