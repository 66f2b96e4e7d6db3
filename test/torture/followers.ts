/** Clients that follow a bucket, die and continue, and save what they have received. */
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { StowageClient } from '../../client';
import type { MirrorEvent } from '../../client/mirror';
import type { LogDigest } from '../../client/resources';
import type { SeededRandom } from '../simulation/machine/random';
import type { Bucket, Setting } from './setting';
import { timed } from './writer';

/** What a follower was given, in order. */
export type Received =
  | {
      readonly type: 'put' | 'delete';
      readonly cursor: number;
      readonly key: string;
      readonly version: number;
    }
  | { readonly type: 'cursor' | 'begin'; readonly cursor: number }
  | { readonly type: 'snapshot'; readonly key: string; readonly cursor: number }
  | { readonly type: 'resume' | 'reset' };

export interface FollowerOptions {
  readonly name: string;
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly transport: 'websocket' | 'poll';
}

/** Between two deaths. */
const LIFE_MS = [3_000, 30_000] as const;

export abstract class Follower {
  readonly received: Received[] = [];
  /** Every change up to it was received. */
  cursor = 0;
  /** Why the follower ended without being stopped. */
  failure: unknown;
  protected readonly client: StowageClient;
  protected readonly random: SeededRandom;
  private controller = new AbortController();
  private isStopped = false;

  constructor(
    protected readonly round: Setting,
    readonly options: FollowerOptions,
  ) {
    this.random = round.random(options.name);
    this.client = new StowageClient({
      ...{ baseUrl: round.baseUrl, apiKey: round.apiKey },
      fetch: (address, init) => {
        round.followerRequests += 1;
        // A long poll takes 20 seconds.
        return address.includes('wait=') ? fetch(address, init) : timed(address, init);
      },
      webSocket: (address, headers) => new WebSocket(address, { headers }),
    });
  }

  async run(): Promise<void> {
    while (!this.isStopped) {
      this.controller = new AbortController();
      const { controller } = this;
      const death = setTimeout(() => controller.abort(), this.random.between(...LIFE_MS));
      if (this.round.isEnding) clearTimeout(death);
      try {
        await this.follow(controller.signal);
      } catch (error) {
        if (!controller.signal.aborted) this.failure = error;
      } finally {
        clearTimeout(death);
      }
      if (this.failure !== undefined) return;
      if (!this.isStopped) this.round.deaths += 1;
      if (!this.isStopped) await pause(this.random.between(10, 1_000));
    }
  }

  stop(): void {
    this.isStopped = true;
    this.controller.abort();
  }

  protected abstract follow(signal: AbortSignal): Promise<void>;

  protected at(cursor: number): void {
    this.received.push({ type: 'cursor', cursor });
    this.cursor = cursor;
    this.options.bucket.learnCursor(cursor);
  }
}

/** By `sync()`, from what it has saved, or from the cursor of a consumer. */
export class ChangesFollower extends Follower {
  private saved: { readonly bucketId: string; readonly digest?: LogDigest } | undefined;

  constructor(
    round: Setting,
    options: FollowerOptions,
    /** The name of the consumer whose cursor the service keeps. */
    readonly consumer?: string,
  ) {
    super(round, options);
  }

  protected override async follow(signal: AbortSignal): Promise<void> {
    const { bucket, prefix, transport } = this.options;
    const from =
      this.consumer === undefined
        ? { cursor: this.cursor, ...this.saved }
        : { cursor: await this.stored(this.consumer, signal), consumer: this.consumer };
    if (this.consumer === undefined) this.received.push({ type: 'resume' });
    else this.received.push({ type: 'begin', cursor: from.cursor });
    const followed = { [bucket.name]: { ...from, prefix } };
    for await (const event of this.client.sync(followed, { transport, signal }).events()) {
      if (event.type === 'put' || event.type === 'delete') this.change(event);
      else if (event.type === 'cursor') {
        this.at(event.cursor);
        const { bucketId, digest } = event;
        this.saved = { bucketId, ...(digest && { digest }) };
      } else if (event.type === 'reset') throw new Error(`it was reset: ${event.reason}`);
      else if (event.type === 'ended') throw event.error;
    }
  }

  private change({ type, object }: Extract<MirrorEvent, { type: 'put' | 'delete' }>): void {
    const { cursor, key, version } = object;
    this.received.push({ type, cursor, key, version });
  }

  private async stored(consumer: string, signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return (await this.client.consumers.get(this.options.bucket.name, consumer)).cursor;
      } catch {
        await pause(200);
      }
    }
  }
}

/** By `mirror()`, from the copy that it has saved with its cursor. */
export class MirrorFollower extends Follower {
  private saved:
    | { readonly cursor: number; readonly bucketId: string; readonly digest?: LogDigest }
    | undefined;

  protected override async follow(signal: AbortSignal): Promise<void> {
    const { bucket, prefix, transport } = this.options;
    this.received.push({ type: 'resume' });
    for await (const event of this.client.mirror(bucket.name, {
      ...this.saved,
      prefix,
      transport,
      signal,
    })) {
      if (event.type === 'reset') {
        this.received.push({ type: 'reset' });
        this.saved = undefined;
      } else if (event.type === 'cursor') {
        this.at(event.cursor);
        const { cursor, bucketId, digest } = event;
        this.saved = { cursor, bucketId, ...(digest && { digest }) };
      } else {
        const { type, object } = event;
        const { key, cursor, version } = object;
        this.received.push(
          type === 'snapshot' ? { type, key, cursor } : { type, cursor, key, version },
        );
      }
    }
  }
}
