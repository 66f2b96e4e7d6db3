/** The storage of consumers. Both implementations pass one contract suite (`test/contract`). */

import type { Page } from '../pages';
import type { IdempotencyRecord } from '../store/uploads';

/** Identifies a consumer. */
export interface ConsumerId {
  /** The incarnation of the bucket: a consumer ends with it. */
  readonly bucketId: string;
  readonly name: string;
}

export interface Consumer extends ConsumerId {
  /** Prefix of the keys that the consumer follows; '' = all. Never changes. */
  readonly prefix: string;
  /** The consumer has processed every change up to this cursor. */
  readonly cursor: number;
  /** When the cursor was stored. ISO 8601 UTC with milliseconds. */
  readonly updatedAt: string;
}

export interface Consumers {
  /** Returns the consumer. Consistent. */
  get(id: ConsumerId): Promise<Consumer | undefined>;
  /**
   * Returns at most `limit` consumers of the bucket after that name, ordered by name. Consistent.
   */
  list(bucketId: string, limit: number, after?: string): Promise<Page<Consumer>>;
  /** Returns the consumers of all buckets, in any order. */
  all(): Promise<readonly Consumer[]>;
  /**
   * Stores the consumer if the stored one has the cursor `previous`, or if there is none and
   * `previous` is undefined. Stores nothing with any of these results: `changed`, the stored cursor
   * is not `previous`; `full`, the bucket already has LIMITS.consumersPerBucket; `duplicate`, the
   * idempotency record exists.
   */
  put(
    consumer: Consumer,
    previous: number | undefined,
    idempotency?: IdempotencyRecord,
  ): Promise<'stored' | 'changed' | 'full' | 'duplicate'>;
  /**
   * Moves the cursor forward. Returns false and stores nothing when there is no such consumer of
   * this prefix, its cursor is not below this one, or it was stored after `notAfter`.
   */
  advance(
    consumer: ConsumerId & Pick<Consumer, 'prefix'>,
    cursor: number,
    times: AdvanceTimes,
  ): Promise<boolean>;
  /** Removes the consumer. Stores nothing with the results `absent` and `duplicate`. */
  remove(
    id: ConsumerId,
    idempotency?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'>;
  /** Removes the consumers of a bucket that was deleted. Safe to repeat. */
  removeAll(bucketId: string): Promise<void>;
}

/** Times in epoch milliseconds. */
export interface AdvanceTimes {
  readonly now: number;
  readonly notAfter: number;
}
