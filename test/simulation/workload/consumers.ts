/** Followers whose cursor the service keeps: named consumers. */
import type { StoredConsumer } from '../../../client/consumers';
import { Watch } from '../oracles/watch';
import { Follower, type FollowerOptions } from './followers';
import { isRefused, Requester } from './requester';
import type { Setting } from './setting';

/** After as long, nothing that an earlier life has sent is on its way. */
const NOTHING_LATE_MS = 120_000;

const FORWARD = 'a consumer goes back only when it is asked to';
const BEHIND = 'a consumer is never ahead of its reader';
const GAPLESS = 'a consumer continues without a gap';
const LAG = 'the lag of a consumer is right';

/** Clocks of functions, whole seconds, and the time between request and response. */
const AGE_TOLERANCE_SECONDS = 1.5;

/** Follows from wherever the service says that it is. */
export class ConsumerFollower extends Follower {
  private readonly requests: Requester;
  /** Knows what the reader of all lives has. */
  private readonly watch: Watch;
  private readonly name: string;
  /** The cursor of the consumer is not below, by what the service has said. */
  private floor = 0;
  private isCreated = false;
  private lives = 0;

  constructor(setting: Setting, options: FollowerOptions) {
    super(setting, options);
    this.name = `reader-${options.name}`;
    this.requests = new Requester(setting, `${options.name} requests`);
    const { bucket, prefix } = options;
    this.watch = new Watch(bucket.history, setting.simulation.anomalies, { cursor: 0, prefix });
  }

  protected override async follow(signal: AbortSignal): Promise<void> {
    if (!this.isCreated && !(await this.create())) return;
    await this.look();
    if (this.lives > 0 && this.random.chance(0.5)) {
      // Nothing has settled meanwhile.
      this.cursor = -1;
      await this.goBack();
      this.cursor = this.watch.cursor;
    }
    this.lives += 1;
    this.setting.count('consumer');
    this.watch.resume();
    await this.read(signal);
  }

  /** Reads until it dies. */
  private async read(signal: AbortSignal): Promise<void> {
    const { bucket, prefix, transport } = this.options;
    // Of all lives: what this one reads again counts for nothing.
    const known = this.watch.cursor;
    const wanted = { [bucket.name]: { bucketId: bucket.id, prefix, consumer: this.name } };
    for await (const event of this.client.sync(wanted, { transport, signal }).events()) {
      if (event.type === 'put' || event.type === 'delete') {
        if (event.cursor > known) this.watch.change(event);
      } else if (event.type === 'cursor') {
        if (event.cursor >= known) this.end(event.cursor);
      } else if (event.type === 'reset') {
        await this.startOver(event.oldest);
        return;
      } else if (event.type === 'ended') {
        const { code, message } = event.error;
        this.anomalies.report('a follower never ends', `${code}: ${message}`);
        return;
      }
      const mayEnd = !this.setting.isEnding() && this.random.chance(0.2);
      if (this.mayDie() || mayEnd) return;
    }
  }

  private end(cursor: number): void {
    const lost = this.watch.lostUpTo(cursor);
    const what = () => `${this.name} has the cursor ${cursor}, and never got ${lost.join()}`;
    this.anomalies.require(GAPLESS, lost.length === 0, what);
    this.watch.end({ cursor });
    this.cursor = cursor;
    this.options.bucket.learnCursor(cursor);
  }

  private async create(): Promise<boolean> {
    const { bucket, prefix } = this.options;
    const { consumers } = this.requests.client;
    const made = await this.requests.resolved(() =>
      consumers.put(bucket.name, this.name, { cursor: 0, prefix, ifCursor: null }),
    );
    // An attempt without a response has created it.
    this.isCreated = 'value' in made || isRefused(made, 'precondition_failed');
    if ('refusal' in made && made.refusal.code === 'cursor_expired') {
      await this.startOver((made.refusal.details?.oldest as number | undefined) ?? 1);
    }
    return this.isCreated;
  }

  /** Reads the consumer, and compares it with what is known. */
  private async look(): Promise<number | undefined> {
    const { bucket } = this.options;
    const { time, state } = this.setting.simulation;
    const head = state.stats.get(bucket.name)?.published ?? 0;
    const from = time.now;
    const found = await this.requests.resolved(() =>
      this.requests.client.consumers.get(bucket.name, this.name),
    );
    if (!('value' in found)) return undefined;
    const { cursor, lag, lag_seconds: age, behind_retention: isBehind } = found.value;
    this.learn(found.value);
    const isCounted =
      cursor + lag >= head && cursor + lag <= Math.max(cursor, bucket.history.settled);
    const isAged = isBehind || this.isAge(age, cursor, { from, until: time.now });
    const what = () =>
      `${this.name} at ${cursor} is ${lag} changes and ${age} s behind, of ${head}`;
    this.anomalies.require(LAG, isCounted && isAged, what);
    return cursor;
  }

  /** Whether the oldest change after the cursor has that age; what is published later has none. */
  private isAge(
    age: number,
    cursor: number,
    { from, until }: { readonly from: number; readonly until: number },
  ): boolean {
    const next = this.options.bucket.history.entry(cursor + 1);
    if (!next || next.type === 'noop') return true;
    const since = Date.parse(next.at);
    if (age === 0 && since >= from - 60_000) return true;
    const least = (from - since) / 1000 - AGE_TOLERANCE_SECONDS;
    return age >= least && age <= (until - since) / 1000 + AGE_TOLERANCE_SECONDS;
  }

  /** The service has said where the consumer is. */
  private learn({ cursor }: Pick<StoredConsumer, 'cursor'>): void {
    const { floor, watch } = this;
    const is = `${this.name} is at ${cursor}`;
    this.anomalies.require(FORWARD, cursor >= floor, () => `${is}, and was at ${floor}`);
    const { cursor: read } = watch;
    this.anomalies.require(BEHIND, cursor <= read, () => `${is}, its reader at ${read}`);
    this.floor = Math.max(floor, cursor);
  }

  /** Moves the consumer back, when nothing that was sent before can still move it forward. */
  private async goBack(): Promise<void> {
    const { bucket, prefix } = this.options;
    await this.setting.pause(NOTHING_LATE_MS);
    const present = await this.look();
    if (present === undefined || present === 0) return;
    this.setting.count('consumer back');
    const entry = bucket.history.entry(this.random.between(0, present - 1));
    const commit = entry && entry.type !== 'noop' ? entry.commit : undefined;
    // Not inside a commit: the reader would see a part of it.
    const cursor = commit ? commit.first - 1 : (entry?.cursor ?? 0);
    this.floor = cursor;
    const options = { cursor, prefix, ifCursor: present };
    const moved = await this.requests.resolved(() =>
      this.requests.client.consumers.put(bucket.name, this.name, options),
    );
    if (!('value' in moved)) return;
    this.learn(moved.value);
    this.watch.rewind(cursor);
    const found = await this.look();
    const what = () => `${this.name} was moved to ${cursor}, and is at ${found}`;
    this.anomalies.require(FORWARD, found === undefined || found === cursor, what);
  }

  /** What it has not read is gone. */
  private async startOver(oldest: number): Promise<void> {
    const { bucket, prefix } = this.options;
    const cursor = oldest - 1;
    this.anomalies.require(
      'a follower is reset only when its changes are gone',
      this.floor < cursor || !this.isCreated,
      () => `${this.name} was reset at ${this.floor}, the oldest is ${oldest}`,
    );
    this.watch.skip(Math.max(this.watch.cursor, cursor));
    this.cursor = cursor;
    const moved = await this.requests.resolved(() =>
      this.requests.client.consumers.put(bucket.name, this.name, { cursor, prefix }),
    );
    if (!('value' in moved)) return;
    this.isCreated = true;
    this.learn(moved.value);
  }

  private get anomalies() {
    return this.setting.simulation.anomalies;
  }
}
