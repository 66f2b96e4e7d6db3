/**
 * The subscriptions on one channel: what a message of the server means for its bucket, and when to
 * send the next `subscribe` or `ping` about that bucket.
 */
import type { StowageError } from '../errors';
import type { SubscriptionEvent } from './events';
import type { LogPosition } from './log-position';
import type { MessageRate } from './message-rate';
import type { ServerMessage } from './messages';
import type { LastHeard } from './ping-schedule';

type MessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

/** Time to wait for `subscribed`: a Lambda function may have to start first. */
const RESPONSE_MS = 3_000;
/** Time to wait for the next range while the cursor is behind the head. */
const CATCH_UP_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** The subscription to one bucket on one channel. */
class ChannelSubscription {
  /** The server has confirmed the subscription, or has sent changes of it. */
  isConfirmed = false;
  /** A `subscribe` is to be sent as soon as possible. */
  mustAsk = true;
  /** When to ask again if nothing arrives; undefined while nothing is expected. */
  dueAt: number | undefined;
  /** When changes were last applied: the next range shows whether any were lost since. */
  heardAt = Number.NEGATIVE_INFINITY;
  #wait = RESPONSE_MS;

  constructor(readonly position: LogPosition) {}

  /** Records that a `subscribe` or `ping` about the bucket was sent. */
  asked(now: number): void {
    this.mustAsk = false;
    this.dueAt = now + this.#wait;
    this.#wait = Math.min(this.#wait * 2, MAX_WAIT_MS);
  }

  /** Records that the server serves the subscription, and that the cursor may have advanced. */
  progressed(now: number): void {
    this.isConfirmed = true;
    this.mustAsk = false;
    this.#wait = CATCH_UP_MS;
    this.dueAt = this.position.isBehind ? now + this.#wait : undefined;
  }

  /** Expects changes if the cursor is behind the head. */
  expect(now: number): void {
    if (this.position.isBehind) this.dueAt ??= now + this.#wait;
  }

  /** Requests lost changes at once, unless an earlier request may still bring them. */
  repair(): void {
    if (this.dueAt === undefined) this.mustAsk = true;
  }

  /** Subscribes again, because the server may not know the subscription. */
  doubt(): void {
    this.isConfirmed = false;
    this.mustAsk = true;
  }

  postpone(until: number): void {
    this.dueAt = Math.max(this.dueAt ?? 0, until);
  }

  /** When a message about this bucket is due. */
  get sendAt(): number {
    return this.mustAsk ? 0 : (this.dueAt ?? Number.POSITIVE_INFINITY);
  }

  get needsSubscribe(): boolean {
    return this.mustAsk || !this.isConfirmed;
  }

  get subscribeMessage(): string {
    const { bucket, cursor, prefix, bucketId, consumer } = this.position;
    // JSON.stringify omits undefined members.
    const bucketAndKeys = { bucket, cursor, prefix: prefix === '' ? undefined : prefix };
    const message = { action: 'subscribe', consumer, ...bucketAndKeys, bucket_id: bucketId };
    return JSON.stringify(message);
  }
}

export class ChannelSubscriptions {
  readonly #subscriptions: Map<string, ChannelSubscription>;
  readonly #emit: (event: SubscriptionEvent) => void;
  /** The buckets of the last ping, until its pong arrives. */
  #pinged: readonly string[] = [];

  constructor(positions: readonly LogPosition[], emit: (event: SubscriptionEvent) => void) {
    const active = positions.filter((position) => !position.hasEnded);
    this.#subscriptions = new Map(
      active.map((position) => [position.bucket, new ChannelSubscription(position)]),
    );
    this.#emit = emit;
  }

  get names(): readonly string[] {
    return [...this.#subscriptions.keys()];
  }

  /** When a message about any bucket is due. */
  get sendAt(): number {
    return Math.min(...[...this.#subscriptions.values()].map(({ sendAt }) => sendAt));
  }

  /** When the cursor of a consumer may have to be stored. */
  get storeAt(): number {
    const confirmed = [...this.#subscriptions.values()].filter(
      ({ needsSubscribe }) => !needsSubscribe,
    );
    return Math.min(...confirmed.map(({ position }) => position.storeAt));
  }

  get lastHeard(): LastHeard {
    const times = [...this.#subscriptions.values()].map(({ heardAt }) => heardAt);
    return { oldest: Math.min(...times), newest: Math.max(...times) };
  }

  subscribed(message: MessageOf<'subscribed'>, now: number): void {
    const { bucket, bucketId, head } = message;
    const subscription = this.#subscriptions.get(bucket);
    if (!subscription) return;
    const { position } = subscription;
    const isFirst = position.cursor === undefined || position.bucketId === undefined;
    if (!position.begin(bucketId, message.cursor, head)) {
      subscription.doubt();
      return;
    }
    subscription.progressed(now);
    const { cursor } = position;
    if (!isFirst || cursor === undefined) return;
    this.#emit({ type: 'cursor', bucket, bucketId, cursor, head: position.head });
  }

  changes({ range, more }: MessageOf<'changes'>, now: number): void {
    const subscription = this.#subscriptions.get(range.bucket);
    if (!subscription) return;
    const { verdict, events } = subscription.position.take(range);
    events.forEach(this.#emit);
    if (subscription.position.hasEnded) {
      this.#subscriptions.delete(range.bucket);
    } else if (verdict === 'applied') {
      subscription.progressed(now);
      subscription.heardAt = now;
      subscription.mustAsk ||= more;
    } else if (verdict === 'gap') {
      subscription.repair();
    } else if (verdict === 'old') {
      subscription.expect(now);
    } else if (subscription.isConfirmed) {
      // Changes of another incarnation: a new `subscribed` or `reset` has to say which is current.
      // Before the first `subscribed` there is no incarnation to compare with.
      subscription.doubt();
    }
  }

  /** Drops changes, but records that there are some, so that `catchUp` asks for them. */
  skip({ range }: MessageOf<'changes'>): void {
    const position = this.#subscriptions.get(range.bucket)?.position;
    if (position?.bucketId === range.bucket_id) position.learnHead(range.head);
  }

  /** Requests the changes that were skipped. */
  catchUp(): void {
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.position.isBehind) subscription.mustAsk = true;
    }
  }

  /**
   * Ends the bucket when the reset can be the response to the open request. Otherwise the message
   * may be outdated, and the client asks again.
   */
  reset(message: MessageOf<'reset'>): void {
    const subscription = this.#subscriptions.get(message.bucket);
    if (!subscription) return;
    const { cursor, bucketId, consumer } = subscription.position;
    // Only the server knows the cursor of a consumer before it has confirmed the subscription.
    const isBehind = cursor === undefined ? consumer !== undefined : cursor + 1 < message.oldest;
    const isCurrent =
      message.reason === 'bucket_replaced'
        ? bucketId !== undefined && !subscription.isConfirmed
        : isBehind;
    if (isCurrent) this.#end(subscription, message);
    else subscription.doubt();
  }

  error(bucket: string, error: StowageError, now: number): void {
    const subscription = this.#subscriptions.get(bucket);
    if (!subscription) return;
    if (['forbidden', 'not_found', 'invalid_request'].includes(error.code)) {
      this.#end(subscription, { type: 'ended', bucket, error });
    } else if (error.code === 'rate_limited' && !subscription.isConfirmed) {
      subscription.mustAsk = true;
    } else {
      subscription.postpone(now + (error.retryAfter ?? 0) * 1000);
    }
  }

  pong({ heads, digests }: MessageOf<'pong'>, now: number): void {
    for (const [bucket, head] of heads) {
      const subscription = this.#subscriptions.get(bucket);
      subscription?.position.learnHead(head);
      subscription?.position.compare(head, digests.get(bucket)).forEach(this.#emit);
      if (subscription?.position.hasEnded) this.#subscriptions.delete(bucket);
      else subscription?.expect(now);
    }
    // A pong names only the buckets that the server has subscribed to this connection.
    for (const bucket of this.#pinged) {
      if (!heads.has(bucket)) this.#subscriptions.get(bucket)?.doubt();
    }
    this.#pinged = [];
  }

  /**
   * Returns the `subscribe` messages that are due and that the message rate permits. The others
   * stay due, and get their cursors when they are sent.
   */
  subscribe(now: number, messageRate: MessageRate): readonly string[] {
    const texts: string[] = [];
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.sendAt > now || !subscription.needsSubscribe) continue;
      if (!messageRate.take(now)) break;
      texts.push(subscription.subscribeMessage);
      subscription.asked(now);
    }
    return texts;
  }

  /**
   * Returns the names of confirmed buckets whose expected changes are late, or whose consumers are
   * to be stored.
   */
  due(now: number): readonly string[] {
    return this.names.filter((name) => {
      const subscription = this.#subscriptions.get(name);
      if (!subscription || subscription.needsSubscribe) return false;
      const isToStore = subscription.position.isToStore(now);
      return isToStore || subscription.sendAt <= now;
    });
  }

  /** Returns a ping with the cursors of these buckets. */
  ping(now: number, names: readonly string[]): string {
    const cursors: Record<string, number> = {};
    const consumed: Record<string, number> = {};
    for (const name of names) {
      const subscription = this.#subscriptions.get(name);
      const cursor = subscription?.position.cursor;
      if (!subscription?.isConfirmed || cursor === undefined) continue;
      cursors[name] = cursor;
      const done = subscription.position.takeConsumed(now);
      if (done !== undefined) consumed[name] = done;
      if (subscription.dueAt !== undefined && subscription.dueAt <= now) subscription.asked(now);
    }
    this.#pinged = Object.keys(cursors);
    const isDone = Object.keys(consumed).length > 0;
    return JSON.stringify({ action: 'ping', cursors, ...(isDone && { consumed }) });
  }

  #end(subscription: ChannelSubscription, event: SubscriptionEvent): void {
    subscription.position.hasEnded = true;
    this.#subscriptions.delete(subscription.position.bucket);
    this.#emit(event);
  }
}
