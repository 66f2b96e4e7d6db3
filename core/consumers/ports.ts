/** The storage of consumers. Both implementations pass one contract suite (`test/contract`). */
import type { IdempotencyRecord } from '../store/uploads';
import type { Page } from '../pages';

/** What identifies a consumer. */
export interface ConsumerId {
  /** The incarnation of the bucket: a consumer ends with it. */
  readonly bucketId: string;
  readonly name: string;
}

export interface Consumer extends ConsumerId {
  /** It follows the keys that begin with this; '' = all. Never changes. */
  readonly prefix: string;
  /** It is done with every change up to this cursor. */
  readonly cursor: number;
  /** When the cursor was stored. ISO 8601 UTC with milliseconds. */
  readonly updatedAt: string;
}

export interface Consumers {
  /** Consistent. */
  get(id: ConsumerId): Promise<Consumer | undefined>;
  /** The consumers of the bucket after that name, by name. At most `limit`. Consistent. */
  list(bucketId: string, limit: number, after?: string): Promise<Page<Consumer>>;
  /** The consumers of all buckets, in any order. */
  all(): Promise<readonly Consumer[]>;
  /**
   * Stores the consumer in place of one with the cursor `previous`; undefined: of none. Stores
   * nothing otherwise: `changed`: there is another cursor, or none, or one where there must not be.
   * `full`: the bucket has LIMITS.consumersPerBucket already. `duplicate`: the idempotency record
   * exists.
   */
  put(
    consumer: Consumer,
    previous: number | undefined,
    idempotency?: IdempotencyRecord,
  ): Promise<'stored' | 'changed' | 'full' | 'duplicate'>;
  /**
   * Moves the cursor forward. False, and nothing is stored, when there is no such consumer of this
   * prefix, its cursor is not below this one, or it was stored after `notAfter`.
   */
  advance(
    consumer: ConsumerId & Pick<Consumer, 'prefix'>,
    cursor: number,
    times: AdvanceTimes,
  ): Promise<boolean>;
  /** `absent`, `duplicate`: nothing is stored. */
  remove(
    id: ConsumerId,
    idempotency?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'>;
  /** Removes the consumers of a bucket that was deleted. Safe to repeat. */
  removeAll(bucketId: string): Promise<void>;
}

/** Epoch milliseconds. */
export interface AdvanceTimes {
  readonly now: number;
  readonly notAfter: number;
}
