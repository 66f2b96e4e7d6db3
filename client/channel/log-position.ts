/**
 * The client's rule (docs/api.md, "The channel"): what makes lost, repeated and reordered messages
 * harmless.
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
   * The digest of the log at `cursor`, from the event that had both. The client compares the
   * digests of the service with that of the changes since; without it, from cursor 0 or the first
   * digest on.
   */
  readonly digest?: LogDigest | undefined;
  /**
   * The name of a consumer of the bucket, which must exist: without `cursor` it begins at the
   * consumer's, and while the events are read, the client stores how far the reader is done.
   */
  readonly consumer?: string | undefined;
}

/** The service stores the cursor of a consumer every 30 s; some more for times on the way. */
const STORE_MS = 31_000;

/** How many ranges wait for the one before them: those that a network may reorder. */
const EARLY_RANGES = 32;

/**
 * - `applied`: the cursor advanced.
 * - `old`: the range ends at or before the cursor.
 * - `gap`: something between the cursor and the range was lost, or comes late.
 * - `foreign`: there is no cursor yet, or the range is of another incarnation of the bucket.
 */
export type Verdict = 'applied' | 'old' | 'gap' | 'foreign';

/**
 * One bucket's cursor, and the rule by which it advances, whichever transport brings the ranges.
 */
export class LogPosition {
  readonly prefix: string;
  readonly consumer: string | undefined;
  /** The reader is done with every change up to this cursor, since it began to read. */
  consumed: number | undefined;
  cursor: number | undefined;
  bucketId: string | undefined;
  /** The newest known cursor of the bucket. */
  head = 0;
  /** Set once the bucket cannot be followed any more. */
  hasEnded = false;
  /** Of the digest that the reader holds. */
  readonly #digest: LogDigest | undefined;
  /** Of the consumer: the cursor that was sent last, and when the next one may be. */
  #stored = Number.NEGATIVE_INFINITY;
  #storeAt = 0;
  /** The cursor of the consumer when this began; undefined: the reader's own was given. */
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
    // What the reader holds.
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
   * Whether the consumer may move on from the cursor that is stored. A lower one than where this
   * began was put there by somebody who wants the changes read once more.
   */
  mayMoveFrom(stored: number): boolean {
    return stored >= (this.#beganAt ?? 0);
  }

  /** When to look whether the consumer's cursor is to be stored; infinite without one. */
  get storeAt(): number {
    return this.consumer === undefined ? Number.POSITIVE_INFINITY : this.#storeAt;
  }

  /** Whether the reader is done with more than is stored, as far as may be stored now. */
  isToStore(now: number): boolean {
    if (now < this.storeAt) return false;
    const isBehind = this.consumed !== undefined && this.consumed > this.#stored;
    // Nothing says when the reader is done with more.
    if (!isBehind) this.#storeAt = now + STORE_MS;
    return isBehind;
  }

  /**
   * What the reader is done with, which counts as stored: if the request is lost, the next one, or
   * a ping of a quiet bucket, stores it again.
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

  /** Applies the range, and those that came too early before. */
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
    const isTrue = !check || !range.digest || check.agrees(range.to, range.digest);
    if (!isTrue) return { verdict: 'applied', events: [this.#mismatch(range.to)] };
    return {
      verdict: 'applied',
      events: [...this.eventsAfter(cursor, range), ...this.#takeEarly()],
    };
  }

  /** As if the range that follows now had come now. */
  #takeEarly(): readonly SubscriptionEvent[] {
    const { cursor = 0 } = this;
    this.#early = this.#early.filter(({ to }) => to > cursor);
    const next = this.#early.find(({ from }) => from <= cursor);
    return next ? this.take(next).events : [];
  }

  /**
   * Compares the service's digest of the log up to that cursor, if the reader is there. Returns the
   * event that tells the reader, the first time.
   */
  compare(cursor: number, digest: LogDigest | undefined): SubscriptionEvent[] {
    const { bucket, bucketId, head } = this;
    const check = digest && cursor === this.cursor ? this.#checkAt(cursor) : undefined;
    if (!digest || !check || bucketId === undefined) return [];
    const isTold = check.agreedAt === cursor;
    if (!check.agrees(cursor, digest)) return [this.#mismatch(cursor)];
    return isTold ? [] : [{ type: 'cursor', bucket, bucketId, cursor, head, digest }];
  }

  /** undefined with a prefix: the changes below it are not the log. */
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

  /** The changes of the range after that cursor, and the end of the range. */
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
