import { parseSchedule } from '../../src/services/events/schedule';
import { UserError } from '../../src/user-error';

const next = (expression: string, after: string) => {
  const time = parseSchedule(expression, 'Rule').next(Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString();
};

test.each<[string, string, string | undefined]>([
  ['rate(1 minute)', '2026-01-01T00:00:30.000Z', '2026-01-01T00:01:30.000Z'],
  ['rate(2 hours)', '2026-01-01T00:00:00.000Z', '2026-01-01T02:00:00.000Z'],
  ['rate(1 day)', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  ['cron(0 3 * * ? *)', '2026-01-01T03:00:00.000Z', '2026-01-02T03:00:00.000Z'],
  ['cron(0 3 * * ? *)', '2026-01-01T02:59:59.999Z', '2026-01-01T03:00:00.000Z'],
  ['cron(0/15 * * * ? *)', '2026-01-01T00:15:00.000Z', '2026-01-01T00:30:00.000Z'],
  ['cron(*/20 * * * ? *)', '2026-01-01T00:41:00.000Z', '2026-01-01T01:00:00.000Z'],
  ['cron(5,10 8-9 * * ? *)', '2026-01-01T08:10:00.000Z', '2026-01-01T09:05:00.000Z'],
  ['cron(0 0 1 * ? *)', '2026-01-31T12:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  // 2 January 2026 is a Friday.
  ['cron(0 0 ? * MON-FRI *)', '2026-01-02T00:00:00.000Z', '2026-01-05T00:00:00.000Z'],
  ['cron(0 0 ? * 1 *)', '2026-01-02T00:00:00.000Z', '2026-01-04T00:00:00.000Z'],
  ['cron(0 0 29 FEB ? *)', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ['cron(0 0 1 1 ? 2025)', '2026-01-01T00:00:00.000Z', undefined],
  ['cron(0 0 30 2 ? *)', '2026-01-01T00:00:00.000Z', undefined],
])('%s after %s is due at %s', (expression, after, expected) => {
  expect(next(expression, after)).toBe(expected);
});

test.each([
  'rate(0 minutes)',
  'rate(1 week)',
  'rate(1.5 hours)',
  'every minute',
  'cron(0 3 * * ?)',
  'cron(60 3 * * ? *)',
  'cron(0 3 L * ? *)',
  'cron(0 3 ? * MON#2 *)',
  'cron(0 5-3 * * ? *)',
  'cron(0/0 3 * * ? *)',
  'cron(a 3 * * ? *)',
])('refuses %s', (expression) => {
  expect(() => parseSchedule(expression, 'Rule.ScheduleExpression')).toThrow(UserError);
});
