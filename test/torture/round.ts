/** One round: writers, followers and faults on new buckets, then calm, then every check. */
import { setTimeout as pause } from 'node:timers/promises';
import { StowageClient } from '../../client';
import type { Notification } from '../../core/targets/notifications';
import { HistoryRecorder } from '../linearizability/recorder';
import { SeededRandom } from '../simulation/machine/random';
import type { Anomalies } from '../simulation/records/anomalies';
import { type BucketHistory, History } from '../simulation/records/history';
import { until } from '../support/until';
import { openStores } from '../system/support/local-service';
import { checkEffects, checkMirror, checkOperations, checkTarget, checkWatch } from './checks';
import type { Clock } from './clock';
import type { FaultyProxy } from './faulty-proxy';
import { FolderFollower } from './folder-follower';
import { ChangesFollower, type Follower, MirrorFollower } from './followers';
import type { Service } from './service';
import { Bucket, type Setting } from './setting';
import { checkContents, checkRemoval, checkStored, recordLog, type Stores } from './stored';
import { Writer } from './writer';

const WRITERS = 8;
const READS = new Set(['get', 'describe', 'list', 'page']);
/**
 * Few, so that writers meet at them. Writes per key decide how many operations porcupine has to
 * order.
 */
const KEYS = Array.from({ length: 40 }, (_, n) => `${n % 2 === 0 ? 'a' : 'b'}/${n}`);
/** Of each writer, for commits of many changes: two that change one key delay each other. */
const BATCH_KEYS = 48;
const SETTLE_MS = 240_000;
/** Twice the mean. */
const BETWEEN_KILLS_MS = 120_000;

/** Channels lose messages in the calm, too; without a further change clients ask after 30 s. */
const WRITE_AGAIN_MS = 3_000;

/** What all rounds share. */
export interface Place {
  readonly seed: number;
  readonly service: Service;
  readonly proxy: FaultyProxy;
  readonly clock: Clock;
  /** Of the proxy. */
  readonly baseUrl: string;
  readonly anomalies: Anomalies;
}

export class Round implements Setting {
  readonly recorder = new HistoryRecorder();
  readonly keys = KEYS;
  readonly buckets: readonly Bucket[];
  readonly name: string;
  isEnding = false;
  /** Deaths of followers. */
  deaths = 0;
  followerRequests = 0;
  reads = 0;
  /** Writes by request, and their changes. */
  acknowledged = 0;
  changes = 0;
  unknown = 0;
  refused = 0;
  events = 0;
  private readonly direct: StowageClient;
  private readonly notified: Notification[] = [];
  private followers: readonly Follower[] = [];
  private folders: readonly FolderFollower[] = [];

  constructor(
    private readonly place: Place,
    number: number,
  ) {
    this.name = `r${number}`;
    this.buckets = ['a', 'b'].map((letter) => new Bucket(`torture-${number}-${letter}`));
    const { service } = place;
    const baseUrl = `http://127.0.0.1:${service.port}`;
    this.direct = new StowageClient({ baseUrl, apiKey: service.apiKey });
  }

  get baseUrl(): string {
    return this.place.baseUrl;
  }

  get apiKey(): string {
    return this.place.service.apiKey;
  }

  batchKeys(writer: string): readonly string[] {
    return Array.from({ length: BATCH_KEYS }, (_, n) => `${writer}/${n}`);
  }

  random(actor: string): SeededRandom {
    return new SeededRandom(this.place.seed, `${this.name}.${actor}`);
  }

  folder(name: string): string {
    return this.place.service.folder(`${this.name}-${name}`);
  }

  count(kind: string, result: object): void {
    if (READS.has(kind)) this.reads += 1;
    else if ('isUnknown' in result) this.unknown += 1;
    else if ('refusal' in result) this.refused += 1;
    else {
      this.acknowledged += 1;
      const { changes } = (result as { value: { changes?: readonly unknown[] } }).value ?? {};
      this.changes += changes?.length ?? 1;
    }
  }

  /** Runs for so long with faults, and as long as it takes without. */
  async run(milliseconds: number): Promise<void> {
    const { proxy } = this.place;
    const began = performance.now();
    const note = (what: string) =>
      process.stdout.write(
        `  ${this.name}: ${what} after ${Math.round((performance.now() - began) / 1000)} s\n`,
      );
    for (const { name } of this.buckets) await this.direct.buckets.create(name);
    await this.startFollowers();
    const following = [...this.followers, ...this.folders].map((one) => one.run());
    proxy.isCalm = false;
    const writing = Array.from({ length: WRITERS }, (_, n) => new Writer(this, `w${n}`).run());
    await this.kill(milliseconds);
    proxy.isCalm = true;
    this.isEnding = true;
    await Promise.all(writing);
    note('calm');
    await this.check(note);
    note('checked');
    for (const follower of this.followers) follower.stop();
    for (const folder of this.folders) await folder.stop();
    await Promise.all(following);
  }

  private async startFollowers(): Promise<void> {
    const [a, b] = this.buckets as [Bucket, Bucket];
    const changes = (n: number, transport: 'websocket' | 'poll', consumer?: string) => {
      const prefix = n % 3 === 2 ? 'a/' : '';
      const options = { name: `${transport}-${n}`, bucket: n % 2 === 0 ? a : b, prefix, transport };
      return new ChangesFollower(this, options, consumer);
    };
    const mirror = (n: number, transport: 'websocket' | 'poll') => {
      const bucket = n % 2 === 0 ? a : b;
      const options = { name: `mirror-${n}`, bucket, prefix: n === 2 ? 'b/' : '', transport };
      return new MirrorFollower(this, options);
    };
    for (const { name } of this.buckets) {
      await this.direct.consumers.put(name, 'reader', { cursor: 0 });
    }
    this.followers = [
      ...[0, 1, 2, 3].map((n) => changes(n, 'websocket')),
      ...[4, 5, 6].map((n) => changes(n, 'poll')),
      ...[6, 7].map((n) => changes(n, 'websocket', 'reader')),
      ...[
        mirror(0, 'websocket'),
        mirror(1, 'websocket'),
        mirror(2, 'websocket'),
        mirror(3, 'poll'),
      ],
    ];
    this.folders = this.buckets.map((bucket, n) => new FolderFollower(this, bucket, `folder-${n}`));
  }

  /** Kills the service at random for so long, at least once, and sets the clock forward. */
  private async kill(milliseconds: number): Promise<void> {
    const random = this.random('kills');
    const { service, clock } = this.place;
    const end = performance.now() + milliseconds;
    // A service that has just begun is slow.
    const between = Math.min(milliseconds, BETWEEN_KILLS_MS);
    while (performance.now() < end) {
      await pause(random.between(between / 8, (between * 3) / 8));
      clock.setForward();
      await pause(random.between(between / 8, (between * 3) / 8));
      await service.killAndRestart();
    }
  }

  private async check(note: (what: string) => void): Promise<void> {
    const { anomalies, service } = this.place;
    const stores = openStores(service.dataFolder);
    const all = new History(anomalies);
    const heads = await this.writeLast();
    await this.settle(heads);
    note('settled');
    const records = await Promise.all(
      this.buckets.map(async ({ name }) => {
        const record = await stores.buckets.get(name);
        if (!record) throw new Error(`no bucket ${name}`);
        return record;
      }),
    );
    for (const [index, record] of records.entries()) {
      const bucket = this.buckets[index] as Bucket;
      const note = (entry: Parameters<History['record']>[1]) => all.record(record.id, entry, 0);
      await recordLog(stores, record, { history: all.of(record.id), anomalies }, note);
      await this.checkBucket(stores, bucket, all.of(record.id), heads.get(bucket.name) ?? 0);
    }
    note('compared');
    await checkRemoval(this.direct, stores, records, anomalies);
    stores.close();
  }

  private async checkBucket(
    stores: Stores,
    bucket: Bucket,
    history: BucketHistory,
    head: number,
  ): Promise<void> {
    const { anomalies } = this.place;
    const { name } = bucket;
    const operations = this.recorder.operations.filter((one) => one.bucket === name);
    checkOperations(history, anomalies, operations);
    checkEffects(history, anomalies, bucket);
    for (const { options, received } of this.followers.filter(
      (one) => one.options.bucket === bucket,
    )) {
      const given = { received, prefix: options.prefix };
      const isMirror = options.name.startsWith('mirror');
      (isMirror ? checkMirror : checkWatch)(history, anomalies, given);
      this.events += received.length;
    }
    checkTarget(history, anomalies, { notifications: this.notified, head });
    const record = await stores.buckets.get(name);
    if (record) await checkStored(stores, record, { history, anomalies });
    const contents = await checkContents(this.direct, bucket, { history, anomalies });
    for (const folder of this.folders.filter((one) => one.bucket === bucket)) {
      const isSame = () => folder.differences(contents).length === 0;
      await until('the folder is the bucket', isSame, { pauseMs: 500 }).catch(() => undefined);
      const what = () => `${folder.differences(contents).slice(0, 5).join()}; ${folder.output}`;
      anomalies.require('a folder holds what the bucket holds', isSame(), what);
    }
  }

  /** A later entry makes the service look at the gaps of writers that were killed. */
  private async writeLast(): Promise<ReadonlyMap<string, number>> {
    const heads = new Map<string, number>();
    for (const { name } of this.buckets) {
      const { cursor } = await this.direct.put(name, 'z/last', 'written in the calm');
      heads.set(name, cursor);
    }
    return heads;
  }

  /** Waits until everybody knows everything up to the heads. */
  private async settle(heads: ReadonlyMap<string, number>): Promise<void> {
    const { anomalies, service } = this.place;
    const behind = () =>
      this.followers.filter(
        ({ cursor, options }) => cursor < (heads.get(options.bucket.name) ?? 0),
      );
    const told = () => {
      this.notified.push(...service.takeNotifications());
      return [...heads].every(([name, head]) =>
        this.notified.some(({ bucket, to }) => bucket === name && to >= head),
      );
    };
    const isSettled = () => behind().length === 0 && told();
    let writing: Promise<unknown> = Promise.resolve();
    const writes = setInterval(() => {
      writing = writing.then(() => this.writeLast());
    }, WRITE_AGAIN_MS);
    await until('everything settles', isSettled, { timeoutMs: SETTLE_MS, pauseMs: 500 }).catch(
      () => undefined,
    );
    clearInterval(writes);
    await writing;
    const what = () =>
      [...behind()]
        .map(({ options, cursor, failure }) => `${options.name} is at ${cursor} (${failure})`)
        .concat(told() ? [] : ['the target is behind'], JSON.stringify([...heads]))
        .join('; ');
    anomalies.require('everything settles when nothing fails', isSettled(), what);
  }
}
