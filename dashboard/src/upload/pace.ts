/** How fast an upload is, by what it has sent within the last seconds. */

export interface Pace {
  /** The oldest sample that counts. */
  readonly since: Sample;
  /** When it moved last. */
  readonly last: Sample;
  readonly samples: readonly Sample[];
}

interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Bytes. */
  readonly sent: number;
}

const WINDOW_MS = 10_000;
/** Samples nearer to each other say nothing more. */
const APART_MS = 250;

/** Without progress for this long, an upload stands still. */
const STANDS_STILL_MS = 3_000;

export function withProgress(pace: Pace | undefined, at: number, sent: number): Pace {
  const last = { at, sent };
  // A part that failed is sent again: what was sent decreases.
  if (!pace || sent < pace.last.sent) return { since: last, last, samples: [last] };
  const recent = pace.samples.filter((sample) => sample.at > at - WINDOW_MS);
  const newest = recent.at(-1);
  const isApart = newest === undefined || at - newest.at >= APART_MS;
  const samples = isApart ? [...recent, last] : recent;
  return { since: samples[0] ?? last, last, samples };
}

/** Bytes a second; undefined while too little is known. */
export function rateOf({ since, last }: Pace): number | undefined {
  const seconds = (last.at - since.at) / 1000;
  return seconds < 1 ? undefined : (last.sent - since.sent) / seconds;
}

/** Seconds; undefined while too little is known. */
export function secondsLeft(pace: Pace, total: number): number | undefined {
  const rate = rateOf(pace);
  return rate ? Math.ceil((total - pace.last.sent) / rate) : undefined;
}

export function standsStill({ last }: Pace, now: number): boolean {
  return now - last.at > STANDS_STILL_MS;
}
