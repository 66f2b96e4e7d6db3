/** What is known of one bucket's subscription on one connection, and when to ask about it again. */
import type { Follower } from './follower';

/** For `subscribed` to come: a function may have to start first. */
const ANSWER_MS = 3_000;
/** For the next range to come while behind. */
const CATCH_UP_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export class SubscribedBucket {
  /** The server said that it serves this subscription, or has shown it. */
  isConfirmed = false;
  /** A `subscribe` is to be sent as soon as possible. */
  mustAsk = true;
  /**
   * When to ask again because nothing has come. undefined: nothing is expected, the cursor is the
   * newest.
   */
  dueAt: number | undefined;
  #wait = ANSWER_MS;

  constructor(readonly follower: Follower) {}

  /** A question about the bucket was sent. */
  asked(now: number): void {
    this.mustAsk = false;
    this.dueAt = now + this.#wait;
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
  }

  /** The server serves the subscription, and something may have come. */
  progressed(now: number): void {
    this.isConfirmed = true;
    this.mustAsk = false;
    this.#wait = CATCH_UP_MS;
    this.dueAt = this.follower.isBehind ? now + this.#wait : undefined;
  }

  /** There may be more to come than was known. */
  expect(now: number): void {
    if (this.follower.isBehind) this.dueAt ??= now + this.#wait;
  }

  /**
   * Something was lost: ask at once, unless an answer is under way that may still make up for it.
   */
  repair(): void {
    if (this.dueAt === undefined) this.mustAsk = true;
  }

  /** The server may not know the subscription: only a new `subscribed` proves otherwise. */
  doubt(): void {
    this.isConfirmed = false;
    this.mustAsk = true;
  }

  postpone(until: number): void {
    this.dueAt = Math.max(this.dueAt ?? 0, until);
  }

  /** When something is to be sent for this bucket. */
  get sendAt(): number {
    return this.mustAsk ? 0 : (this.dueAt ?? Number.POSITIVE_INFINITY);
  }

  get needsSubscribe(): boolean {
    return this.mustAsk || !this.isConfirmed;
  }

  get subscribeMessage(): string {
    const { bucket, cursor, prefix, bucketId } = this.follower;
    return JSON.stringify({
      action: 'subscribe',
      bucket,
      ...(cursor !== undefined && { cursor }),
      ...(prefix !== '' && { prefix }),
      ...(bucketId !== undefined && { bucket_id: bucketId }),
    });
  }
}
