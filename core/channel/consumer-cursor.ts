/**
 * The cursor of a consumer that follows on a channel: the cursor to start from, and its storage.
 */
import { advanceConsumer, noSuchConsumer } from '../consumers/consumers';
import type { Consumers } from '../consumers/ports';
import { invalid, ServiceError } from '../errors';
import { checkCursor, readBucketState } from '../log/cursor-reads';
import type { Buckets } from '../store/buckets';
import type { Clock } from '../system';
import type { Subscription } from './ports';

export type ConsumerCursors = Pick<Consumers, 'get' | 'advance'>;

export interface ConsumerCursorDeps {
  readonly consumers: ConsumerCursors;
  readonly buckets: Pick<Buckets, 'get' | 'stats'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Returns the cursor of the subscription's consumer, or undefined without a consumer. Throws
 * not_found, and invalid_request for a consumer of another prefix. AWS calls: 1 GetItem with a
 * consumer.
 */
export async function consumerCursor(
  deps: ConsumerCursorDeps,
  { bucketId, prefix, consumer: name }: Subscription,
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const found = await deps.consumers.get({ bucketId, name });
  if (!found) throw noSuchConsumer(name);
  if (found.prefix === prefix) return found.cursor;
  throw invalid('prefix', "must equal the consumer's prefix");
}

/** Stores the cursor of the subscription's consumer, if it has one. AWS calls: 1 UpdateItem. */
export async function storeCursor(
  deps: ConsumerCursorDeps,
  { bucketId, prefix, consumer: name }: Subscription,
  cursor: number,
  isLast = false,
): Promise<void> {
  if (name !== undefined) await advanceConsumer(deps, { bucketId, name, prefix }, cursor, isLast);
}

/**
 * Stores the cursor at which the consumer stops following, without the minimum interval, if it is a
 * cursor of the bucket. AWS calls: 2 GetItem, 1 UpdateItem.
 */
export async function storeLast(
  deps: ConsumerCursorDeps,
  subscription: Subscription,
  cursor: number,
): Promise<void> {
  if (subscription.consumer === undefined) return;
  try {
    checkCursor(await readBucketState(deps, subscription.bucket, subscription.bucketId), cursor);
  } catch (error) {
    if (error instanceof ServiceError) return;
    throw error;
  }
  await storeCursor(deps, subscription, cursor, true);
}
