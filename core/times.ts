/** Times as people and programs write them, and as records keep them. */
import { invalid } from './errors';

/** RFC 3339 §5.6; seconds may be left out. It takes February 29 in every year. */
export const DATE_TIME =
  /^\d{4}-(02-(0[1-9]|[12]\d)|(0[469]|11)-(0[1-9]|[12]\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\d|3[01]))T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const FORM = '2027-01-31T12:00:00.000Z';

/**
 * Returns the time in UTC with milliseconds, or undefined when the value is not a time in RFC 3339,
 * its day does not exist, or its year in UTC is not one of 0000 to 9999: other years have another
 * form, which sorts elsewhere.
 */
export function timeIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DATE_TIME.test(value)) return undefined;
  const day = value.slice(0, 10);
  // Date takes February 30 for March 2.
  if (new Date(day).toISOString().slice(0, 10) !== day) return undefined;
  const time = new Date(value).toISOString();
  return time.length === FORM.length ? time : undefined;
}

/** Returns the time in UTC with milliseconds. Throws invalid_request. */
export function parseTime(value: unknown, field: string): string {
  const time = timeIn(value);
  if (time !== undefined) return time;
  throw invalid(
    field,
    'must be a time of a day that exists, with its zone and until the end of 9999, such as ' +
      '2027-01-31T12:00:00Z',
  );
}

/**
 * Throws invalid_request for a time that is not in the future. `now`: epoch milliseconds. Apart
 * from parsing, because a repeated request gets its first response even if the time is over by
 * then.
 */
export function requireFuture(time: string | null | undefined, now: number, field: string): void {
  if (typeof time !== 'string' || Date.parse(time) > now) return;
  throw invalid(field, 'must lie in the future');
}

/** Returns the earlier time. Times beyond 9999, which a stored key may have, sort otherwise. */
export function earlier(one: string, other: string): string {
  return Date.parse(one) < Date.parse(other) ? one : other;
}

/** Returns the later time. */
export function later(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other;
}
