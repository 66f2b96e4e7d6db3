/**
 * The items of the Rates table. The item of a key holds `full_{class}` (see TokenLease),
 * `used_{class}` and `used_limited` (counts of the hour `last_used_at`), and `changed_at`. The item
 * of a key and a day, `{key}#2026-11-20`, holds a map of counts for each hour of that day.
 */

import type { HourUsage, KeyUse, UsageCounts } from '../../../core/access/ports';
import { RATE_CLASSES, type RateClass } from '../../../core/limits';
import type { Fields, Item } from './attributes';

/** Days after which the counts of an hour are deleted. */
const USAGE_DAYS = 90;

/**
 * Days without use after which the item of a key is deleted. If the key is used again, its buckets
 * are full.
 */
const IDLE_DAYS = 400;

export const COUNTED = [...RATE_CLASSES, 'limited'] as const;

export type Counted = (typeof COUNTED)[number];

export const fullOf = (name: RateClass) => `full_${name}`;
export const usedOf = (name: Counted) => `used_${name}`;

/** The beginning of the hour, ISO 8601 UTC. */
export function hourOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 13)}:00:00.000Z`;
}

export function keyTtl(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000) + IDLE_DAYS * 86_400;
}

export function dayKey(keyId: string, day: string): Fields {
  return { key_id: `${keyId}#${day}` };
}

/** Day and attribute under which the counts of a past hour are stored. */
export function hourAttribute(hour: string): { day: string; attribute: string; ttl: number } {
  const ttl = Math.ceil(Date.parse(hour) / 1000) + USAGE_DAYS * 86_400;
  return { day: hour.slice(0, 10), attribute: `hour_${hour.slice(11, 13)}`, ttl };
}

export function numberOf(item: Item | undefined, attribute: string): number | undefined {
  const value = item?.[attribute]?.N;
  return value === undefined ? undefined : Number(value);
}

/** Returns undefined when the key was changed, but never used. */
export function useOf(item: Item | undefined): KeyUse | undefined {
  const lastUsedAt = item?.last_used_at?.S;
  if (lastUsedAt === undefined) return undefined;
  const counts = COUNTED.flatMap((name) => {
    const value = numberOf(item, usedOf(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return { lastUsedAt, counts: Object.fromEntries(counts) };
}

/** The hours of the item of a day, in any order. */
export function hoursOf(item: Item, day: string): HourUsage[] {
  return Object.keys(item)
    .filter((attribute) => attribute.startsWith('hour_'))
    .map((attribute) => ({
      hour: `${day}T${attribute.slice(5)}:00:00.000Z`,
      counts: countsOf(item[attribute]?.M ?? {}),
    }));
}

function countsOf(map: Item): UsageCounts {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, Number(value.N)]));
}
