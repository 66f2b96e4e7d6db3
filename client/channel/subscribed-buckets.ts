/**
 * The buckets that one connection subscribes to: what each message of the server means for its
 * bucket, and when to send the next `subscribe` or `ping` about it.
 */
import type { StowageError } from '../errors';
import type { SubscriptionEvent } from './events';
import type { FollowedBucket } from './followed-bucket';
import type { MessageRate } from './message-rate';
import type { ServerMessage } from './messages';
import type { LastHeard } from './ping-schedule';

type MessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

/** How long to wait for `subscribed`: a function of the service may have to start first. */
const RESPONSE_MS = 3_000;
/** How long to wait for the next range while behind. */
const CATCH_UP_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** One bucket on one connection. */
class SubscribedBucket {
  /** The server has confirmed the subscription, or has sent changes of it. */
  isConfirmed = false;
  /** A `subscribe` is to be sent as soon as possible. */
  mustAsk = true;
  /** When to ask again if nothing arrives. undefined: nothing is expected. */
  dueAt: number | undefined;
  /** When changes were applied last, of which the next one shows whether any were lost. */
  heardAt = Number.NEGATIVE_INFINITY;
  #wait = RESPONSE_MS;

  constructor(readonly followed: FollowedBucket) {}

  /** A `subscribe` or `ping` about the bucket was sent. */
  asked(now: number): void {
    this.mustAsk = false;
    this.dueAt = now + this.#wait;
    this.#wait = Math.min(this.#wait * 2, MAX_WAIT_MS);
  }

  /** The server serves the subscription, and the cursor may have advanced. */
  progressed(now: number): void {
    this.isConfirmed = true;
    this.mustAsk = false;
    this.#wait = CATCH_UP_MS;
    this.dueAt = this.followed.isBehind ? now + this.#wait : undefined;
  }

  /** The head may have advanced: more changes are expected while the cursor is behind it. */
  expect(now: number): void {
    if (this.followed.isBehind) this.dueAt ??= now + this.#wait;
  }

  /** Changes were lost: ask at once, unless an earlier request may still bring them. */
  repair(): void {
    if (this.dueAt === undefined) this.mustAsk = true;
  }

  /** The server may not know the subscription: only a new `subscribed` confirms it. */
  doubt(): void {
    this.isConfirmed = false;
    this.mustAsk = true;
  }

  postpone(until: number): void {
    this.dueAt = Math.max(this.dueAt ?? 0, until);
  }

  /** When to send something about this bucket. */
  get sendAt(): number {
    return this.mustAsk ? 0 : (this.dueAt ?? Number.POSITIVE_INFINITY);
  }

  get needsSubscribe(): boolean {
    return this.mustAsk || !this.isConfirmed;
  }

  get subscribeMessage(): string {
    const { bucket, cursor, prefix, bucketId, consumer } = this.followed;
    // JSON has no members that are undefined.
    const bucketAndKeys = { bucket, cursor, prefix: prefix === '' ? undefined : prefix };
    const message = { action: 'subscribe', consumer, ...bucketAndKeys, bucket_id: bucketId };
    return JSON.stringify(message);
  }
}

export class SubscribedBuckets {
  readonly #buckets: Map<string, SubscribedBucket>;
  readonly #emit: (event: SubscriptionEvent) => void;
  /** The buckets of the last ping, until its pong arrives. */
  #pinged: readonly string[] = [];

  constructor(
    followedBuckets: readonly FollowedBucket[],
    emit: (event: SubscriptionEvent) => void,
  ) {
    const active = followedBuckets.filter((followed) => !followed.hasEnded);
    this.#buckets = new Map(
      active.map((followed) => [followed.bucket, new SubscribedBucket(followed)]),
    );
    this.#emit = emit;
  }

  get names(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  /** When to send something about a bucket. */
  get sendAt(): number {
    return Math.min(...[...this.#buckets.values()].map(({ sendAt }) => sendAt));
  }

  /** When the cursor of a consumer may have to be stored. */
  get storeAt(): number {
    const confirmed = [...this.#buckets.values()].filter(({ needsSubscribe }) => !needsSubscribe);
    return Math.min(...confirmed.map(({ followed }) => followed.storeAt));
  }

  get lastHeard(): LastHeard {
    const times = [...this.#buckets.values()].map(({ heardAt }) => heardAt);
    return { oldest: Math.min(...times), newest: Math.max(...times) };
  }

  subscribed(message: MessageOf<'subscribed'>, now: number): void {
    const { bucket, bucketId, head } = message;
    const subscribed = this.#buckets.get(bucket);
    if (!subscribed) return;
    const { followed } = subscribed;
    const isFirst = followed.cursor === undefined || followed.bucketId === undefined;
    if (!followed.begin(bucketId, message.cursor, head)) {
      subscribed.doubt();
      return;
    }
    subscribed.progressed(now);
    const { cursor } = followed;
    if (!isFirst || cursor === undefined) return;
    this.#emit({ type: 'cursor', bucket, bucketId, cursor, head: followed.head });
  }

  changes({ range, more }: MessageOf<'changes'>, now: number): void {
    const subscribed = this.#buckets.get(range.bucket);
    if (!subscribed) return;
    const { verdict, events } = subscribed.followed.take(range);
    events.forEach(this.#emit);
    if (subscribed.followed.hasEnded) {
      this.#buckets.delete(range.bucket);
    } else if (verdict === 'applied') {
      subscribed.progressed(now);
      subscribed.heardAt = now;
      subscribed.mustAsk ||= more;
    } else if (verdict === 'gap') {
      subscribed.repair();
    } else if (verdict === 'old') {
      subscribed.expect(now);
    } else if (subscribed.isConfirmed) {
      // Changes of another incarnation: a new `subscribed` or `reset` has to say which is current.
      // Before the first `subscribed` there is no incarnation to compare with.
      subscribed.doubt();
    }
  }

  /** Drops changes, but records that there are some, so that `catchUp` asks for them. */
  skip({ range }: MessageOf<'changes'>): void {
    const followed = this.#buckets.get(range.bucket)?.followed;
    if (followed?.bucketId === range.bucket_id) followed.learnHead(range.head);
  }

  /** Asks again for what was skipped. */
  catchUp(): void {
    for (const subscribed of this.#buckets.values()) {
      if (subscribed.followed.isBehind) subscribed.mustAsk = true;
    }
  }

  /**
   * Ends the bucket when the reset can be the response to the open request. Otherwise the message
   * may be outdated, and the client asks again.
   */
  reset(message: MessageOf<'reset'>): void {
    const subscribed = this.#buckets.get(message.bucket);
    if (!subscribed) return;
    const { cursor, bucketId, consumer } = subscribed.followed;
    // Only the server knows the cursor of a consumer before it has confirmed the subscription.
    const isBehind = cursor === undefined ? consumer !== undefined : cursor + 1 < message.oldest;
    const isCurrent =
      message.reason === 'bucket_replaced'
        ? bucketId !== undefined && !subscribed.isConfirmed
        : isBehind;
    if (isCurrent) this.#end(subscribed, message);
    else subscribed.doubt();
  }

  error(bucket: string, error: StowageError, now: number): void {
    const subscribed = this.#buckets.get(bucket);
    if (!subscribed) return;
    if (['forbidden', 'not_found', 'invalid_request'].includes(error.code)) {
      this.#end(subscribed, { type: 'ended', bucket, error });
    } else if (error.code === 'rate_limited' && !subscribed.isConfirmed) {
      subscribed.mustAsk = true;
    } else {
      subscribed.postpone(now + (error.retryAfter ?? 0) * 1000);
    }
  }

  pong({ heads, digests }: MessageOf<'pong'>, now: number): void {
    for (const [bucket, head] of heads) {
      const subscribed = this.#buckets.get(bucket);
      subscribed?.followed.learnHead(head);
      subscribed?.followed.compare(head, digests.get(bucket)).forEach(this.#emit);
      if (subscribed?.followed.hasEnded) this.#buckets.delete(bucket);
      else subscribed?.expect(now);
    }
    // A pong names only the buckets that the server has subscribed to this connection.
    for (const bucket of this.#pinged) {
      if (!heads.has(bucket)) this.#buckets.get(bucket)?.doubt();
    }
    this.#pinged = [];
  }

  /**
   * The `subscribe` messages that are due, as many as the message rate permits. The others stay
   * due; each gets its cursor when it is sent.
   */
  subscribe(now: number, messageRate: MessageRate): readonly string[] {
    const texts: string[] = [];
    for (const subscribed of this.#buckets.values()) {
      if (subscribed.sendAt > now || !subscribed.needsSubscribe) continue;
      if (!messageRate.take(now)) break;
      texts.push(subscribed.subscribeMessage);
      subscribed.asked(now);
    }
    return texts;
  }

  /**
   * Names of the confirmed buckets whose expected changes have not arrived in time, or whose
   * consumers are done with more than is stored.
   */
  due(now: number): readonly string[] {
    return this.names.filter((name) => {
      const subscribed = this.#buckets.get(name);
      if (!subscribed || subscribed.needsSubscribe) return false;
      const isToStore = subscribed.followed.isToStore(now);
      return isToStore || subscribed.sendAt <= now;
    });
  }

  /** A ping with the cursors of these buckets. */
  ping(now: number, names: readonly string[]): string {
    const cursors: Record<string, number> = {};
    const consumed: Record<string, number> = {};
    for (const name of names) {
      const subscribed = this.#buckets.get(name);
      const cursor = subscribed?.followed.cursor;
      if (!subscribed?.isConfirmed || cursor === undefined) continue;
      cursors[name] = cursor;
      const done = subscribed.followed.takeConsumed(now);
      if (done !== undefined) consumed[name] = done;
      if (subscribed.dueAt !== undefined && subscribed.dueAt <= now) subscribed.asked(now);
    }
    this.#pinged = Object.keys(cursors);
    const isDone = Object.keys(consumed).length > 0;
    return JSON.stringify({ action: 'ping', cursors, ...(isDone && { consumed }) });
  }

  #end(subscribed: SubscribedBucket, event: SubscriptionEvent): void {
    subscribed.followed.hasEnded = true;
    this.#buckets.delete(subscribed.followed.bucket);
    this.#emit(event);
  }
}
