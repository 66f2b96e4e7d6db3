/**
 * The client's rule (docs/api.md, "The channel"): what makes lost, repeated and reordered messages
 * harmless.
 */
import type { ChangeRange } from '../resources';
import type { SyncEvent } from './events';

/** Where to begin with one bucket. */
export interface FollowOptions {
  /** The position that you hold: changes after it follow. @default from now */
  readonly cursor?: number;
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string;
  /**
   * The life of the bucket that `cursor` is of. With it, a bucket that was deleted and made again
   * is noticed.
   */
  readonly bucketId?: string;
}

/**
 * - `applied`: the position moved, or there was nothing to move over.
 * - `old`: all of it has been applied before.
 * - `gap`: something between the position and the range was lost.
 * - `foreign`: no position yet, or a range of another life of the bucket.
 */
export type Verdict = 'applied' | 'old' | 'gap' | 'foreign';

/**
 * One bucket's position, and the rule by which it moves. Whoever carries the messages only hands
 * them over.
 */
export class Follower {
  readonly prefix: string;
  position: number | undefined;
  bucketId: string | undefined;
  /** The newest position that anyone told of. */
  head = 0;
  /** Set once the bucket cannot be followed any more. */
  hasEnded = false;

  constructor(
    readonly bucket: string,
    options: FollowOptions = {},
  ) {
    this.prefix = options.prefix ?? '';
    this.position = options.cursor;
    this.bucketId = options.bucketId;
  }

  get isBehind(): boolean {
    return this.position !== undefined && this.position < this.head;
  }

  /**
   * The server's word for where the following begins. False: it is about another life of the
   * bucket.
   */
  begin(bucketId: string, cursor: number, head: number): boolean {
    if (this.bucketId !== undefined && this.bucketId !== bucketId) return false;
    this.bucketId = bucketId;
    // With a position, another cursor is the answer to an older question.
    this.position ??= cursor;
    this.learnHead(head);
    return true;
  }

  learnHead(head: number): void {
    this.head = Math.max(this.head, head);
  }

  take(range: ChangeRange): { readonly verdict: Verdict; readonly events: readonly SyncEvent[] } {
    const { position } = this;
    if (position === undefined || range.bucket_id !== this.bucketId) {
      return { verdict: 'foreign', events: [] };
    }
    this.learnHead(range.head);
    if (range.from > position) return { verdict: 'gap', events: [] };
    if (range.to <= position) return { verdict: 'old', events: [] };
    this.position = range.to;
    return { verdict: 'applied', events: this.eventsAfter(position, range) };
  }

  /** The changes of the range that are new, and the range's end. */
  protected eventsAfter(position: number, range: ChangeRange): SyncEvent[] {
    const { bucket, bucket_id: bucketId, changes, to } = range;
    const events: SyncEvent[] = [];
    for (const { cursor, ...change } of changes) {
      if (cursor > position) events.push({ ...change, bucket, bucketId, position: cursor });
    }
    events.push({ type: 'position', bucket, bucketId, position: to, head: this.head });
    return events;
  }
}
