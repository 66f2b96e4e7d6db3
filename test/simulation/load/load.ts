/** One bucket under open load: which limit of AWS binds, and what its clients then see. */
import { newApiKey } from '../../../core/access/api-key';
import { createBucket } from '../../../core/buckets/buckets';
import { DEFAULT_RATES, type TierRates } from '../../../core/limits';
import { createFakes } from '../../support/fakes/fakes';
import { EVERYTHING } from '../../support/requests';
import { AwsLimits, type Bound } from '../limits/aws-limits';
import { withReplacedGlobals } from '../machine/replaced-globals';
import { VirtualTime } from '../machine/virtual-time';
import type { Anomaly } from '../records/anomalies';
import type { BucketHistory } from '../records/history';
import { type Service, startFunctions } from '../service/functions';
import { Schedule } from '../service/schedule';
import { Simulation } from '../service/simulation';
import { leasedCursors } from './leased-cursors';
import { LoadFollower } from './load-follower';
import { LoadWriter, type Outcome } from './load-writer';

export interface LoadOptions {
  readonly seed: number;
  readonly writers: number;
  /** Writes a second of all writers together. */
  readonly rate: number;
  /** How long they write. */
  readonly seconds: number;
  readonly followers: number;
  /** How many keys they write to, each as often as the others. */
  readonly keys: number;
  /** Changes of a commit; 1: a PUT. */
  readonly changes: number;
  /** How many cursors an environment takes at once; 1: as the service does. */
  readonly lease: number;
  /** The limits of AwsLimits. */
  readonly splits: number;
  readonly stageRate: number;
}

export interface LoadReport {
  readonly events: number;
  /** The same in every run with these options. */
  readonly trace: number;
  readonly outcomes: readonly Outcome[];
  readonly changes: number;
  /** Cursors that were taken and not used. */
  readonly unused: number;
  readonly retries: number;
  readonly bounds: readonly Bound[];
  /** When the writers begin, milliseconds of the virtual clock. */
  readonly from: number;
  readonly mostRunning: number;
  /** Milliseconds from a change until a follower has it. */
  readonly lags: readonly number[];
  /** Milliseconds from the last write's beginning until all is answered, published and received. */
  readonly recovery: number | undefined;
  readonly anomalies: readonly Anomaly[];
}

/** What a bucket is given to settle. */
const RECOVERY_MS = 10 * 60_000;

/** How long the followers have to connect: API Gateway admits 500 connections a second. */
const CONNECT_MS = 5;

/** Followers of one API key: its limit of connections at once. */
const FOLLOWERS_OF_A_KEY = DEFAULT_RATES.connect.concurrent;

/** Keys may write as much as it takes: their limits are the service's own, not those of AWS. */
const RATES: TierRates = { ...DEFAULT_RATES, write: { rate: 100_000, burst: 100_000 } };

export async function simulateLoad(options: LoadOptions): Promise<LoadReport> {
  const time = new VirtualTime();
  const random = new Simulation(options.seed, time, {}).random('process');
  return withReplacedGlobals(time, random, () => new Load(options, time).run());
}

class Load {
  private readonly simulation: Simulation;
  private readonly limits: AwsLimits;
  private readonly service: Service;

  constructor(
    private readonly options: LoadOptions,
    private readonly time: VirtualTime,
  ) {
    const { lease } = options;
    this.simulation = new Simulation(
      options.seed,
      time,
      {},
      lease > 1 ? leasedCursors(lease) : undefined,
    );
    this.limits = new AwsLimits(time, options);
    this.service = startFunctions(this.simulation, { rates: RATES, hasTarget: false });
  }

  async run(): Promise<LoadReport> {
    const { simulation, time, options, service } = this;
    const bucket = await createBucket(createFakes({ ...simulation }), 'bucket-1');
    if (!bucket) throw new Error('no bucket');
    simulation.limits = this.limits;
    const history = simulation.history.of(bucket.id);
    const schedule = new Schedule(time, {
      minutes: 1,
      invoke: (done) => service.janitor.invoke({ task: 'logs' }, done),
    });
    const followers = this.follow(history);
    const connected = time.now + options.followers * CONNECT_MS + 2_000;
    await time.run(() => time.now >= connected);

    const from = time.now;
    const writers = Array.from({ length: options.writers }, (_, n) => this.writer(n, from));
    const end = from + options.seconds * 1000;
    await time.run(() => time.now >= end);
    const isSettled = () => this.isSettled(writers, followers);
    const deadline = end + RECOVERY_MS;
    await time.run(() => isSettled() || time.now >= deadline);
    const recovery = isSettled() ? time.now - end : undefined;
    for (const follower of followers) follower.stop();
    schedule.stop();
    const outcomes = writers.flatMap((writer) => writer.outcomes);
    this.check(history, outcomes, recovery);
    return this.report({
      history,
      outcomes,
      from,
      recovery,
      lags: followers.flatMap((f) => f.lags),
    });
  }

  /** Creates a key of that name, and returns its text. */
  private createKey(name: string): string {
    const { id, text, secretHash } = newApiKey();
    const createdAt = this.simulation.clock.iso();
    const record = { ...{ id, name, secretHash, createdAt }, permissions: EVERYTHING };
    this.simulation.state.apiKeys.set(id, record);
    return text;
  }

  private writer(n: number, from: number): LoadWriter {
    const { simulation, service, options } = this;
    const name = `w${n + 1}`;
    const apiKey = this.createKey(name);
    const { rate, writers, keys, changes } = options;
    const until = from + options.seconds * 1000;
    const work = { name, apiKey, rate: rate / writers, keys, changes, until };
    const writer = new LoadWriter(simulation, service, work);
    writer.start();
    return writer;
  }

  private follow(history: BucketHistory): LoadFollower[] {
    const { simulation, service, options } = this;
    let apiKey = this.createKey('f0');
    return Array.from({ length: options.followers }, (_, n) => {
      if (n % FOLLOWERS_OF_A_KEY === 0) apiKey = this.createKey(`f${n}`);
      const follower = new LoadFollower(simulation, service, { name: `f${n}`, apiKey, history });
      this.time.after(n * CONNECT_MS, () => follower.start());
      return follower;
    });
  }

  private isSettled(writers: readonly LoadWriter[], followers: readonly LoadFollower[]): boolean {
    if (writers.some(({ waiting }) => waiting > 0)) return false;
    const { state } = this.simulation;
    const head = state.buckets.get('bucket-1')?.cursor ?? -1;
    if (state.stats.get('bucket-1')?.published !== head) return false;
    return followers.every(({ cursor }) => cursor === head);
  }

  private check(
    history: BucketHistory,
    outcomes: readonly Outcome[],
    recovery: number | undefined,
  ): void {
    const { anomalies, state } = this.simulation;
    anomalies.require(
      'everything settles when the load ends',
      recovery !== undefined,
      () => `published up to ${state.stats.get('bucket-1')?.published}`,
    );
    for (const { cursors } of outcomes) {
      for (const cursor of cursors) {
        const entry = history.entry(cursor);
        anomalies.require(
          'an acknowledged write is never lost',
          entry?.type === 'put',
          () => `${cursor} is ${entry?.type}`,
        );
      }
    }
    const head = state.buckets.get('bucket-1')?.cursor ?? -1;
    anomalies.require(
      'every cursor has its entry',
      recovery === undefined || history.settled === head,
      () => `the log is complete up to ${history.settled} of ${head}`,
    );
  }

  private report(
    seen: Pick<LoadReport, 'outcomes' | 'from' | 'recovery' | 'lags'> & {
      readonly history: BucketHistory;
    },
  ): LoadReport {
    const { time, simulation, limits } = this;
    const { history, ...rest } = seen;
    const entries = history.entries.filter((one) => one !== undefined);
    const unused = entries.filter(({ entry }) => entry.type === 'noop').length;
    return {
      ...rest,
      ...{ events: time.events, trace: time.trace >>> 0, unused },
      changes: entries.length - unused,
      retries: simulation.counted.get('CommitRetries') ?? 0,
      bounds: limits.inOrder,
      mostRunning: limits.mostRunning,
      anomalies: simulation.anomalies.found,
    };
  }
}
