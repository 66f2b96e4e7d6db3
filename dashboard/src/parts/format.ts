/** Numbers and times as text for people. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `1.5 MiB`, with three digits. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  if (unit === 0) return value === 1 ? '1 byte' : `${value} bytes`;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const toTheMinute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const count = new Intl.NumberFormat('en-GB');

/** In the reader's time zone. */
export function timeText(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : dateTime.format(time);
}

/** Without seconds, for times that are known to the hour only. */
export function hourText(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : toTheMinute.format(time);
}

export function countText(value: number): string {
  return count.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${countText(value)} ${value === 1 ? one : many}`;
}
