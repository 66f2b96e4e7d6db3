/**
 * Rate expressions of EventBridge schedules. Cron expressions are refused: no template that the
 * emulator runs has one.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
import { UserError } from '../../errors/user-error';

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = {
  minute: MINUTE,
  hour: 60 * MINUTE,
  day: 24 * 60 * MINUTE,
};

/**
 * The interval of `rate(5 minutes)` in milliseconds. Throws UserError for any other expression;
 * `where` names the property in its message.
 */
export function parseRate(expression: string, where: string): number {
  const [, value, unit = ''] = /^rate\(([1-9]\d*) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const milliseconds = UNITS[unit];
  if (value === undefined || milliseconds === undefined) {
    throw new UserError(
      `${where}: the emulator supports rate(...) expressions only, not ${expression}`,
    );
  }
  return Number(value) * milliseconds;
}
