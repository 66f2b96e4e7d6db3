/**
 * The request counts of a key as bars of a chart: by hour for up to two days, by day for longer
 * periods. Pure functions.
 */
import type { UsageHour } from '../api/admin';

export const CLASSES = ['read', 'write', 'list', 'sign', 'wait', 'connect', 'limited'] as const;

export type UsageClass = (typeof CLASSES)[number];

export const CLASS_WORDS: Readonly<Record<UsageClass, string>> = {
  read: 'Reads',
  write: 'Writes and deletes',
  list: 'Lists',
  sign: 'Signed URLs',
  wait: 'Long polls',
  connect: 'Channels opened',
  limited: 'Refused by the limit',
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Reports whether a bar stands for an hour, as opposed to a day. */
export function isByHour(days: number): boolean {
  return days <= 2;
}

/** Returns when the first of the last `days` days began, in UTC, counting today. */
export function firstDay(days: number, now: number): number {
  return Math.floor(now / DAY) * DAY - (days - 1) * DAY;
}

export interface UsageBar {
  /** When the hour or day of the bar begins. */
  readonly at: Date;
  readonly counts: Readonly<Record<UsageClass, number>>;
}

/**
 * Returns a bar for each hour or day up to `now` (epoch milliseconds), also for those without
 * requests.
 */
export function barsOf(
  hours: readonly UsageHour[],
  days: number,
  now: number,
): readonly UsageBar[] {
  const step = isByHour(days) ? HOUR : DAY;
  const first = firstDay(days, now);
  const count = Math.floor((now - first) / step) + 1;
  const bars = Array.from({ length: count }, (_, index) => ({
    at: new Date(first + index * step),
    counts: { read: 0, write: 0, list: 0, sign: 0, wait: 0, connect: 0, limited: 0 },
  }));
  for (const hour of hours) {
    const bar = bars[Math.floor((Date.parse(hour.hour) - first) / step)];
    if (bar) for (const name of CLASSES) bar.counts[name] += hour[name];
  }
  return bars;
}

export function totalsOf(bars: readonly Pick<UsageBar, 'counts'>[]): UsageBar['counts'] {
  const total = (name: UsageClass) => bars.reduce((sum, { counts }) => sum + counts[name], 0);
  return {
    read: total('read'),
    write: total('write'),
    list: total('list'),
    sign: total('sign'),
    wait: total('wait'),
    connect: total('connect'),
    limited: total('limited'),
  };
}

/** Returns the number of requests of every kind, without the refused ones. */
export function admittedOf(totals: UsageBar['counts']): number {
  return CLASSES.reduce((sum, name) => sum + totals[name], 0) - totals.limited;
}
