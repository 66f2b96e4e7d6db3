import { UserError } from '../../../errors/user-error';
import { parseFaultList } from '../../fault-list';

/**
 * Behaviour that AWS's streams allow but seldom show, for tests. The random choices follow from the
 * seed.
 */
export interface StreamDisorder {
  readonly seed: number;
  /** The shards of a stream. Default: 4, with which AWS creates an on-demand table. */
  readonly shards?: number;
  /** Probability, 0 to 1, that a read begins with records that were read before. */
  readonly repeat?: number;
  /**
   * The largest delay of the records of a write, in milliseconds. Records of later writes may come
   * before them. The records of one write then come in random order.
   */
  readonly lateMilliseconds?: number;
}

/** The items of a write stay locked until its records are in the stream. */
const MAX_LATE_MILLISECONDS = 60_000;

const MAX_SHARDS = 64;
/** The number of shards with faults, as in the stream of a table that has grown. */
const FAULTY_SHARDS = 8;

/**
 * Parses an option of the command line such as `repeat=0.2,late=50,shards=8,seed=7`; `late` is in
 * milliseconds. Throws UserError naming the part that is invalid.
 */
export function parseStreamDisorder(text: string | undefined): StreamDisorder | undefined {
  if (text === undefined) return undefined;
  const largest = { repeat: 1, late: MAX_LATE_MILLISECONDS, shards: MAX_SHARDS };
  const { seed, repeat, late, shards = FAULTY_SHARDS } = parseFaultList(text, 'streams', largest);
  if (!Number.isInteger(shards) || shards < 1) {
    throw new UserError(`shards=${shards} is not a number of shards: use 1 to ${MAX_SHARDS}`);
  }
  return { seed, shards, repeat, lateMilliseconds: late };
}
