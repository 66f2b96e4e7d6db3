/**
 * One execution environment of a function: it runs one invocation at a time, is frozen between two,
 * and may die at any await. Its ports are the fakes of the contract suites, behind a network.
 */
import type { MetricName } from '../../../lambdas/runtime/telemetry/metrics';
import { FakeClock } from '../../support/fakes/clock';
import { FakeLog } from '../../support/fakes/fake-log';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { createFakes, type Fakes } from '../../support/fakes/fakes';
import type { SeededRandom } from '../machine/random';
import { type Caller, throughNetwork } from './aws-calls';
import type { Simulation } from './simulation';

export type Ports = Fakes;

/** Of an environment's clock: AWS keeps clocks within milliseconds of each other. */
const SKEW_MS = 50;

const PORTS = [
  'buckets',
  'objects',
  'changeLog',
  'uploads',
  'partCopies',
  'pendingCopies',
  'commits',
  'blobs',
  'apiKeys',
  'keys',
  'rates',
  'slots',
  'serviceState',
  'subscriptions',
  'consumers',
  'links',
  'channels',
  'deferredTasks',
  'targetCursors',
  'targetTasks',
] as const;

class EnvironmentClock extends FakeClock {
  constructor(
    private readonly environment: Environment,
    private readonly skew: number,
  ) {
    super();
  }

  override now(): number {
    return this.environment.simulation.time.now + this.skew;
  }

  override sleep(milliseconds: number): Promise<void> {
    return this.environment.pause(milliseconds);
  }
}

/** Keeps the last error, for the report of an anomaly. */
class EnvironmentLog extends FakeLog {
  constructor(private readonly simulation: Simulation) {
    super();
  }

  override info(): void {}

  override error(_: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.simulation.lastError = fields.error ?? fields;
  }
}

/** Adds up what all environments count. */
class EnvironmentMeter extends FakeMeter {
  constructor(private readonly simulation: Simulation) {
    super();
  }

  override add(metric: MetricName, amount: number): void {
    const { counted } = this.simulation;
    counted.set(metric, (counted.get(metric) ?? 0) + amount);
  }
}

export class Environment implements Caller {
  readonly random: SeededRandom;
  readonly ports: Ports;
  outage: Caller['outage'];
  /** Called when it dies. */
  onDeath: () => void = () => undefined;
  private state: 'running' | 'frozen' | 'dead' = 'running';
  private waiting: (() => void)[] = [];

  constructor(
    readonly simulation: Simulation,
    readonly name: string,
  ) {
    this.random = simulation.random(name);
    const { state, ids } = simulation;
    const clock = new EnvironmentClock(this, this.random.between(-SKEW_MS, SKEW_MS));
    const fakes = createFakes({ state, ids, clock });
    const behind = Object.fromEntries(
      PORTS.map((port) => [port, throughNetwork(this, port, fakes[port])]),
    );
    const log = new EnvironmentLog(simulation);
    const meter = new EnvironmentMeter(simulation);
    this.ports = simulation.wrap({ ...fakes, ...behind, log, meter }, name);
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }

  /** Resolves after that time, when the environment runs then; never once it is dead. */
  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.simulation.time.after(milliseconds, () => this.resume(resolve));
    });
  }

  freeze(): void {
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    const { waiting } = this;
    this.waiting = [];
    for (const run of waiting) run();
  }

  /** What it waits for never comes: nothing of it runs any more. */
  kill(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.waiting = [];
    this.onDeath();
  }

  private resume(run: () => void): void {
    if (this.state === 'frozen') this.waiting.push(run);
    if (this.state !== 'running') return;
    if (this.simulation.faults.draw(['killed'], this.random)) this.kill();
    else run();
  }
}
