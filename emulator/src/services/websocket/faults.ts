/** Injects the faults of networks and of API Gateway that do not occur on one machine. */

import { randomNumbers } from '../../values/random-numbers';
import { parseFaultList } from '../fault-list';

/** Probabilities from 0 to 1; 0 when absent. */
export interface FaultRates {
  /** A post gets 200 and is lost. */
  readonly drop?: number;
  /** A post is sent to the client twice. */
  readonly repeat?: number;
  /** A post is delayed, so that later ones overtake it. */
  readonly reorder?: number;
  /** A message in either direction is lost, and the connection is cut without a close frame. */
  readonly cut?: number;
  /** $disconnect is not invoked for a connection. */
  readonly dropDisconnect?: number;
  /** A message of a client is delayed, so that later ones overtake it. */
  readonly shuffle?: number;
}

export type FaultKind = keyof FaultRates;

/** Random faults: the same seed and the same messages lead to the same faults. */
export class ConnectionFaults {
  /** The number of faults by kind. */
  readonly fired = new Map<FaultKind, number>();
  private readonly random: () => number;

  constructor(
    seed: number,
    /** May be replaced at any time. */
    public rates: FaultRates = {},
    /** Longest delay of a message in milliseconds. */
    public hold = 50,
  ) {
    this.random = randomNumbers(seed);
  }

  /** Decides whether a fault of the kind happens now, and counts it. */
  hits(kind: FaultKind): boolean {
    const rate = this.rates[kind] ?? 0;
    if (rate === 0 || this.random() >= rate) return false;
    this.fired.set(kind, (this.fired.get(kind) ?? 0) + 1);
    return true;
  }

  /** Milliseconds. */
  holdTime(): number {
    return this.random() * this.hold;
  }
}

/**
 * Parses the option `drop=0.2,cut=0.001,hold=100,seed=7`; `hold` is in milliseconds. Throws
 * UserError that names the invalid part.
 */
export function parseFaults(text: string | undefined): ConnectionFaults | undefined {
  if (text === undefined) return undefined;
  const rates = { drop: 1, repeat: 1, reorder: 1, cut: 1, 'drop-disconnect': 1, shuffle: 1 };
  const faults = parseFaultList(text, 'WebSockets', { ...rates, hold: Infinity });
  const { seed, hold, drop, repeat, reorder, cut, shuffle } = faults;
  const dropDisconnect = faults['drop-disconnect'];
  return new ConnectionFaults(seed, { drop, repeat, reorder, cut, dropDisconnect, shuffle }, hold);
}
