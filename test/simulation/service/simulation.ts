/** What all parts of one simulation share. */
import { FakeClock, FakeIds } from '../../support/fakes/clock';
import type { Fakes } from '../../support/fakes/fakes';
import { FakeState } from '../../support/fakes/state';
import type { AwsLimits } from '../limits/aws-limits';
import { type FaultOptions, Faults } from '../machine/faults';
import { SeededRandom } from '../machine/random';
import type { VirtualTime } from '../machine/virtual-time';
import { Anomalies } from '../records/anomalies';
import { History } from '../records/history';

/** Called with a change that DynamoDB has. */
export type OnEntry = (bucket: string, bucketId: string, cursor: number) => void;

/** Changes the ports of an environment: a planted bug. */
export type Wrap = (ports: Fakes, environment: string) => Fakes;

/** The clock of what never waits. */
class ReadClock extends FakeClock {
  constructor(private readonly time: VirtualTime) {
    super();
  }

  override now(): number {
    return this.time.now;
  }
}

export class Simulation {
  readonly state = new FakeState();
  readonly clock: FakeClock;
  readonly ids: FakeIds;
  readonly faults: Faults;
  readonly anomalies: Anomalies;
  readonly history: History;
  /** By the name of the metric. */
  readonly counted = new Map<string, number>();
  /** Called with each new entry. */
  readonly onEntry: OnEntry[] = [];
  /** By the id of a key: of the virtual clock. */
  readonly keySavedAt = new Map<string, number>();
  /** Called when a key is saved. */
  onKey: (id: string, isNew: boolean) => void = () => undefined;
  /** Called with each task in the queue, and its delay. */
  onTask: (body: string, delayMs: number) => void = () => undefined;
  /** Called with each task of targets. */
  onTargetTask: (task: object) => void = () => undefined;
  /** Absent: only faults refuse a call. */
  limits: AwsLimits | undefined;
  /** What a function has logged last as an error. */
  lastError: unknown;
  private environments = 0;

  constructor(
    readonly seed: number,
    readonly time: VirtualTime,
    faults: FaultOptions,
    readonly wrap: Wrap = (ports) => ports,
  ) {
    this.clock = new ReadClock(time);
    this.ids = new FakeIds(this.clock);
    this.faults = new Faults(faults);
    this.anomalies = new Anomalies(() => time.events);
    this.history = new History(this.anomalies);
  }

  random(name: string): SeededRandom {
    return new SeededRandom(this.seed, name);
  }

  environmentName(of: string): string {
    this.environments += 1;
    return `${of}-${this.environments}`;
  }
}
