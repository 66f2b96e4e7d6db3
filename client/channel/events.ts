/** The events of a subscription. */
import { StowageError } from '../errors';
import type { CommitRange, DeletedObject, LogDigest, ObjectDescriptor } from '../resources';

interface AtCursor {
  /** Name of the bucket. */
  readonly bucket: string;
  /** The incarnation of the bucket to which the cursor belongs; save it with the cursor. */
  readonly bucketId: string;
  /** Every change up to this cursor has been returned to the reader. */
  readonly cursor: number;
}

interface ChangeAtCursor extends AtCursor {
  /**
   * The first and the last cursor of the commit that made this change together with others; absent
   * when it was made alone. The others come before the next `cursor` event: a reader that applies
   * all changes up to a `cursor` event at once never shows a part of a commit.
   */
  readonly commit?: CommitRange;
}

/** An object was written. */
export interface PutChange extends ChangeAtCursor {
  readonly type: 'put';
  /** The object after this change. */
  readonly object: ObjectDescriptor;
}

/** An object was deleted. */
export interface DeleteChange extends ChangeAtCursor {
  readonly type: 'delete';
  /** The key and version of the deleted object. */
  readonly object: DeletedObject;
  /** `expired`: the service deleted the object by itself. */
  readonly cause?: 'expired';
}

/** A change of a bucket. The changes of one bucket come in order, each once. */
export type Change = PutChange | DeleteChange;

/**
 * The end of a range, never inside a commit. The cursor also advances when nothing below the prefix
 * has changed. Save it when you receive it.
 */
export interface CursorEvent extends AtCursor {
  readonly type: 'cursor';
  /** The newest known cursor of the bucket: `cursor === head` means caught up. */
  readonly head: number;
  /**
   * The digest of the log up to the cursor, if the service has published it. It equals the digest
   * of the changes that the reader has received since cursor 0, or since a saved digest. Absent
   * with a prefix. Save it with the cursor.
   */
  readonly digest?: LogDigest;
}

/**
 * `cursor_expired`: the change log no longer reaches back to the cursor. `bucket_replaced`: the
 * bucket was deleted and created again.
 */
export type ResetReason = 'cursor_expired' | 'bucket_replaced';

/**
 * The subscription to the bucket has ended, because the changes after its cursor are not available.
 * List the bucket, then subscribe from the cursor of the list.
 */
export interface ResetEvent {
  readonly type: 'reset';
  /** Name of the bucket. */
  readonly bucket: string;
  /** Why. */
  readonly reason: ResetReason;
  /** The cursor of the oldest change in the change log. */
  readonly oldest: number;
  /** The newest cursor of the bucket. */
  readonly head: number;
}

/**
 * The subscription to the bucket has ended: `forbidden`, `not_found`, `invalid_request`, or
 * DigestMismatch.
 */
export interface EndedEvent {
  readonly type: 'ended';
  /** Name of the bucket. */
  readonly bucket: string;
  /** Why. */
  readonly error: StowageError;
}

/** For status displays only: the client reconnects by itself. */
export interface StatusEvent {
  readonly type: 'status';
  /** The new state of the connection. */
  readonly status: 'connected' | 'disconnected';
  /** The kind of connection. */
  readonly transport: 'websocket' | 'poll';
  /** The buckets that this connection serves. */
  readonly buckets: readonly string[];
  /** Why it was lost. */
  readonly reason?: string;
}

/** Every event of a subscription. */
export type SubscriptionEvent = Change | CursorEvent | ResetEvent | EndedEvent | StatusEvent;

/** Returns the error that the service sends for a page after the same cursor. */
export function errorOfReset({ bucket, reason, oldest, head }: ResetEvent): StowageError {
  const why =
    reason === 'bucket_replaced'
      ? 'was deleted and created again'
      : `has no changes before cursor ${oldest} any more`;
  const message = `${bucket} ${why}: list it, then subscribe from the cursor of the list`;
  return new StowageError('cursor_expired', message, { details: { bucket, reason, oldest, head } });
}
