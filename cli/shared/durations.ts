/** Times and durations as users write them. */
import { timeIn } from '../../core/times';
import { UsageError } from './errors';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parses `90s`, `15m`, `12h`, `7d` or `2w` into seconds. Throws UsageError. */
export function duration(option: string): (text: string) => number {
  return (text) => {
    const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
    if (Number(count) > 0) return Number(count) * (UNITS[unit] ?? 1);
    throw new UsageError(`${option} must be a duration such as 90s, 15m, 12h or 7d, got ${text}`);
  };
}

/** Returns the time that many seconds from now. Throws UsageError beyond the year 9999. */
export function timeAfter(seconds: number, option: string): string {
  const time = new Date(Date.now() + seconds * 1000);
  if (time.getUTCFullYear() <= 9999) return time.toISOString();
  throw new UsageError(`${option} must end before the year 10000: name a shorter time`);
}

/** A cursor, or a moment in milliseconds since the epoch. */
export type Moment = { readonly cursor: number } | { readonly time: number };

/**
 * Parses a cursor, a time with its zone (`2026-11-22T03:00:00Z`), or a duration before now (`2h`).
 * Throws UsageError. A time without a zone would mean other moments on other machines.
 */
export function moment(option: string): (text: string) => Moment {
  return (text) => {
    if (/^\d{1,15}$/.test(text)) return { cursor: Number(text) };
    if (/^\d+[smhdw]$/.test(text)) return { time: Date.now() - duration(option)(text) * 1000 };
    const time = timeIn(text);
    if (time !== undefined) return { time: Date.parse(time) };
    throw new UsageError(
      `${option} must be a cursor, a time such as 2026-11-22T03:00:00Z, or 2h for two hours ago, ` +
        `got ${text}`,
    );
  };
}
