/** The server's side of one channel: subscribing, replaying, pinging, saying goodbye. */

import { forbidden } from '../access/permissions';
import { type ErrorCode, ServiceError } from '../errors';
import { LIMITS } from '../limits';
import type { Clock, Log } from '../system';
import {
  type AccessDeps,
  keyExpiry,
  mayConnectionFollow,
  permitsAllSubscriptions,
  usableKey,
} from './access';
import type { SubscribeRequest } from './actions';
import {
  type CloseCode,
  changesMessages,
  errorMessage,
  goodbyeMessage,
  pongMessage,
  resetMessage,
  serializeChanges,
  subscribedMessage,
  unsubscribedMessage,
  visibleChanges,
} from './messages';
import type { Channels, Connection, PostOutcome, Subscription, Subscriptions } from './ports';
import {
  type BucketState,
  CursorExpired,
  checkCursor,
  currentCursor,
  type ReadChangesDeps,
  readAfter,
  readBucketState,
} from './read-changes';

export interface ChannelDeps extends ReadChangesDeps, AccessDeps {
  readonly subscriptions: Subscriptions;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly log: Log;
}

/** API Gateway cuts a connection after two hours, whatever happens on it. */
export const LIFETIME_MS = 2 * 3600 * 1000;
/** Clients are told this long before, and have until shortly before the cut. */
const FAREWELL_MS = 10 * 60 * 1000;
const CUT_MARGIN_MS = 60 * 1000;

/** What the replays of one message may take; the client asks again for the rest. */
const REPLAY_MS = 8_000;
/**
 * By then the slice under way is cut too: with waits for a busy connection before and behind it,
 * all fits in the function's 29 s.
 */
const CUT_AFTER_MS = 3_000;
const REPLAY_ENTRIES = 500;

/**
 * An entry this old that was not delivered is not about to be: fanout does not work, or cannot keep
 * up.
 */
const LATE_MS = 30_000;

/** Waits between the attempts to post to a connection that takes nothing at the moment. */
const BUSY_WAITS_MS = [50, 200, 800];

/** Time for a client to close by itself, with the code it was told, before it is cut. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Follows what was asked for: the position is fixed, said, and everything after it sent. AWS calls:
 * 8 GetItem, 1 TransactWriteItems and a POST; +8 Query from now while something is not delivered
 * yet; and what `replay` takes when there is something to send.
 */
export async function subscribe(
  deps: ChannelDeps,
  connection: Connection,
  wanted: SubscribeRequest,
): Promise<void> {
  const key = await usableKey(deps, connection);
  if (!key) return closeUnauthorized(deps, connection.id);
  await answering(deps, connection.id, wanted.bucket, async () => {
    if (!mayConnectionFollow(key, connection, wanted)) throw forbidden('sync');
    const found = await readBucketState(deps, wanted.bucket, wanted.bucketId);
    if (wanted.cursor !== undefined) checkCursor(found, wanted.cursor);
    const { bucket, prefix } = wanted;
    const followed = { bucket, bucketId: found.record.id, prefix };
    // First the row, then the position: fanout reads the rows after it has read the log, so
    // whatever it does not push to this connection is in the log when the position is fixed.
    const options = {
      limit: LIMITS.subscriptionsPerConnection,
      expiresAt: keyExpiry(key),
    };
    if (!(await deps.subscriptions.subscribe(connection, followed, options))) throw tooMany();
    // Whoever changed the key before the row was there did not see it.
    const now = await usableKey(deps, connection);
    if (!now || !mayConnectionFollow(now, connection, wanted)) {
      return closeUnauthorized(deps, connection.id);
    }
    if (now.expiresAt !== key.expiresAt) {
      await deps.subscriptions.setKeyExpiry(followed.bucketId, connection.id, keyExpiry(now));
    }
    await begin(deps, connection.id, followed, wanted.cursor);
  });
}

async function begin(
  deps: ChannelDeps,
  connectionId: string,
  followed: Subscription,
  cursor: number | undefined,
): Promise<void> {
  const bucket = await readBucketState(deps, followed.bucket, followed.bucketId);
  const position = cursor ?? (await currentCursor(deps, bucket));
  checkCursor(bucket, position);
  const head = Math.max(position, Math.min(bucket.stats.published, bucket.record.cursor));
  const message = subscribedMessage(lifeOf(followed), position, head);
  if ((await postWithRetries(deps, connectionId, message)) === 'sent') {
    await replay(deps, connectionId, followed, position, deps.clock.now() + REPLAY_MS);
  }
}

/**
 * Sends what follows the position, until nothing does: also what is committed meanwhile, because
 * pushes that overtake the replay, or `subscribed`, are of no use to the client. AWS calls: for
 * each 500 entries 2 GetItem, 8 Query and a POST per message, and 2 GetItem in the end.
 */
async function replay(
  deps: ChannelDeps,
  connectionId: string,
  followed: Subscription,
  cursor: number,
  end: number,
): Promise<void> {
  const isCut = () => deps.clock.now() >= end + CUT_AFTER_MS;
  let position = cursor;
  for (;;) {
    const bucket = await readBucketState(deps, followed.bucket, followed.bucketId);
    const run = await readAfter(deps, bucket, position, REPLAY_ENTRIES);
    if (run.to === position) return;
    const isLast = deps.clock.now() >= end;
    const options = { prefix: followed.prefix, head: run.head, more: isLast && run.more, isCut };
    const written = {
      ...run,
      changes: serializeChanges(visibleChanges(run.entries, followed.prefix)),
    };
    for (const text of changesMessages(lifeOf(followed), written, options)) {
      if ((await postWithRetries(deps, connectionId, text)) !== 'sent') return;
    }
    if (isLast || isCut()) return;
    position = run.to;
  }
}

export async function unsubscribe(
  deps: ChannelDeps,
  connection: Connection,
  bucket: string,
): Promise<void> {
  const followed = connection.subscriptions.get(bucket);
  if (followed) await deps.subscriptions.unsubscribe(connection.id, followed);
  await postWithRetries(deps, connection.id, unsubscribedMessage(bucket));
}

/**
 * Answers with the heads, and replays where a message was lost (see isLeftOut). Buckets that the
 * connection does not follow are left out of the answer, and so are those that there is no time
 * for. AWS calls: 1 GetItem, a POST, and for each bucket 2 GetItem, +1 Query while something is
 * under way, when nothing was lost.
 */
export async function ping(
  deps: ChannelDeps,
  connection: Connection,
  cursors: ReadonlyMap<string, number>,
): Promise<void> {
  const key = await usableKey(deps, connection);
  if (!key || !permitsAllSubscriptions(key, connection))
    return closeUnauthorized(deps, connection.id);
  const end = deps.clock.now() + REPLAY_MS;
  const heads = new Map<string, number>();
  const behind: { followed: Subscription; cursor: number }[] = [];
  for (const [name, cursor] of cursors) {
    const followed = connection.subscriptions.get(name);
    if (!followed || deps.clock.now() >= end) continue;
    await answering(deps, connection.id, name, async () => {
      const bucket = await readBucketState(deps, name, followed.bucketId);
      checkCursor(bucket, cursor);
      heads.set(name, Math.max(cursor, Math.min(bucket.stats.published, bucket.record.cursor)));
      if (await isLeftOut(deps, bucket, cursor)) behind.push({ followed, cursor });
    });
  }
  if ((await postWithRetries(deps, connection.id, pongMessage(heads))) !== 'sent') return;
  await announceDisconnect(deps, connection.id, connection.connectedAt);
  for (const [served, { followed, cursor }] of behind.entries()) {
    const now = deps.clock.now();
    if (now >= end) return;
    const share = (end - now) / (behind.length - served);
    await answering(deps, connection.id, followed.bucket, () =>
      replay(deps, connection.id, followed, cursor, now + share),
    );
  }
}

/**
 * Whether something after the position was pushed, and lost, or should have been long ago. What is
 * being pushed just now is left to fanout: a ping that replayed it too would do so for every
 * follower of a bucket that is written to all the time. 1 Query while something is not delivered
 * yet.
 */
async function isLeftOut(deps: ChannelDeps, bucket: BucketState, cursor: number): Promise<boolean> {
  if (bucket.stats.published > cursor) return true;
  const [next] = (await readAfter(deps, bucket, cursor, 1)).entries;
  return next !== undefined && deps.clock.now() - Date.parse(next.at) >= LATE_MS;
}

/** After these there is nothing to follow any more. */
const ENDINGS: readonly ErrorCode[] = ['forbidden', 'not_found', 'cursor_expired'];

/**
 * Does the work; an expected failure is told to the client, and ends the subscription where nothing
 * is left to follow.
 */
async function answering(
  deps: ChannelDeps,
  connectionId: string,
  bucket: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (ENDINGS.includes(error.code)) {
      const followed = (await deps.subscriptions.get(connectionId))?.subscriptions.get(bucket);
      if (followed) await deps.subscriptions.unsubscribe(connectionId, followed);
    }
    const isLost = error instanceof CursorExpired;
    const message = isLost ? resetMessage(bucket, error.expiry) : errorMessage(error, bucket);
    await postWithRetries(deps, connectionId, message);
  }
}

/** Near the cut: the client is asked to connect again. True: it was. */
export async function announceDisconnect(
  deps: Pick<ChannelDeps, 'channels' | 'clock'>,
  connectionId: string,
  connectedAt: number,
): Promise<boolean> {
  const cut = connectedAt + LIFETIME_MS;
  if (deps.clock.now() < cut - FAREWELL_MS) return false;
  const reason = 'API Gateway ends every connection after two hours';
  await deps.channels.post(connectionId, goodbyeMessage(1001, reason, cut - CUT_MARGIN_MS));
  return true;
}

export function closeUnauthorized(deps: CloseDeps, connectionId: string): Promise<void> {
  const reason =
    'the API key was revoked or replaced, has expired or lost a permission that this channel uses';
  return closeChannel(deps, connectionId, 4401, reason);
}

export type CloseDeps = Pick<ChannelDeps, 'channels' | 'clock' | 'subscriptions'>;

/**
 * Ends a connection. It gets nothing more from here on; a polite client closes with the code, any
 * other is cut.
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
 * Posts, waiting a little for a connection that is busy. What cannot be posted is made up for by
 * the client's next ping.
 */
export async function postWithRetries(
  deps: Pick<ChannelDeps, 'channels' | 'clock'>,
  connectionId: string,
  message: string,
): Promise<PostOutcome> {
  for (const wait of BUSY_WAITS_MS) {
    const outcome = await deps.channels.post(connectionId, message);
    if (outcome !== 'busy') return outcome;
    await deps.clock.sleep(wait);
  }
  return deps.channels.post(connectionId, message);
}

function lifeOf(followed: Subscription) {
  return { name: followed.bucket, id: followed.bucketId };
}

function tooMany(): ServiceError {
  return new ServiceError('invalid_request', {
    message: `one connection follows at most ${LIMITS.subscriptionsPerConnection} buckets; open another one`,
    details: { field: 'bucket', rule: 'too many subscriptions' },
  });
}
