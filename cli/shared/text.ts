/** Texts for people: sizes, times, and keys without commands for the terminal. */

/** Escapes what hides how a text is read: a key may contain commands for the terminal. */
export { shownText as shown } from '../../core/hidden';

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Formats bytes with two to four digits: `5 B`, `1.2 KiB`, `340 MiB`. */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 'B';
  for (const next of UNITS) {
    if (size < 1000) break;
    size /= 1024;
    unit = next;
  }
  return `${unit === 'B' || size >= 100 ? Math.round(size) : size.toFixed(1)} ${unit}`;
}

/** Formats seconds as `9 s`, `2 min 5 s` or `3 h 20 min`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** `1 object`, `2 objects`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A time of the service without its fraction: `2026-11-22 03:00:00Z`. */
export function timeText(time: string): string {
  return time.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
