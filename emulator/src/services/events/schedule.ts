/**
 * EventBridge's schedule expressions, in UTC.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * Left out of cron and refused: L, W and #.
 */
import { UserError } from '../../user-error';

export interface Schedule {
  /**
   * The first time after `after` at which it is due. Both epoch milliseconds. undefined: never
   * again.
   */
  next(after: number): number | undefined;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const UNITS: Readonly<Record<string, number>> = {
  minute: MINUTE,
  hour: 60 * MINUTE,
  day: DAY,
};
/** Cron expressions are searched this far ahead: two leap days are at most eight years apart. */
const HORIZON_DAYS = 8 * 366 + 1;

/** `rate(5 minutes)` or `cron(0 3 * * ? *)`. `where` names the place for the UserError. */
export function parseSchedule(expression: string, where: string): Schedule {
  const [, value, unit] = /^rate\(([1-9]\d*) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const [, cron] = /^cron\((.+)\)$/.exec(expression) ?? [];
  if (value !== undefined && unit !== undefined) {
    const interval = Number(value) * (UNITS[unit] ?? MINUTE);
    return { next: (after) => after + interval };
  }
  if (cron === undefined) throw new UserError(`${where}: not a schedule expression: ${expression}`);
  return parseCron(cron.split(/\s+/), where);
}

interface Field {
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const FIELDS = {
  minute: { first: 0, last: 59 },
  hour: { first: 0, last: 23 },
  day: { first: 1, last: 31 },
  month: {
    first: 1,
    last: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  weekday: { first: 1, last: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
  year: { first: 1970, last: 2199 },
} as const satisfies Record<string, Field>;

function parseCron(parts: readonly string[], where: string): Schedule {
  if (parts.length !== 6)
    throw new UserError(`${where}: cron takes six fields, got ${parts.length}`);
  const [minutes, hours, days, months, weekdays, years] = Object.values(FIELDS).map(
    (field, index) => parseField(parts[index] ?? '', field, where),
  ) as [Matcher, Matcher, Matcher, Matcher, Matcher, Matcher];
  const onDay = (date: Date) =>
    years(date.getUTCFullYear()) &&
    months(date.getUTCMonth() + 1) &&
    days(date.getUTCDate()) &&
    weekdays(date.getUTCDay() + 1);
  return {
    next(after) {
      const start = Math.floor(after / MINUTE) * MINUTE + MINUTE;
      const midnight = Math.floor(start / DAY) * DAY;
      for (let offset = 0; offset < HORIZON_DAYS; offset++) {
        const day = midnight + offset * DAY;
        if (!onDay(new Date(day))) continue;
        for (let minute = 0; minute < 24 * 60; minute++) {
          const time = day + minute * MINUTE;
          if (time >= start && hours(Math.floor(minute / 60)) && minutes(minute % 60)) return time;
        }
      }
      return undefined;
    },
  };
}

type Matcher = (value: number) => boolean;

// A list of `*`, `?`, `7`, `1-5`, `0/15`, `MON-FRI`; a star may have a step as well.
function parseField(text: string, field: Field, where: string): Matcher {
  const allowed = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [from, to = from] = range.split('-').map((bound) => number(bound, field));
    const everything = range === '*' || range === '?';
    const first = everything ? field.first : from;
    const last = everything || (step !== undefined && !range.includes('-')) ? field.last : to;
    const every = Number(step ?? 1);
    const valid =
      first !== undefined && last !== undefined && first >= field.first && last <= field.last;
    if (!valid || first > last || every < 1) {
      throw new UserError(`${where}: the local runtime does not know the cron field ${text}`);
    }
    for (let value = first; value <= last; value += every) allowed.add(value);
  }
  return (value) => allowed.has(value);
}

function number(text: string, field: Field): number | undefined {
  const name = field.names?.indexOf(text.toUpperCase()) ?? -1;
  if (name >= 0) return field.first + name;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
