/** Clients that follow a bucket: a copy of it, and its changes. */
import { StowageClient } from '../../../client';
import type { LogDigest } from '../../../client/resources';
import type { SeededRandom } from '../machine/random';
import { shown } from '../oracles/listed';
import { Watch } from '../oracles/watch';
import { fetchThroughGateway, ORIGIN } from '../service/gateway';
import type { Bucket, Setting } from './setting';

export type Transport = 'websocket' | 'poll';

export interface FollowerOptions {
  readonly name: string;
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly transport: Transport;
}

/** How often a follower has lost what it has saved, and begins anew. */
const FORGETS = 0.3;

/** What a follower saves, to continue after its death. */
interface Saved {
  readonly cursor: number;
  readonly bucketId: string;
  readonly digest?: LogDigest;
}

export abstract class Follower {
  protected readonly client: StowageClient;
  protected readonly random: SeededRandom;
  /** Every change up to it was received. */
  cursor = 0;
  private controller = new AbortController();
  private isStopped = false;

  constructor(
    protected readonly setting: Setting,
    readonly options: FollowerOptions,
  ) {
    const { simulation, service, apiKey } = setting;
    this.random = simulation.random(options.name);
    const fetch = fetchThroughGateway(simulation, service.http, this.random);
    const webSocket = service.channels.open;
    this.client = new StowageClient({ baseUrl: ORIGIN, apiKey, fetch, webSocket });
  }

  /** Follows until it is stopped; after a death it continues with what it has saved. */
  async run(): Promise<void> {
    while (!this.isStopped) {
      this.controller = new AbortController();
      await this.follow(this.controller.signal);
      if (!this.isStopped) await this.setting.pause(this.random.between(50, 5_000));
      await this.setting.lull();
    }
  }

  stop(): void {
    this.isStopped = true;
    this.controller.abort();
  }

  /** Ends what it does now; it continues after the lull. */
  rest(): void {
    this.controller.abort();
  }

  protected abstract follow(signal: AbortSignal): Promise<void>;

  protected mayDie(): boolean {
    const { simulation } = this.setting;
    return simulation.faults.draw(['follower killed'], this.random) !== undefined;
  }
}

/** Holds a copy of the bucket by `mirror()`. */
export class MirrorFollower extends Follower {
  private copy = new Map<string, number>();
  private saved: (Saved & { readonly copy: ReadonlyMap<string, number> }) | undefined;
  /** When the list of the copy began, and ended. */
  private listed = { from: 0, until: 0 };

  protected override async follow(signal: AbortSignal): Promise<void> {
    const { bucket, prefix, transport } = this.options;
    const { saved, setting } = this;
    const { time } = setting.simulation;
    this.copy = new Map(saved?.copy);
    this.cursor = saved?.cursor ?? 0;
    const from = saved && { cursor: saved.cursor, bucketId: saved.bucketId, digest: saved.digest };
    if (!from) this.listed = { from: time.now, until: Number.POSITIVE_INFINITY };
    const events = this.client.mirror(bucket.name, { ...from, prefix, transport, signal });
    for await (const event of events) {
      if (event.type === 'reset') {
        this.copy.clear();
        this.listed = { from: time.now - 60_000, until: Number.POSITIVE_INFINITY };
      } else if (event.type === 'snapshot' || event.type === 'put') {
        this.copy.set(event.object.key, event.object.cursor);
      } else if (event.type === 'delete') {
        this.copy.delete(event.object.key);
      } else {
        this.listed.until = Math.min(this.listed.until, time.now);
        this.compare(event.cursor);
        const { cursor, bucketId, digest } = event;
        this.saved = { cursor, bucketId, digest, copy: new Map(this.copy) };
        this.cursor = cursor;
        bucket.learnCursor(cursor);
      }
      if (this.mayDie()) return;
    }
  }

  private compare(cursor: number): void {
    const { bucket, prefix } = this.options;
    const { anomalies } = this.setting.simulation;
    const state = bucket.history.stateAt(cursor);
    const wanted = new Set(state && shown(state, (key) => key.startsWith(prefix)));
    const found = new Set([...this.copy].map(([key, at]) => `${key}@${at}`));
    const extra = [...found].filter((one) => !wanted.has(one));
    const missing = [...wanted].filter((one) => !found.has(one));
    const lost = missing.filter((one) => !this.wasDeletedMeanwhile(one));
    const isExact = state !== undefined && extra.length === 0 && lost.length === 0;
    anomalies.require(
      'a mirror holds the state of its cursor',
      isExact,
      () => `at ${cursor} of ${bucket.id} the copy has ${extra.join()} and lacks ${lost.join()}`,
    );
  }

  /** Docs of MirrorEvent: an object that was deleted while the list was read may be absent. */
  private wasDeletedMeanwhile(one: string): boolean {
    const { history } = this.options.bucket;
    const [key = '', cursor] = one.split('@');
    const later = history.ofKey.get(key)?.filter((at) => at > Number(cursor)) ?? [];
    return later.some((at) => {
      const recorded = history.entries[at];
      if (recorded?.entry.type !== 'delete') return false;
      return recorded.at >= this.listed.from && recorded.at <= this.listed.until;
    });
  }
}

/** Receives the changes by `sync()`, from the beginning. */
export class ChangesFollower extends Follower {
  private readonly watch: Watch;
  private saved: Saved | undefined;
  private isFirst = true;

  constructor(setting: Setting, options: FollowerOptions) {
    super(setting, options);
    const { bucket, prefix } = options;
    this.watch = new Watch(bucket.history, setting.simulation.anomalies, { cursor: 0, prefix });
  }

  protected override async follow(signal: AbortSignal): Promise<void> {
    const { bucket, prefix, transport } = this.options;
    const { anomalies } = this.setting.simulation;
    if (!this.isFirst) this.watch.resume();
    if (!this.isFirst && this.random.chance(FORGETS)) {
      this.saved = undefined;
      this.watch.restart();
    }
    const from = this.saved ?? { cursor: 0, bucketId: bucket.id };
    this.cursor = from.cursor;
    this.isFirst = false;
    const wanted = { [bucket.name]: { ...from, prefix } };
    for await (const event of this.client.sync(wanted, { transport, signal }).events()) {
      if (event.type === 'put' || event.type === 'delete') {
        this.watch.change(event);
      } else if (event.type === 'cursor') {
        const { cursor, bucketId, digest } = event;
        this.watch.end(event);
        this.saved = { cursor, bucketId, digest };
        this.cursor = cursor;
      } else if (event.type === 'reset') {
        const isTrimmed = event.oldest > (this.saved?.cursor ?? 0) + 1;
        anomalies.require(
          'a follower is reset only when its changes are gone',
          isTrimmed,
          () => `reset at ${this.saved?.cursor} for ${event.reason}, the oldest is ${event.oldest}`,
        );
        this.cursor = event.oldest - 1;
        this.saved = { cursor: this.cursor, bucketId: bucket.id };
        this.watch.skip(this.cursor);
        return;
      } else if (event.type === 'ended') {
        anomalies.report('a follower never ends', `${event.error.code}: ${event.error.message}`);
        return;
      }
      if (this.mayDie()) return;
    }
  }
}
