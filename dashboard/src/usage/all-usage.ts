/** The usage of several keys together. */
import type { AdminApi, ApiKey, UsageHour } from '../api/admin';
import { concurrently } from '../parts/concurrently';
import { firstDay } from './usage-series';

/** Requests at the same time: far below the rate limit of the administration. */
const REQUESTS_AT_ONCE = 6;

/** Most keys whose usage is read: each costs a request. */
const MOST_KEYS = 200;

export interface KeyHours {
  readonly key: ApiKey;
  readonly hours: readonly UsageHour[];
}

export interface AllUsage {
  readonly keys: readonly KeyHours[];
  /** Number of further keys that were used in the period. */
  readonly leftOut: number;
}

/** Returns the keys that were used in the last `days` days, the most recently used first. */
function usedKeys(keys: readonly ApiKey[], days: number, now: number): readonly ApiKey[] {
  const first = firstDay(days, now);
  const at = ({ last_used_at: time }: ApiKey) => (time === undefined ? -1 : Date.parse(time));
  return keys.filter((key) => at(key) >= first).toSorted((a, b) => at(b) - at(a));
}

/** Reads the usage of the keys that were used in the period, with one request for each. */
export async function readAllUsage(
  admin: AdminApi,
  keys: readonly ApiKey[],
  days: number,
  signal: AbortSignal,
): Promise<AllUsage> {
  const used = usedKeys(keys, days, Date.now());
  const read = used.slice(0, MOST_KEYS);
  const found = await concurrently(read, REQUESTS_AT_ONCE, async (key) => ({
    key,
    hours: await admin.usage(key.id, days, signal),
  }));
  return { keys: found, leftOut: used.length - read.length };
}
