/** What a follower is told. */
import type { StowageError } from '../errors';
import type { DeletedObject, ObjectDescriptor } from '../resources';

interface AtCursor {
  /** Name of the bucket. */
  readonly bucket: string;
  /** The life of the bucket that the cursor is of; save it beside the cursor. */
  readonly bucketId: string;
  /** Everything up to here has been handed out. */
  readonly cursor: number;
}

/** An object was written. */
export interface PutChange extends AtCursor {
  readonly type: 'put';
  /** As this change made it. */
  readonly object: ObjectDescriptor;
}

/** An object was deleted. */
export interface DeleteChange extends AtCursor {
  readonly type: 'delete';
  /** What is left to be told of it. */
  readonly object: DeletedObject;
}

/** A change of a bucket. Of one bucket they come in order, each once. */
export type Change = PutChange | DeleteChange;

/**
 * The end of a range: the cursor also moves where nothing below the prefix changed. Save it when
 * you see it.
 */
export interface CursorEvent extends AtCursor {
  readonly type: 'cursor';
  /** The newest cursor of the bucket as far as known: `cursor === head` means caught up. */
  readonly head: number;
}

/** The cursor is older than what is kept, or of a bucket that was deleted and made again. */
export type ResetReason = 'cursor_expired' | 'bucket_replaced';

/**
 * The bucket cannot be followed from that cursor any more, and is not: list it, then follow from
 * the list's cursor.
 */
export interface ResetEvent {
  readonly type: 'reset';
  /** Name of the bucket. */
  readonly bucket: string;
  /** Why. */
  readonly reason: ResetReason;
  /** The oldest cursor from which the bucket can be followed. */
  readonly oldest: number;
  /** The newest cursor of the bucket. */
  readonly head: number;
}

/** The bucket is not followed any more: `forbidden`, `not_found` or `invalid_request`. */
export interface EndedEvent {
  readonly type: 'ended';
  /** Name of the bucket. */
  readonly bucket: string;
  /** Why. */
  readonly error: StowageError;
}

/** For status displays only: reconnecting is done for you. */
export interface StatusEvent {
  readonly type: 'status';
  /** What happened to the connection. */
  readonly status: 'connected' | 'disconnected';
  /** What the connection is, or was. */
  readonly transport: 'websocket' | 'poll';
  /** The buckets that this connection serves. */
  readonly buckets: readonly string[];
  /** Why it was lost. */
  readonly reason?: string;
}

/** Everything that a follower is told. */
export type SubscriptionEvent = Change | CursorEvent | ResetEvent | EndedEvent | StatusEvent;
