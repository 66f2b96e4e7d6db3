/** One simulation: actors and faults for a number of events, then calm, then every check. */
import { newApiKey } from '../../core/access/api-key';
import type { ApiKeyRecord } from '../../core/access/ports';
import { createBucket } from '../../core/buckets/buckets';
import type { HistoryRecorder } from '../linearizability/recorder';
import { createFakes } from '../support/fakes/fakes';
import { EVERYTHING } from '../support/requests';
import { drawIntensities, type FaultOptions } from './machine/faults';
import { withReplacedGlobals } from './machine/replaced-globals';
import { VirtualTime } from './machine/virtual-time';
import { checkExpiries } from './oracles/expiry';
import { checkBlobs, checkStored } from './oracles/final-state';
import type { Anomaly } from './records/anomalies';
import { startFunctions } from './service/functions';
import { type Done, type EndedRun, Schedule } from './service/schedule';
import { Simulation, type Wrap } from './service/simulation';
import { actorsOf, followersOf } from './workload/actors';
import type { Follower } from './workload/followers';
import { Lulls } from './workload/lulls';
import { RuleKeeper } from './workload/rule-keeper';
import { Bucket, type Setting } from './workload/setting';

export interface RunOptions {
  readonly seed: number;
  /** How many events go by before the faults end. */
  readonly events: number;
  readonly onlyFaults?: FaultOptions['only'];
  readonly skippedOperations?: ReadonlySet<string>;
  /** Plants a bug. */
  readonly wrap?: Wrap;
  /** Records what the writers send and receive. */
  readonly recorder?: HistoryRecorder;
}

export interface Report {
  readonly seed: number;
  readonly events: number;
  /** The same in every run of the seed. */
  readonly trace: number;
  readonly faults: Readonly<Record<string, number>>;
  /** The faults by name, and the operations: for the minimiser. */
  readonly fired: readonly string[];
  readonly performed: readonly string[];
  readonly operations: Readonly<Record<string, number>>;
  readonly checks: Readonly<Record<string, number>>;
  readonly anomalies: readonly Anomaly[];
}

const DAY_MS = 86_400_000;

/**
 * In which everything must settle when nothing goes wrong any more: twice the longest interval of
 * the janitor, which alone looks for a gap at the end of a quiet log.
 */
const CALM_MS = 40 * 60_000;

export async function simulate(options: RunOptions): Promise<Report> {
  const time = new VirtualTime();
  const random = new Simulation(options.seed, time, {}).random('process');
  return withReplacedGlobals(time, random, () => new Run(options, time).run());
}

class Run {
  private readonly simulation: Simulation;
  private readonly operations: Record<string, number> = {};
  private isEnding = false;
  private working = 0;
  private readonly lulls = new Lulls();
  private readonly performed: string[] = [];
  private readonly expiries: EndedRun[] = [];

  constructor(
    private readonly options: RunOptions,
    private readonly time: VirtualTime,
  ) {
    const { seed, onlyFaults, wrap } = options;
    const plan = new Simulation(seed, time, {}).random('plan');
    const faults = { intensities: drawIntensities(plan), only: onlyFaults };
    this.simulation = new Simulation(seed, time, faults, wrap);
  }

  async run(): Promise<Report> {
    const { simulation, time, options } = this;
    const setting = await this.open();
    const followers = followersOf(setting);
    for (const one of followers) this.start(() => one.run(), false);
    const plan = simulation.random('actors');
    const actors = actorsOf(setting, plan);
    for (const one of actors) this.start(() => one.run());
    const schedules = this.schedules(setting, plan.between(5, 20));
    const hasRules = actors.some((one) => one instanceof RuleKeeper);
    // What is trimmed before a target has its cursors is never sent to it.
    const isRegistered = () =>
      [...simulation.state.registrations.values()].some(({ complete }) => complete);
    const mayBeLong = () => hasRules && isRegistered();
    this.start(() => this.lulls.run(setting, { followers, schedules, mayBeLong }), false);
    await time.run(() => time.events >= options.events);

    simulation.faults.isCalm = true;
    this.isEnding = true;
    this.lulls.end();
    const deadline = time.now + CALM_MS;
    const isSettled = () => this.working === 0 && this.isSettled(setting, followers);
    await time.run(() => time.now >= deadline || isSettled());
    simulation.anomalies.require('everything settles when nothing fails', isSettled(), () =>
      this.describe(setting, followers),
    );
    for (const { name, history, effects } of setting.buckets) {
      checkStored(simulation, name, history);
      effects.check();
    }
    for (const follower of followers) follower.stop();
    for (const one of schedules) one.stop();
    await this.runJobs(setting);
    for (const { history } of setting.buckets) {
      checkExpiries(simulation.anomalies, history, this.expiries);
    }
    for (const actor of actors) actor.check();
    return this.report();
  }

  /** Creates the key and the buckets, without the network. */
  private async open(): Promise<Setting> {
    const { simulation, time } = this;
    const fakes = createFakes({ ...simulation });
    const plan = simulation.random('setting');
    const { id, text, secretHash } = newApiKey();
    const key: ApiKeyRecord = {
      ...{ id, name: 'k', secretHash, permissions: EVERYTHING },
      createdAt: simulation.clock.iso(),
    };
    simulation.state.apiKeys.set(id, key);
    const buckets: Bucket[] = [];
    for (let n = 1; n <= plan.between(1, 2); n++) {
      const record = await createBucket(fakes, `bucket-${n}`);
      if (record) buckets.push(new Bucket(simulation, record));
    }
    const keys = ['a/1', 'a/2', 'a/b/1', 'b/1', 'b/2', 'c', 'd', 'e'].slice(0, plan.between(2, 8));
    return {
      ...{ simulation, service: startFunctions(simulation), buckets, keys, apiKey: text },
      prefixes: ['a/', 'b/'],
      skipped: this.options.skippedOperations,
      recorder: this.options.recorder,
      performed: this.performed,
      lull: () => this.lulls.present,
      isEnding: () => this.isEnding,
      pause: (milliseconds) => new Promise((resolve) => time.after(milliseconds, resolve)),
      count: (operation) => {
        this.operations[operation] = (this.operations[operation] ?? 0) + 1;
      },
    };
  }

  /** Of the jobs, as long as clients are at work. */
  private schedules({ service }: Setting, logMinutes: number): readonly Schedule[] {
    const { time, expiries } = this;
    const task = (name: string, minutes: number) => ({
      minutes,
      invoke: (done: Done) => service.janitor.invoke({ task: name }, done),
    });
    const sweep = (done: Done) => service.targets.invoke({ task: 'sweep' }, done);
    return [
      new Schedule(time, task('logs', logMinutes)),
      new Schedule(time, { ...task('expiry', 15), onEnded: (run) => void expiries.push(run) }),
      new Schedule(time, task('uploads', 15)),
      new Schedule(time, { minutes: 5, invoke: sweep }),
    ];
  }

  private start(work: () => Promise<void>, counts = true): void {
    if (counts) this.working += 1;
    work().then(
      () => {
        if (counts) this.working -= 1;
      },
      (error: unknown) => {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.simulation.anomalies.report('an actor never fails', what);
      },
    );
  }

  private isSettled({ buckets, service }: Setting, followers: readonly Follower[]): boolean {
    const { state } = this.simulation;
    const headOf = (name: string) => state.buckets.get(name)?.cursor ?? -1;
    const isPublished = buckets.every(
      ({ name }) => state.stats.get(name)?.published === headOf(name),
    );
    if (!isPublished || !service.stream.isEmpty) return false;
    const isTold = ({ name, id }: Bucket) => service.receiver.cursorOf(id) === headOf(name);
    if (!buckets.every(isTold)) return false;
    return followers.every(({ cursor, options }) => cursor === headOf(options.bucket.name));
  }

  private describe({ buckets, service }: Setting, followers: readonly Follower[]): string {
    const { state } = this.simulation;
    const marks = buckets.map(
      ({ name }) =>
        `${name} is published up to ${state.stats.get(name)?.published} of ${state.buckets.get(name)?.cursor}`,
    );
    const cursors = followers.map(
      ({ cursor, options }) =>
        `${options.name} (${options.transport}, ${options.bucket.name}) is at ${cursor}`,
    );
    const told = buckets.map(({ id }) => `the target is at ${service.receiver.cursorOf(id)}`);
    return [...marks, ...cursors, ...told, `${this.working} actors work`].join('; ');
  }

  /** Hours pass, and the log is trimmed: a day before each. */
  private async runJobs({ service, buckets }: Setting): Promise<void> {
    const { simulation, time } = this;
    for (const task of [
      'logs',
      'expiry',
      'uploads',
      'copies',
      'reconcile',
      'reconcile',
      'logs',
      'logs',
    ]) {
      let isDone = false;
      const from = time.now + DAY_MS;
      time.after(DAY_MS, () =>
        service.janitor.invoke({ task }, (outcome) => {
          isDone = true;
          if (task === 'expiry') this.expiries.push({ from, until: time.now, isDone });
          simulation.anomalies.require(
            'a job succeeds when nothing fails',
            'result' in outcome,
            () => `${task}: ${JSON.stringify(outcome)} ${'error' in outcome ? outcome.error : ''}`,
          );
        }),
      );
      await time.run(() => isDone);
    }
    for (const { name, id, history } of buckets) {
      checkStored(simulation, name, history);
      checkBlobs(simulation, name, id);
    }
  }

  private report(): Report {
    const { simulation, time, operations, options } = this;
    const { faults, anomalies } = simulation;
    return {
      ...{ seed: options.seed, events: time.events, trace: time.trace >>> 0, operations },
      ...{ faults: faults.counts, fired: faults.fired, performed: this.performed },
      ...{ checks: anomalies.made, anomalies: anomalies.found },
    };
  }
}
