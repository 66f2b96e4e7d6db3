/** Calls of ports that meet the limits of AWS, and what the adapters make of a refusal. */
import { TRANSACTION_MS } from '../limits/aws-limits';
import type { SeededRandom } from '../machine/random';
import { CallError } from './call-error';
import type { Simulation } from './simulation';

/** The environment that makes the call. */
export interface Pausing {
  readonly simulation: Pick<Simulation, 'limits'>;
  readonly random: SeededRandom;
  pause(milliseconds: number): Promise<void>;
}

export interface LimitedCall {
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** The outcome of a transaction that was cancelled, although none of its conditions failed. */
export const CONTENDED = { result: 'refused', changed: false, settled: false, isDuplicate: false };

/** The same, when DynamoDB throttled one of its writes. */
const THROTTLED = { ...CONTENDED, isThrottled: true };

/** As `pastConflicts` of the adapters repeats a single write. */
const CONFLICT_ATTEMPTS = 7;
const CONFLICT_WAIT_MS = 10;

/** What a caller gets whose call a limit refuses; undefined: none does. */
export async function refusedByLimits(
  environment: Pausing,
  { name, parameters }: LimitedCall,
): Promise<unknown> {
  const { limits } = environment.simulation;
  const isCommit = name === 'commits.commit';
  for (let conflicts = 1; ; conflicts++) {
    const refusal = limits?.refusalOf(name, parameters);
    if (refusal === undefined) break;
    if (isCommit) return refusal === 'throttled' ? THROTTLED : CONTENDED;
    if (refusal === 'throttled') {
      if (name === 'channels.post') return 'busy';
      throw new CallError('ThrottlingException', 400);
    }
    if (conflicts === CONFLICT_ATTEMPTS) {
      throw new CallError('TransactionConflictException', 400);
    }
    await environment.pause(environment.random.next() * CONFLICT_WAIT_MS * 2 ** conflicts);
  }
  if (isCommit) {
    limits?.hold(parameters);
    await environment.pause(TRANSACTION_MS);
  }
  return undefined;
}
