/** What a network and API Gateway may do to messages and never do on one machine. */

import { randomNumbers } from '../../random-numbers';
import { UserError } from '../../user-error';

/** Probabilities from 0 to 1; what is absent does not happen. */
export interface FaultRates {
  /** A post is answered 200 and never delivered. */
  readonly drop?: number;
  /** A post is delivered twice. */
  readonly repeat?: number;
  /** A delivery is held back, so that later ones overtake it. */
  readonly reorder?: number;
  /** At a message either way, the connection is cut without a close frame; the message is lost. */
  readonly cut?: number;
  /** The function does not hear of the end of a connection. */
  readonly dropDisconnect?: number;
  /** A client's message is held back, so that later ones overtake it. */
  readonly shuffle?: number;
}

export type FaultKind = keyof FaultRates;

/** Faults by chance: the same seed and the same messages give the same faults. */
export class ConnectionFaults {
  /** How often each kind has happened. */
  readonly fired = new Map<FaultKind, number>();
  private readonly random: () => number;

  constructor(
    seed: number,
    /** May be replaced at any time. */
    public rates: FaultRates = {},
    /** Milliseconds that a message is held back at most. */
    public hold = 50,
  ) {
    this.random = randomNumbers(seed);
  }

  /** Does it happen now? */
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
 * From the command line: `drop=0.2,cut=0.001,hold=100,seed=7`; `hold` is in milliseconds. Throws
 * UserError naming the part that is none.
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
