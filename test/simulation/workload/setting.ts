/** What the actors of a simulation share. */
import type { BucketRecord } from '../../../core/store/buckets';
import type { HistoryRecorder } from '../../linearizability/recorder';
import { Effects } from '../oracles/effects';
import { Linearizable } from '../oracles/linearizable';
import type { BucketHistory } from '../records/history';
import type { Service } from '../service/functions';
import type { Simulation } from '../service/simulation';

/** A bucket, and what its clients know of it together. */
export class Bucket {
  readonly name: string;
  readonly id: string;
  readonly history: BucketHistory;
  readonly linearizable: Linearizable;
  readonly effects: Effects;
  /** A cursor that a client was given. */
  knownCursor = 0;

  constructor(simulation: Simulation, { name, id }: BucketRecord) {
    this.name = name;
    this.id = id;
    this.history = simulation.history.of(id);
    this.linearizable = new Linearizable(this.history, simulation.anomalies);
    this.effects = new Effects(this.history, simulation.anomalies);
  }

  learnCursor(cursor: number): void {
    this.knownCursor = Math.max(this.knownCursor, cursor);
  }
}

export interface Setting {
  readonly simulation: Simulation;
  readonly service: Service;
  readonly buckets: readonly Bucket[];
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  readonly apiKey: string;
  /** Records what the writers send and receive. */
  readonly recorder?: HistoryRecorder;
  /** Operations that are left out, by name: for the minimiser. */
  readonly skipped?: ReadonlySet<string>;
  /** Whether actors begin nothing more. */
  readonly isEnding: () => boolean;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly count: (operation: string) => void;
  /** The operations that have begun, by name. */
  readonly performed: string[];
  /** Resolves when nobody is asked to rest. */
  readonly lull: () => Promise<void> | undefined;
}
