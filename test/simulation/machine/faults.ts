/** What goes wrong in a simulation, and how often. */
import type { SeededRandom } from './random';

/** Every kind of fault, with its probability at each moment at which it may happen. */
export const FAULTS = {
  /** A call of AWS is refused with 5xx, before it has an effect. */
  refused: 0.004,
  /** A call of AWS is throttled. */
  throttled: 0.004,
  /** A call meets a transaction in flight on its item, and has no effect. */
  conflict: 0.006,
  /** A call of AWS gets no response, and has no effect. */
  'request lost': 0.003,
  /** A call of AWS has its effect, and its response is lost. */
  'response lost': 0.004,
  /** A call of AWS gets no response, and has its effect later. */
  'effect late': 0.003,
  /** One operation of AWS fails for seconds, for one environment: no attempt helps. */
  outage: 0.004,
  /** A call of AWS takes seconds. */
  slow: 0.003,
  /** A function dies at an await. */
  killed: 0.0012,
  /** An execution environment ends between two invocations. */
  'environment ended': 0.01,
  /** A function cannot be invoked: its concurrency is used up. */
  'invocation throttled': 0.005,
  /** An event is delivered to a function once more, although the function succeeded. */
  'event repeated': 0.03,
  /** An event is delivered to a function seconds late. */
  'event late': 0.03,
  /** A request of a client never arrives. */
  'client request lost': 0.006,
  /** A request of a client takes effect, and its response is lost. */
  'client response lost': 0.008,
  /** A message of a channel never arrives. */
  'message lost': 0.01,
  /** A message of a channel arrives twice. */
  'message repeated': 0.01,
  /** A message of a channel arrives after later ones. */
  'message late': 0.02,
  /** A channel is cut, and both sides learn of it. */
  'channel cut': 0.002,
  /** A channel is cut, and the client does not learn of it. */
  'channel half open': 0.001,
  /** The service does not learn that a channel has ended. */
  'disconnect lost': 0.1,
  /** A follower dies, and continues from the cursor that it has saved. */
  'follower killed': 0.01,
  /** A target of `onChange` refuses a notification. */
  'target failed': 0.03,
  /** A target of `onChange` accepts a notification, and the service does not learn of it. */
  'target response lost': 0.03,
} as const;

export type FaultKind = keyof typeof FAULTS;

export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

export interface FaultOptions {
  /** Multiplies the probability of each kind. Absent: none happens. */
  readonly intensities?: ReadonlyMap<FaultKind, number>;
  /** Only these faults happen, by name: for the minimiser. */
  readonly only?: ReadonlySet<string>;
}

/**
 * Some runs are calm, some are stormy, and each has some kinds of faults only: what one kind hides,
 * another run shows (Groce et al., "Swarm Testing").
 */
export function drawIntensities(random: SeededRandom): ReadonlyMap<FaultKind, number> {
  const all = random.pick([0, 1, 1, 2, 4]);
  return new Map(FAULT_KINDS.map((kind) => [kind, all * random.pick([0, 1, 1, 4])]));
}

export class Faults {
  readonly counts: Record<string, number> = Object.fromEntries(
    FAULT_KINDS.map((kind) => [kind, 0]),
  );
  /** The names of those that have happened. */
  readonly fired: string[] = [];
  /** Nothing goes wrong any more. */
  isCalm = false;

  constructor(private readonly options: FaultOptions) {}

  /** At most one of the kinds happens now: one number decides, in their order. */
  draw<K extends FaultKind>(kinds: readonly K[], random: SeededRandom): K | undefined {
    let rest = random.next();
    const { intensities, only } = this.options;
    if (this.isCalm) return undefined;
    for (const kind of kinds) {
      rest -= FAULTS[kind] * (intensities?.get(kind) ?? 0);
      if (rest >= 0) continue;
      const name = `${random.name}/${random.draws}`;
      if (only && !only.has(name)) return undefined;
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      this.fired.push(name);
      return kind;
    }
    return undefined;
  }
}
