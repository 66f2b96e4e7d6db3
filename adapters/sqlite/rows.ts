import type { Clock } from '../../core/system';
import type { Row } from './database';

/** Returns the text of a value; fields that are undefined are left out. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Returns the value of a column of JSON, or undefined when there is no row. */
export function parsed<T>(row: Row | undefined, column = 'record'): T | undefined {
  return row === undefined ? undefined : JSON.parse(String(row[column]));
}

/** Returns the value of a column of JSON in each row. */
export function parsedAll<T>(rows: readonly Row[], column = 'record'): T[] {
  return rows.map((row) => JSON.parse(String(row[column])));
}

/** Returns the page of the first `limit` items, of which one more was read. */
export function pageOf<T>(items: readonly T[], limit: number) {
  return { items: items.slice(0, limit), more: items.length > limit };
}

/** Epoch seconds. */
export function secondsNow(clock: Pick<Clock, 'now'>): number {
  return Math.floor(clock.now() / 1000);
}

/** Epoch seconds of a time in ISO 8601. */
export function secondsAt(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
