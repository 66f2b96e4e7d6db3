import { UserError } from '../../../errors/user-error';

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
  const rates = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name = '', value] = /^(repeat|late|shards|seed)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    const number = Number(value);
    const most =
      { repeat: 1, late: MAX_LATE_MILLISECONDS, shards: MAX_SHARDS }[name] ??
      Number.MAX_SAFE_INTEGER;
    const isCount = name !== 'shards' || (Number.isInteger(number) && number >= 1);
    if (!(number <= most) || !isCount) {
      throw new UserError(
        `${part} is not a fault of streams: use repeat (0 to 1), late (milliseconds, at most ${MAX_LATE_MILLISECONDS}), shards (1 to ${MAX_SHARDS}) and seed`,
      );
    }
    rates.set(name, number);
  }
  return {
    seed: rates.get('seed') ?? 1,
    shards: rates.get('shards') ?? FAULTY_SHARDS,
    repeat: rates.get('repeat'),
    lateMilliseconds: rates.get('late'),
  };
}
