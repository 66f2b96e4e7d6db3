import { UserError } from '../../../user-error';

/** What AWS's streams may do and seldom do, for tests; by chance that follows from the seed. */
export interface StreamDisorder {
  readonly seed: number;
  /** Probability, 0 to 1, that a read begins with records that were read before. */
  readonly repeat?: number;
  /**
   * Milliseconds, at most, that the records of a write come late, so that they mingle with others;
   * and in any order among themselves.
   */
  readonly lateMilliseconds?: number;
}

/** Later than this no stream is; and a write's items stay locked for so long. */
const MAX_LATE_MILLISECONDS = 60_000;

/**
 * From the command line: `repeat=0.2,late=50,seed=7`; `late` is in milliseconds. Throws UserError
 * naming the part that is none.
 */
export function parseStreamDisorder(text: string | undefined): StreamDisorder | undefined {
  if (text === undefined) return undefined;
  const rates = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name = '', value] = /^(repeat|late|seed)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    const number = Number(value);
    const most = { repeat: 1, late: MAX_LATE_MILLISECONDS }[name] ?? Number.MAX_SAFE_INTEGER;
    if (!(number <= most)) {
      throw new UserError(
        `no fault: ${part}; there are repeat (0 to 1), late (milliseconds, at most ${MAX_LATE_MILLISECONDS}) and seed`,
      );
    }
    rates.set(name, number);
  }
  return {
    seed: rates.get('seed') ?? 1,
    repeat: rates.get('repeat'),
    lateMilliseconds: rates.get('late'),
  };
}
