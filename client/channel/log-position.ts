/**
 * The rule that makes lost, repeated and reordered messages harmless: docs/api.md, "The channel".
 */
import { DigestMismatch } from '../errors';
import type { ChangeRange, LogDigest } from '../resources';
import type { SubscriptionEvent } from './events';
import { DigestCheck } from './log-digest';

/** Where to begin with one bucket. */
export interface FollowOptions {
  /** The cursor that you hold: changes after it follow. @default from now */
  readonly cursor?: number | undefined;
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
  /**
   * The incarnation of the bucket to which `cursor` belongs. With it, the client notices that the
   * bucket was deleted and created again.
   */
  readonly bucketId?: string | undefined;
  /**
   * The digest of the log at `cursor`, saved from the same event. With it, the client compares
   * every later digest of the service. Without it, the client compares from cursor 0, or from the
   * first digest that arrives.
   */
  readonly digest?: LogDigest | undefined;
  /**
   * The name of a consumer of the bucket, which must exist. Without `cursor` the subscription
   * begins at the cursor of the consumer. The client moves the consumer as the events are read.
   */
  readonly consumer?: string | undefined;
}

/** The service accepts the cursor of a consumer every 30 s; one second covers delays on the way. */
const STORE_MS = 31_000;

/** Upper bound of the ranges that are kept until the range before them arrives. */
const EARLY_RANGES = 32;

/**
 * - `applied`: the cursor advanced.
 * - `old`: the range ends at or before the cursor.
 * - `gap`: something between the cursor and the range was lost, or comes late.
 * - `foreign`: there is no cursor yet, or the range is of another incarnation of the bucket.
 */
export type Verdict = 'applied' | 'old' | 'gap' | 'foreign';

/**
 * Where a follower is in the change log of one bucket, and how ranges move it on, whichever
 * transport brings them. It outlives the channels of the follower.
 */
export class LogPosition {
  readonly prefix: string;
  readonly consumer: string | undefined;
  /** The reader is done with every change up to this cursor. */
  consumed: number | undefined;
  cursor: number | undefined;
  bucketId: string | undefined;
  /** The newest known cursor of the bucket. */
  head = 0;
  /** Set once the bucket cannot be followed any more. */
  hasEnded = false;
  /** The digest that the reader holds. */
  readonly #digest: LogDigest | undefined;
  /** The cursor that was last stored for the consumer, and when the next one may be stored. */
  #stored = Number.NEGATIVE_INFINITY;
  #storeAt = 0;
  /** The cursor of the consumer at the beginning; undefined when the reader gave a cursor. */
  #beganAt: number | undefined;
  #digestCheck: DigestCheck | undefined;
  /** Ranges that begin after the cursor. */
  #early: ChangeRange[] = [];

  constructor(
    readonly bucket: string,
    options: FollowOptions = {},
  ) {
    this.#digest = options.digest;
    this.prefix = options.prefix ?? '';
    this.consumer = options.consumer;
    // The reader holds the changes up to its own cursor.
    this.consumed = options.cursor;
    this.cursor = options.cursor;
    this.bucketId = options.bucketId;
  }

  get isBehind(): boolean {
    return this.cursor !== undefined && this.cursor < this.head;
  }

  /**
   * Takes over the server's beginning of the subscription. Returns false when it is about another
   * incarnation of the bucket.
   */
  begin(bucketId: string, cursor: number, head: number): boolean {
    if (this.bucketId !== undefined && this.bucketId !== bucketId) return false;
    this.bucketId = bucketId;
    // A cursor that is already set is newer: the server's belongs to an earlier request.
    if (this.cursor === undefined) this.#beganAt = this.cursor = cursor;
    this.learnHead(head);
    return true;
  }

  /**
   * Returns whether the consumer may move on from the stored cursor. Somebody who has stored a
   * lower cursor than that of the beginning wants the changes to be read again.
   */
  mayMoveFrom(stored: number): boolean {
    return stored >= (this.#beganAt ?? 0);
  }

  /** When the cursor of the consumer may be stored; infinite without a consumer. */
  get storeAt(): number {
    return this.consumer === undefined ? Number.POSITIVE_INFINITY : this.#storeAt;
  }

  /** Returns whether the cursor of the consumer is to be stored now. */
  isToStore(now: number): boolean {
    if (now < this.storeAt) return false;
    const isBehind = this.consumed !== undefined && this.consumed > this.#stored;
    // No event tells when the reader is done with more, so this looks again later.
    if (!isBehind) this.#storeAt = now + STORE_MS;
    return isBehind;
  }

  /**
   * Returns the cursor to store for the consumer, which then counts as stored. If the request is
   * lost, a later one, or a ping of a quiet bucket, stores it again.
   */
  takeConsumed(now: number): number | undefined {
    if (this.consumer === undefined || this.consumed === undefined) return undefined;
    this.#storeAt = now + STORE_MS;
    this.#stored = this.consumed;
    return this.consumed;
  }

  learnHead(head: number): void {
    this.head = Math.max(this.head, head);
  }

  /** Applies the range, and early ranges that follow it. */
  take(range: ChangeRange): {
    readonly verdict: Verdict;
    readonly events: readonly SubscriptionEvent[];
  } {
    const { cursor } = this;
    if (cursor === undefined || range.bucket_id !== this.bucketId) {
      return { verdict: 'foreign', events: [] };
    }
    this.learnHead(range.head);
    if (range.from > cursor) {
      if (this.#early.length < EARLY_RANGES) this.#early.push(range);
      return { verdict: 'gap', events: [] };
    }
    if (range.to <= cursor) return { verdict: 'old', events: this.compare(range.to, range.digest) };
    const check = this.#checkAt(cursor);
    check?.advance(cursor, range.to, range.changes);
    this.cursor = range.to;
    const isSame = !check || !range.digest || check.agrees(range.to, range.digest);
    if (!isSame) return { verdict: 'applied', events: [this.#mismatch(range.to)] };
    return {
      verdict: 'applied',
      events: [...this.eventsAfter(cursor, range), ...this.#takeEarly()],
    };
  }

  /** Applies the early ranges that follow the cursor. */
  #takeEarly(): readonly SubscriptionEvent[] {
    const { cursor = 0 } = this;
    this.#early = this.#early.filter(({ to }) => to > cursor);
    const next = this.#early.find(({ from }) => from <= cursor);
    return next ? this.take(next).events : [];
  }

  /**
   * Compares the service's digest at that cursor, if the follower is there. Returns the event for
   * the reader, once for each cursor.
   */
  compare(cursor: number, digest: LogDigest | undefined): SubscriptionEvent[] {
    const { bucket, bucketId, head } = this;
    const check = digest && cursor === this.cursor ? this.#checkAt(cursor) : undefined;
    if (!digest || !check || bucketId === undefined) return [];
    const wasReturned = check.agreedAt === cursor;
    if (!check.agrees(cursor, digest)) return [this.#mismatch(cursor)];
    return wasReturned ? [] : [{ type: 'cursor', bucket, bucketId, cursor, head, digest }];
  }

  /** Returns undefined with a prefix, because the digest covers every change of the log. */
  #checkAt(cursor: number): DigestCheck | undefined {
    if (this.prefix !== '' || this.bucketId === undefined) return undefined;
    this.#digestCheck ??= new DigestCheck(this.bucketId, cursor, this.#digest);
    return this.#digestCheck;
  }

  #mismatch(cursor: number): SubscriptionEvent {
    this.hasEnded = true;
    const error = new DigestMismatch(this.bucket, cursor);
    return { type: 'ended', bucket: this.bucket, error };
  }

  /** Returns the changes of the range after that cursor, then the end of the range. */
  protected eventsAfter(after: number, range: ChangeRange): SubscriptionEvent[] {
    const { bucket, bucket_id: bucketId, changes, to, digest } = range;
    const events: SubscriptionEvent[] = [];
    for (const { cursor, ...change } of changes) {
      if (cursor > after) events.push({ ...change, bucket, bucketId, cursor });
    }
    const end = { type: 'cursor', bucket, bucketId, cursor: to, head: this.head } as const;
    events.push(this.prefix === '' && digest ? { ...end, digest } : end);
    return events;
  }
}
