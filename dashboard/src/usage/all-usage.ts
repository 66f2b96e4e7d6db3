/** The usage of several keys together. */
import type { AdminApi, ApiKey, UsageHour } from '../api/admin';
import { concurrently } from '../parts/concurrently';
import { firstDay } from './usage-series';

/** Far below the rate of the administration, which all its users share. */
const REQUESTS_AT_ONCE = 6;

/** More keys than a person compares; each costs a request. */
const MOST_KEYS = 200;

export interface KeyHours {
  readonly key: ApiKey;
  readonly hours: readonly UsageHour[];
}

export interface AllUsage {
  readonly keys: readonly KeyHours[];
  /** Keys that were used in the time too, and are not in `keys`. */
  readonly leftOut: number;
}

/** The keys that were used in the last `days` days, the most recently used ones first. */
function usedKeys(keys: readonly ApiKey[], days: number, now: number): readonly ApiKey[] {
  const first = firstDay(days, now);
  const at = ({ last_used_at: time }: ApiKey) => (time === undefined ? -1 : Date.parse(time));
  return keys.filter((key) => at(key) >= first).toSorted((a, b) => at(b) - at(a));
}

/** Reads the usage of the keys that were used in the time: a request for each, none for others. */
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
