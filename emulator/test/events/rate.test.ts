import { UserError } from '../../src/errors/user-error';
import { parseRate } from '../../src/services/events/rate';

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(2 hours)', 7_200_000],
  ['rate(1 day)', 86_400_000],
])('%s is %i milliseconds', (expression, expected) => {
  expect(parseRate(expression, 'Rule')).toBe(expected);
});

test.each(['rate(0 minutes)', 'rate(1 week)', 'rate(1.5 hours)', 'every minute'])(
  'refuses %s',
  (expression) => {
    expect(() => parseRate(expression, 'Rule.ScheduleExpression')).toThrow(UserError);
  },
);

test('refuses a cron expression with the property and the expression in the message', () => {
  expect(() => parseRate('cron(0 3 * * ? *)', 'Rule.ScheduleExpression')).toThrow(
    new UserError(
      'Rule.ScheduleExpression: the emulator supports rate(...) expressions only, not cron(0 3 * * ? *)',
    ),
  );
});
