/**
 * The subscriptions of one connection: what each message means for each bucket, and what there is
 * to ask.
 */
import type { StowageError } from '../errors';
import type { Pacer } from './backoff';
import type { SubscriptionEvent } from './events';
import type { Follower } from './follower';
import { SubscribedBucket } from './link';
import type { ServerMessage } from './messages';

type MessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

export class SubscribedBuckets {
  readonly #links: Map<string, SubscribedBucket>;
  readonly #emit: (event: SubscriptionEvent) => void;
  /** Named in the last ping, until it is answered. */
  #pinged: readonly string[] = [];

  constructor(followers: readonly Follower[], emit: (event: SubscriptionEvent) => void) {
    const live = followers.filter((follower) => !follower.hasEnded);
    this.#links = new Map(
      live.map((follower) => [follower.bucket, new SubscribedBucket(follower)]),
    );
    this.#emit = emit;
  }

  get buckets(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** When something is to be sent about a bucket. */
  get sendAt(): number {
    return Math.min(...[...this.#links.values()].map(({ sendAt }) => sendAt));
  }

  subscribed(message: MessageOf<'subscribed'>, now: number): void {
    const { bucket, bucketId, head } = message;
    const link = this.#links.get(bucket);
    if (!link) return;
    const isNews = link.follower.cursor === undefined || link.follower.bucketId === undefined;
    if (!link.follower.begin(bucketId, message.cursor, head)) {
      link.doubt();
      return;
    }
    link.progressed(now);
    const { cursor } = link.follower;
    if (!isNews || cursor === undefined) return;
    this.#emit({ type: 'cursor', bucket, bucketId, cursor, head: link.follower.head });
  }

  changes({ range, more }: MessageOf<'changes'>, now: number): void {
    const link = this.#links.get(range.bucket);
    if (!link) return;
    const { verdict, events } = link.follower.take(range);
    events.forEach(this.#emit);
    if (verdict === 'applied') {
      link.progressed(now);
      link.mustAsk ||= more;
    } else if (verdict === 'gap') {
      link.repair();
    } else if (verdict === 'old') {
      link.expect(now);
    } else if (link.isConfirmed) {
      // Another life's changes: the server has to say which one it is now. Before `subscribed`
      // there is nothing to compare with.
      link.doubt();
    }
  }

  /** While nothing is taken, it is still learnt that there is something to take later. */
  skip({ range }: MessageOf<'changes'>): void {
    const follower = this.#links.get(range.bucket)?.follower;
    if (follower?.bucketId === range.bucket_id) follower?.learnHead(range.head);
  }

  /** What was skipped is asked for again. */
  catchUp(): void {
    for (const link of this.#links.values()) if (link.follower.isBehind) link.mustAsk = true;
  }

  /**
   * Believed when it can be the answer to the question that is open now; in doubt, asking again is
   * harmless.
   */
  reset(message: MessageOf<'reset'>): void {
    const link = this.#links.get(message.bucket);
    if (!link) return;
    const { cursor, bucketId } = link.follower;
    const isTrue =
      message.reason === 'bucket_replaced'
        ? bucketId !== undefined && !link.isConfirmed
        : cursor !== undefined && cursor + 1 < message.oldest;
    if (isTrue) this.#end(link, message);
    else link.doubt();
  }

  error(bucket: string, error: StowageError, now: number): void {
    const link = this.#links.get(bucket);
    if (!link) return;
    if (['forbidden', 'not_found', 'invalid_request'].includes(error.code)) {
      this.#end(link, { type: 'ended', bucket, error });
    } else if (error.code === 'rate_limited') {
      link.mustAsk = true;
    } else {
      link.postpone(now + (error.retryAfter ?? 0) * 1000);
    }
  }

  pong(heads: ReadonlyMap<string, number>, now: number): void {
    for (const [bucket, head] of heads) {
      const link = this.#links.get(bucket);
      link?.follower.learnHead(head);
      link?.expect(now);
    }
    // The server answers for the buckets only that it knows to be followed here.
    for (const bucket of this.#pinged) {
      if (!heads.has(bucket)) this.#links.get(bucket)?.doubt();
    }
    this.#pinged = [];
  }

  /**
   * The `subscribe` messages that are due, as far as the pace allows; the rest keeps its turn, and
   * is written when it is sent.
   */
  subscribe(now: number, pacer: Pacer): readonly string[] {
    const texts: string[] = [];
    for (const link of this.#links.values()) {
      if (link.sendAt > now || !link.needsSubscribe) continue;
      if (!pacer.take(now)) break;
      texts.push(link.subscribeMessage);
      link.asked(now);
    }
    return texts;
  }

  /** Confirmed subscriptions that are behind although nothing comes. */
  late(now: number): readonly SubscribedBucket[] {
    return [...this.#links.values()].filter((link) => link.sendAt <= now && !link.needsSubscribe);
  }

  /** A ping with the cursors of these, or of all subscriptions. */
  ping(now: number, links: readonly SubscribedBucket[] = [...this.#links.values()]): string {
    const cursors: Record<string, number> = {};
    for (const link of links) {
      const { bucket, cursor } = link.follower;
      if (!link.isConfirmed || cursor === undefined) continue;
      cursors[bucket] = cursor;
      if (link.dueAt !== undefined && link.dueAt <= now) link.asked(now);
    }
    this.#pinged = Object.keys(cursors);
    return JSON.stringify({ action: 'ping', cursors });
  }

  #end(link: SubscribedBucket, event: SubscriptionEvent): void {
    link.follower.hasEnded = true;
    this.#links.delete(link.follower.bucket);
    this.#emit(event);
  }
}
