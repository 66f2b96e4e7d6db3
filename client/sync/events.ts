/** What a follower is told. */
import type { StowageError } from '../errors';
import type { DeletedObject, ObjectDescriptor } from '../resources';

interface Positioned {
  readonly bucket: string;
  /** The life of the bucket that the position is of; save it beside the position. */
  readonly bucketId: string;
  /** Everything up to here has been handed out. */
  readonly position: number;
}

export interface PutChange extends Positioned {
  readonly type: 'put';
  readonly object: ObjectDescriptor;
}

export interface DeleteChange extends Positioned {
  readonly type: 'delete';
  readonly object: DeletedObject;
}

/** A change of a bucket. Of one bucket they come in order, each once. */
export type Change = PutChange | DeleteChange;

/** The end of a range: the position also moves where nothing below the prefix changed. Save it when you see it. */
export interface PositionEvent extends Positioned {
  readonly type: 'position';
  /** The newest position of the bucket as far as known: `position === head` means caught up. */
  readonly head: number;
}

export type ResetReason = 'cursor_expired' | 'bucket_replaced';

/** The bucket cannot be followed from that position any more, and is not: list it, then follow from the list's cursor. */
export interface ResetEvent {
  readonly type: 'reset';
  readonly bucket: string;
  readonly reason: ResetReason;
  readonly oldest: number;
  readonly head: number;
}

/** The bucket is not followed any more: `forbidden`, `not_found` or `invalid_request`. */
export interface EndedEvent {
  readonly type: 'ended';
  readonly bucket: string;
  readonly error: StowageError;
}

/** For status displays only: reconnecting is done for you. */
export interface StatusEvent {
  readonly type: 'status';
  readonly status: 'connected' | 'disconnected';
  readonly transport: 'websocket' | 'poll';
  /** The buckets that this connection serves. */
  readonly buckets: readonly string[];
  /** Why it was lost. */
  readonly reason?: string;
}

export type SyncEvent = Change | PositionEvent | ResetEvent | EndedEvent | StatusEvent;
