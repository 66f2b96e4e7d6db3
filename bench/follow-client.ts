/**
 * Followers that use the client of this repository over real WebSockets, as applications do. All
 * of them run in this process.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { StowageClient, type SubscriptionOptions } from '../client';
import { serve } from './remote';

const { STOWAGE_URL: baseUrl = '', STOWAGE_KEY: apiKey = '' } = process.env;
/**
 * Milliseconds between two polls of a stream, in AWS as in the emulator. A PUT starts at a random
 * moment of this interval.
 */
const POLL_INTERVAL = 250;
const content = randomBytes(1024);
let messages = 0;

/** The progress of one follower of one bucket. */
class Reader {
  private cursor: number | undefined;
  private readonly waiting = new Set<{ readonly cursor: number; readonly reached: () => void }>();

  advance(cursor: number): void {
    this.cursor = cursor;
    for (const waiter of this.waiting) {
      if (waiter.cursor > cursor) continue;
      this.waiting.delete(waiter);
      waiter.reached();
    }
  }

  /** Resolves with the time at which the cursor is reached; 0: when the subscription has begun. */
  async waitFor(cursor: number): Promise<number> {
    if ((this.cursor ?? -1) < cursor) {
      await new Promise<void>((reached) => this.waiting.add({ cursor, reached }));
    }
    return performance.now();
  }
}

/** Opens one channel that begins with the next change. Returns a reader for each bucket. */
function follow(buckets: readonly string[], options: SubscriptionOptions): readonly Reader[] {
  const client = new StowageClient({ baseUrl, apiKey, webSocket: openWebSocket });
  const readers = new Map(buckets.map((bucket) => [bucket, new Reader()]));
  const subscription = client.sync(
    Object.fromEntries(buckets.map((bucket) => [bucket, {}])),
    options,
  );
  const read = async () => {
    for await (const event of subscription.events()) {
      if (event.type === 'cursor') readers.get(event.bucket)?.advance(event.cursor);
      // After either event the cursor no longer advances.
      if (event.type === 'reset' || event.type === 'ended') throw new Error(JSON.stringify(event));
    }
  };
  void read();
  return [...readers.values()];
}

function openWebSocket(url: string, headers: Readonly<Record<string, string>>): WebSocket {
  const socket = new WebSocket(url, { headers });
  socket.on('message', () => {
    messages += 1;
  });
  return socket;
}

const client = new StowageClient({ baseUrl, apiKey });
const joined = new Map<string, Reader[]>();

export interface Lag {
  /** Milliseconds of each PUT of 1 KiB. */
  readonly put: readonly number[];
  /** Milliseconds from the response until the follower has received the change. */
  readonly channel: readonly number[];
  /** As `channel`, for a follower by long polling. */
  readonly poll: readonly number[];
}

const methods = {
  /** Opens channels. Each element lists the buckets of one channel. */
  connect: async (channels: readonly (readonly string[])[]): Promise<void> => {
    for (const buckets of channels) {
      const readers = follow(buckets, { transport: 'websocket' });
      for (const [n, bucket] of buckets.entries()) {
        joined.set(bucket, [...(joined.get(bucket) ?? []), ...readers.slice(n, n + 1)]);
      }
    }
    const readers = [...joined.values()].flat();
    await Promise.all(readers.map((reader) => reader.waitFor(0)));
  },

  /** Writes objects one at a time while one follower has a channel and another one polls. */
  lag: async ({ bucket, count }: { readonly bucket: string; readonly count: number }) => {
    const stop = new AbortController();
    const pollers = follow([bucket], { transport: 'poll', signal: stop.signal });
    await Promise.all(pollers.map((reader) => reader.waitFor(0)));
    const result = { put: [] as number[], channel: [] as number[], poll: [] as number[] };
    for (let n = 0; n < count; n++) {
      await delay(randomInt(POLL_INTERVAL));
      const started = performance.now();
      const { cursor } = await client.put(bucket, `put/${n}`, content);
      const responded = performance.now();
      result.put.push(responded - started);
      const latest = async (readers: readonly Reader[]) =>
        Math.max(...(await Promise.all(readers.map((reader) => reader.waitFor(cursor))))) -
        responded;
      const [channel, poll] = await Promise.all([
        latest(joined.get(bucket) ?? []),
        latest(pollers),
      ]);
      result.channel.push(channel);
      result.poll.push(poll);
    }
    stop.abort();
    return result satisfies Lag;
  },

  /**
   * Resolves when every follower of the bucket has reached the cursor, with the number of messages
   * since the previous call.
   */
  waitForFollowers: async ({
    bucket,
    cursor,
  }: {
    readonly bucket: string;
    readonly cursor: number;
  }) => {
    await Promise.all((joined.get(bucket) ?? []).map((reader) => reader.waitFor(cursor)));
    const since = messages;
    messages = 0;
    return since;
  },
};

export type FollowClient = typeof methods;

serve(methods);
