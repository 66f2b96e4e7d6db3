/** The requests of a key, by hour. */
import { isApiKeyId } from '../../core/access/api-key';
import { invalid } from '../../core/errors';
import { jsonResponse } from '../http/response';
import type { AdminDeps, AdminOperation } from './deps';
import { hourView } from './views';

const DAY = 86_400_000;
const MAX_DAYS = 90;
const DEFAULT_DAYS = 7;

/** AWS calls: those of Rates.usage. */
export const handleGetUsage =
  (deps: AdminDeps): AdminOperation<'usage'> =>
  async (request) => {
    const keyId = request.query('key_id') ?? '';
    if (!isApiKeyId(keyId)) throw invalid('key_id', 'must be the id of a key');
    const days = daysOf(request.query('days'), deps.clock.now());
    const hours = await deps.rates.usage(keyId, days);
    return jsonResponse(200, {
      key_id: keyId,
      from: days[0],
      to: days.at(-1),
      hours: hours.map(hourView),
    });
  };

/** The last `value` days in UTC, such as `2026-11-20`: oldest first, today included. */
function daysOf(value: string | undefined, now: number): string[] {
  const count = value === undefined ? DEFAULT_DAYS : /^\d{1,2}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > MAX_DAYS) {
    throw invalid('days', `must be a whole number from 1 to ${MAX_DAYS}`);
  }
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY).toISOString().slice(0, 10),
  );
}
