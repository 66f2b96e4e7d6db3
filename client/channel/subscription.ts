/**
 * The subscription that `sync()` returns: the changes of some buckets, in order, each once, while
 * they are read.
 */
import { onAbort } from '../abort';
import type { Http } from '../http';
import type { Random } from '../retry';
import { storeConsumed } from './consumer-cursor';
import { EventQueue } from './event-queue';
import { type Change, errorOfReset, type SubscriptionEvent } from './events';
import { type FollowOptions, LogPosition } from './log-position';
import { type PollDeps, poll } from './poll';
import type { OpenWebSocket } from './web-socket';
import { WebSocketTransport } from './web-socket-transport';

/** Which buckets to follow, by name. */
export type FollowedBuckets = Readonly<Record<string, FollowOptions>>;

/** How to follow. */
export interface SubscriptionOptions {
  /** Ends the subscription, and the loop that reads it, without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `auto` uses a WebSocket where there is one, and long polling where none opens.
   *
   * @default 'auto'
   */
  readonly transport?: 'auto' | 'websocket' | 'poll' | undefined;
  /**
   * How many events may wait for a slow reader. Changes beyond that are dropped and requested again
   * later.
   *
   * @default 10000
   */
  readonly maxBuffered?: number | undefined;
}

/** How far the reader is. */
export interface BucketProgress {
  /** The incarnation of the bucket to which `cursor` belongs. */
  readonly bucketId: string | undefined;
  /**
   * Every change up to this cursor has been returned to the reader. undefined: a subscription from
   * now on has not begun yet.
   */
  readonly cursor: number | undefined;
  /** The newest known cursor of the bucket. */
  readonly head: number;
  /** The distance from `cursor` to `head`; 0 = caught up, as far as known. */
  readonly lag: number;
}

export interface SubscriptionDeps {
  readonly http: Http;
  readonly openWebSocket: OpenWebSocket | undefined;
  /** Whether requests over HTTP are possible: without a key there are only tickets. */
  readonly canPoll: boolean;
  /**
   * Where a handshake cannot carry the key: returns an address that opens one channel for one
   * bucket and prefix.
   */
  readonly ticket: ((wanted: { bucket: string; prefix: string }) => Promise<string>) | undefined;
  readonly now: () => number;
  readonly random: Random;
}

/** The service's limit of subscribed buckets per connection. */
const MAX_BUCKETS = 50;

/**
 * The changes of some buckets: the subscription itself iterates over changes, `events()` over all
 * events. It can be read once.
 */
export class Subscription implements AsyncIterable<Change> {
  readonly #positions: ReadonlyMap<string, LogPosition>;
  readonly #deps: SubscriptionDeps;
  readonly #transport: 'auto' | 'websocket' | 'poll';
  readonly #maxBuffered: number;
  readonly #queue = new EventQueue();
  readonly #stop = new AbortController();
  readonly #consumed = new Map<string, { bucketId: string | undefined; cursor?: number }>();
  #transports: readonly WebSocketTransport[] = [];
  #isPaused = false;
  #isUsed = false;
  #roomWaiters: (() => void)[] = [];
  #signal: AbortSignal | undefined;

  /** @internal */
  constructor(follow: FollowedBuckets, options: SubscriptionOptions, deps: SubscriptionDeps) {
    this.#positions = positionsOf(follow);
    this.#deps = deps;
    this.#transport = options.transport ?? 'auto';
    this.#maxBuffered = Math.max(1, options.maxBuffered ?? 10_000);
    this.#signal = options.signal;
    for (const { bucket, bucketId, cursor } of this.#positions.values()) {
      this.#consumed.set(bucket, { bucketId, cursor });
    }
    if (this.#transport === 'websocket' && !deps.openWebSocket) {
      throw new TypeError(
        'there is no WebSocket: pass `webSocket`, or choose the transport `poll`',
      );
    }
  }

  /** Names of the buckets that it follows. */
  get buckets(): readonly string[] {
    return [...this.#positions.keys()];
  }

  /**
   * How far the reader of this subscription is. Between two iterations of the loop, it is where to
   * continue after a restart: `sync({ photos: { cursor, bucketId } })`.
   */
  progress(bucket: string): BucketProgress {
    const position = this.#positions.get(bucket);
    const consumed = this.#consumed.get(bucket);
    if (!position || !consumed) throw new RangeError(`the subscription has no bucket ${bucket}`);
    const { bucketId, cursor } = consumed;
    const head = Math.max(position.head, cursor ?? 0);
    return { bucketId, cursor, head, lag: head - (cursor ?? head) };
  }

  /**
   * Iterates over the changes. Throws StowageError as soon as a bucket cannot be followed; after
   * `cursor_expired`, list the bucket again.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    for await (const event of this.events()) {
      if (event.type === 'put' || event.type === 'delete') yield event;
      else if (event.type === 'ended') throw event.error;
      else if (event.type === 'reset') throw errorOfReset(event);
    }
  }

  /**
   * Iterates over all events: changes, cursors, and the end of a bucket while the others continue.
   * Ends when every bucket has ended. Throws StowageError when the service does not accept the key.
   */
  async *events(): AsyncGenerator<SubscriptionEvent, void, undefined> {
    if (this.#isUsed) throw new Error('a subscription can be read once: call sync again');
    this.#isUsed = true;
    try {
      this.#start();
      for (;;) {
        const event = await this.#queue.shift();
        if (!event) return;
        this.#consume(event);
        yield event;
        this.#done(event);
      }
    } finally {
      this.close();
      await this.#storeLast();
    }
  }

  /** Ends the subscription, and the loop that reads it. */
  close(): void {
    this.#detach();
    this.#stop.abort();
    for (const transport of this.#transports) transport.stop();
    this.#queue.discard();
    this.#releaseRoomWaiters();
  }

  #detach = () => {};

  #start(): void {
    if (this.#signal?.aborted) {
      this.close();
      return;
    }
    this.#detach = onAbort(this.#signal, () => this.close());
    const positions = [...this.#positions.values()];
    const { openWebSocket } = this.#deps;
    if (this.#transport === 'poll' || !openWebSocket) void this.#poll(positions);
    else this.#connect(positions, openWebSocket);
  }

  async #poll(positions: readonly LogPosition[]): Promise<void> {
    try {
      await poll(positions, this.#pollDeps());
      this.#queue.end();
    } catch (error) {
      this.#queue.end(error);
    }
  }

  #connect(positions: readonly LogPosition[], openWebSocket: OpenWebSocket): void {
    const { canPoll, ticket } = this.#deps;
    // A ticket opens a channel for one bucket.
    const groups = ticket ? positions.map((position) => [position]) : [positions];
    let open = groups.length;
    const deps = {
      ...this.#pollDeps(),
      openWebSocket,
      canPoll,
      pollsWhileRefused: this.#transport === 'auto' && canPoll,
      ticket,
      finished: (error?: unknown) => {
        open -= 1;
        if (error !== undefined) this.#queue.end(error);
        else if (open === 0) this.#queue.end();
      },
    };
    this.#transports = groups.map((group) => new WebSocketTransport(group, deps));
    for (const transport of this.#transports) transport.start();
  }

  #pollDeps(): PollDeps {
    const { http, now, random } = this.#deps;
    return {
      http,
      now,
      random,
      signal: this.#stop.signal,
      emit: (event) => this.#emit(event),
      waitForRoom: () => this.#waitForRoom(),
    };
  }

  #emit(event: SubscriptionEvent): void {
    this.#queue.push(event);
    if (this.#isPaused || this.#queue.size < this.#maxBuffered) return;
    this.#isPaused = true;
    for (const transport of this.#transports) transport.pause();
  }

  #waitForRoom(): Promise<void> {
    if (!this.#isPaused || this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  #releaseRoomWaiters(): void {
    for (const resolve of this.#roomWaiters.splice(0)) resolve();
  }

  /**
   * Records that the reader is done with the event, because it asked for the next one. Only the end
   * of a range counts, so that a consumer never continues inside a commit.
   */
  #done(event: SubscriptionEvent): void {
    const position = event.type === 'cursor' && this.#positions.get(event.bucket);
    if (position) position.consumed = event.cursor;
  }

  /** Stores the cursors of consumers. Without a key, those of the last ping stay. */
  async #storeLast(): Promise<void> {
    const { http, canPoll, now } = this.#deps;
    if (!canPoll) return;
    const all = [...this.#positions.values()];
    await Promise.all(all.map((one) => storeConsumed(http, one, now())));
  }

  #consume(event: SubscriptionEvent): void {
    if (event.type === 'put' || event.type === 'delete' || event.type === 'cursor') {
      const { bucketId, cursor } = event;
      this.#consumed.set(event.bucket, { bucketId, cursor });
    }
    if (!this.#isPaused || this.#queue.size > this.#maxBuffered / 2) return;
    this.#isPaused = false;
    this.#releaseRoomWaiters();
    for (const transport of this.#transports) transport.resume();
  }
}

/** Returns where each bucket begins. Throws RangeError for wrong arguments. */
function positionsOf(follow: FollowedBuckets): ReadonlyMap<string, LogPosition> {
  const entries = Object.entries(follow);
  const { length } = entries;
  if (length < 1 || length > MAX_BUCKETS) {
    throw new RangeError(`a subscription follows 1 to ${MAX_BUCKETS} buckets, got ${length}`);
  }
  for (const [bucket, { cursor }] of entries) {
    if (cursor !== undefined && !(Number.isSafeInteger(cursor) && cursor >= 0)) {
      throw new RangeError(`cursor of ${bucket} must be a whole number from 0, got ${cursor}`);
    }
  }
  return new Map(entries.map(([name, options]) => [name, new LogPosition(name, options)]));
}
