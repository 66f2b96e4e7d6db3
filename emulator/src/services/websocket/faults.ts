/** Injects the faults of networks and of API Gateway that do not occur on one machine. */

import { UserError } from '../../errors/user-error';
import { randomNumbers } from '../../values/random-numbers';

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

const NAMES: ReadonlyMap<string, FaultKind> = new Map([
  ['drop', 'drop'],
  ['repeat', 'repeat'],
  ['reorder', 'reorder'],
  ['cut', 'cut'],
  ['drop-disconnect', 'dropDisconnect'],
  ['shuffle', 'shuffle'],
]);

/**
 * Parses the option `drop=0.2,cut=0.001,hold=100,seed=7`; `hold` is in milliseconds. Throws
 * UserError that names the invalid part.
 */
export function parseFaults(text: string | undefined): ConnectionFaults | undefined {
  if (text === undefined) return undefined;
  const rates: { -readonly [kind in FaultKind]?: number } = {};
  let seed = 1;
  let hold: number | undefined;
  for (const part of text.split(',')) {
    const [name = '', value = '', ...more] = part.split('=');
    const number = Number(value);
    const kind = NAMES.get(name);
    const valid = /^\d+(\.\d+)?$/.test(value) && more.length === 0;
    if (valid && kind !== undefined && number <= 1) rates[kind] = number;
    else if (valid && name === 'seed') seed = number;
    else if (valid && name === 'hold') hold = number;
    else {
      const names = [...NAMES.keys()].join(', ');
      throw new UserError(`no fault: ${part}; there are ${names} (0 to 1), hold and seed`);
    }
  }
  return new ConnectionFaults(seed, rates, hold);
}
