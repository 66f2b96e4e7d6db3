/**
 * What `sync()` answers: the changes of some buckets, in order, each once, for as long as they are
 * read.
 */
import { StowageError } from '../errors';
import type { Http } from '../http';
import type { Random } from './backoff';
import { Connection } from './connection';
import { EventQueue } from './event-queue';
import type { Change, ResetEvent, SubscriptionEvent } from './events';
import { Follower, type FollowOptions } from './follower';
import { checkAccess, endsWith, poll } from './poll';
import type { OpenWebSocket } from './web-socket';

/** What to follow, by name of the bucket. */
export type FollowedBuckets = Readonly<Record<string, FollowOptions>>;

/** How to follow. */
export interface SubscriptionOptions {
  /** Ends the following, and with it the loop that reads it, without an error. */
  readonly signal?: AbortSignal;
  /**
   * `auto` takes a WebSocket where there is one, and long polling where none gets through.
   *
   * @default 'auto'
   */
  readonly transport?: 'auto' | 'websocket' | 'poll';
  /**
   * How many events may wait for a slow reader. What comes above that is dropped and asked for
   * again later.
   *
   * @default 10000
   */
  readonly maxBuffered?: number;
}

/** How far the reader is. */
export interface BucketProgress {
  /** The life of the bucket that `cursor` is of. */
  readonly bucketId: string | undefined;
  /** Everything up to here has been handed out. undefined: following from now has not begun yet. */
  readonly cursor: number | undefined;
  /** The newest cursor of the bucket as far as known. */
  readonly head: number;
  /** Cursors from here to the head; 0 = caught up, as far as known. */
  readonly lag: number;
}

export interface SubscriptionDeps {
  readonly http: Http;
  readonly openWebSocket: OpenWebSocket | undefined;
  /** Whether plain requests are possible: without a key only tickets open anything. */
  readonly canPoll: boolean;
  /**
   * Where a handshake cannot carry the key: makes an address that opens one channel for one bucket
   * and prefix.
   */
  readonly ticket: ((wanted: { bucket: string; prefix: string }) => Promise<string>) | undefined;
  readonly now: () => number;
  readonly random: Random;
}

/** The service's limit of subscriptions per connection. */
const MOST_BUCKETS = 50;
/** How long to poll before a WebSocket is tried again. */
const POLL_MS = { first: 15_000, longest: 600_000 };

/** What a loop reads: changes by the subscription itself, everything by `events()`. It is read once. */
export class Subscription implements AsyncIterable<Change> {
  readonly #followers: ReadonlyMap<string, Follower>;
  readonly #deps: SubscriptionDeps;
  readonly #transport: 'auto' | 'websocket' | 'poll';
  readonly #maxBuffered: number;
  readonly #queue = new EventQueue();
  readonly #stop = new AbortController();
  readonly #consumed = new Map<string, { bucketId: string | undefined; cursor?: number }>();
  #connections: readonly Connection[] = [];
  #isPaused = false;
  #isUsed = false;
  #roomWaiters: (() => void)[] = [];
  #signal: AbortSignal | undefined;

  /** @internal */
  constructor(follow: FollowedBuckets, options: SubscriptionOptions, deps: SubscriptionDeps) {
    const entries = Object.entries(follow);
    if (entries.length === 0) throw new RangeError('name at least one bucket to follow');
    if (entries.length > MOST_BUCKETS) {
      throw new RangeError(
        `a subscription follows at most ${MOST_BUCKETS} buckets, got ${entries.length}`,
      );
    }
    this.#followers = new Map(entries.map(([name, from]) => [name, new Follower(name, from)]));
    this.#deps = deps;
    this.#transport = options.transport ?? 'auto';
    this.#maxBuffered = Math.max(1, options.maxBuffered ?? 10_000);
    this.#signal = options.signal;
    for (const { bucket, bucketId, cursor } of this.#followers.values()) {
      if (cursor !== undefined && !(Number.isSafeInteger(cursor) && cursor >= 0)) {
        throw new RangeError(`cursor of ${bucket} must be a whole number from 0, got ${cursor}`);
      }
      this.#consumed.set(bucket, { bucketId, cursor });
    }
    if (this.#transport === 'websocket' && !deps.openWebSocket) {
      throw new TypeError('there is no WebSocket here: give one as option `webSocket`, or poll');
    }
  }

  /** Names of the buckets that it follows. */
  get buckets(): readonly string[] {
    return [...this.#followers.keys()];
  }

  /**
   * How far the reader of this subscription is. Between two rounds of a loop it is the place to go on from
   * after a restart: `sync({ photos: { cursor, bucketId } })`.
   */
  progress(bucket: string): BucketProgress {
    const follower = this.#followers.get(bucket);
    const consumed = this.#consumed.get(bucket);
    if (!follower || !consumed) throw new RangeError(`${bucket} is not followed here`);
    const { bucketId, cursor } = consumed;
    const head = Math.max(follower.head, cursor ?? 0);
    return { bucketId, cursor, head, lag: head - (cursor ?? head) };
  }

  /**
   * Only the changes. Throws StowageError as soon as a bucket cannot be followed; `cursor_expired`
   * asks for a new list.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    for await (const event of this.events()) {
      if (event.type === 'put' || event.type === 'delete') yield event;
      else if (event.type === 'ended') throw event.error;
      else if (event.type === 'reset') throw errorOfReset(event);
    }
  }

  /**
   * Everything there is to tell: changes, cursors, and which bucket cannot be followed any more,
   * while the others go on. Ends when none is left. Throws StowageError when the key is not
   * accepted.
   */
  async *events(): AsyncGenerator<SubscriptionEvent, void, undefined> {
    if (this.#isUsed) throw new Error('a subscription is read once: call sync again');
    this.#isUsed = true;
    try {
      this.#start();
      for (;;) {
        const event = await this.#queue.shift();
        if (!event) return;
        this.#consume(event);
        yield event;
      }
    } finally {
      this.close();
    }
  }

  /** Ends the following; whoever reads sees the end. */
  close(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#stop.abort();
    for (const connection of this.#connections) connection.stop();
    this.#queue.discard();
    this.#giveRoom();
  }

  readonly #onAbort = () => this.close();

  #start(): void {
    if (this.#signal?.aborted) {
      this.close();
      return;
    }
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
    const all = [...this.#followers.values()];
    if (this.#transport === 'poll' || !this.#deps.openWebSocket) {
      void this.#pollOnly(all);
      return;
    }
    // A ticket opens a channel for one bucket.
    const groups = this.#deps.ticket ? all.map((follower) => [follower]) : [all];
    let open = groups.length;
    this.#connections = groups.map((group) =>
      this.#connection(group, (error) => {
        open -= 1;
        if (error !== undefined) this.#queue.end(error);
        else if (open === 0) this.#queue.end();
      }),
    );
    for (const connection of this.#connections) connection.start();
  }

  async #pollOnly(followers: readonly Follower[]): Promise<void> {
    try {
      await poll(followers, this.#pollDeps());
      this.#queue.end();
    } catch (error) {
      this.#queue.end(error);
    }
  }

  #connection(group: readonly Follower[], finished: (error?: unknown) => void): Connection {
    const { now, random } = this.#deps;
    let pollMs = POLL_MS.first;
    return new Connection(group, {
      open: () => this.#open(group),
      emit: (event) => {
        if (event.type === 'status' && event.status === 'connected') pollMs = POLL_MS.first;
        this.#emit(event);
      },
      finished,
      refused: async (reason) => {
        if (this.#transport === 'auto' && this.#deps.canPoll) {
          const hasWorked = await poll(group, this.#pollDeps(), now() + pollMs);
          if (hasWorked) pollMs = Math.min(pollMs * 2, POLL_MS.longest);
        } else {
          await this.#diagnose(group, reason);
        }
      },
      now,
      random,
    });
  }

  async #open(group: readonly Follower[]) {
    const { http, openWebSocket, ticket } = this.#deps;
    if (!openWebSocket) throw new TypeError('there is no WebSocket here');
    const [follower] = group;
    if (ticket && follower) {
      const { bucket, prefix } = follower;
      return openWebSocket(await ticket({ bucket, prefix }), {});
    }
    const url = http.url('sync');
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return openWebSocket(url.href, http.authorization);
  }

  /** Asks over plain HTTP what a WebSocket does not tell. Throws when the key is not accepted. */
  async #diagnose(group: readonly Follower[], reason: StowageError | undefined): Promise<void> {
    const emit = (event: SubscriptionEvent) => this.#emit(event);
    for (const follower of group) {
      if (follower.hasEnded) continue;
      try {
        if (reason) throw reason;
        if (this.#deps.canPoll) await checkAccess(follower, this.#pollDeps());
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        if (!(error instanceof StowageError)) throw error;
        if (endsWith(error, follower, emit)) continue;
        const buckets = group.map(({ bucket }) => bucket);
        const [status, transport] = ['disconnected', 'websocket'] as const;
        emit({ type: 'status', status, transport, buckets, reason: error.message });
        return;
      }
    }
  }

  #pollDeps() {
    const { http, now, random } = this.#deps;
    return {
      http,
      now,
      random,
      signal: this.#stop.signal,
      emit: (event: SubscriptionEvent) => this.#emit(event),
      room: () => this.#room(),
    };
  }

  #emit(event: SubscriptionEvent): void {
    this.#queue.push(event);
    if (this.#isPaused || this.#queue.size < this.#maxBuffered) return;
    this.#isPaused = true;
    for (const connection of this.#connections) connection.pause();
  }

  #room(): Promise<void> {
    if (!this.#isPaused || this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  #giveRoom(): void {
    for (const resolve of this.#roomWaiters.splice(0)) resolve();
  }

  #consume(event: SubscriptionEvent): void {
    if (event.type === 'put' || event.type === 'delete' || event.type === 'cursor') {
      const { bucketId, cursor } = event;
      this.#consumed.set(event.bucket, { bucketId, cursor });
    }
    if (!this.#isPaused || this.#queue.size > this.#maxBuffered / 2) return;
    this.#isPaused = false;
    this.#giveRoom();
    for (const connection of this.#connections) connection.resume();
  }
}

/** A reset as the error that a page would have been answered with. */
export function errorOfReset({ bucket, reason, oldest, head }: ResetEvent): StowageError {
  const why =
    reason === 'bucket_replaced'
      ? 'was deleted and made again'
      : `does not keep the changes after this cursor any more (the oldest is ${oldest})`;
  const message = `${bucket} ${why}: list it, then follow from the cursor of the list`;
  return new StowageError('cursor_expired', message, { details: { bucket, reason, oldest, head } });
}
