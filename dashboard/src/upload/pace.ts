/** The speed of an upload, from the bytes that it sent in the last seconds. */

export interface Pace {
  /** The oldest sample that counts. */
  readonly since: Sample;
  /** The last time at which bytes were sent. */
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
/** Minimum time between two samples. */
const APART_MS = 250;

/** Time without progress after which an upload counts as stalled. */
const STANDS_STILL_MS = 3_000;

export function withProgress(pace: Pace | undefined, at: number, sent: number): Pace {
  const last = { at, sent };
  // The number of sent bytes decreases when a failed part is sent again.
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
