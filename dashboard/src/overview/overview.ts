/** What the overview shows: numbers that the service keeps anyway. Nothing is scanned for it. */
import { StowageError } from '../../../client/errors';
import type { ApiKey } from '../api/admin';
import type { Bucket, Consumer, StorageApi } from '../api/storage';
import { allPages } from '../parts/all-pages';
import { concurrently } from '../parts/concurrently';
import { countText, durationText, plural } from '../parts/format';
import { hrefOf } from '../parts/navigation';
import type { AllUsage } from '../usage/all-usage';
import { admittedOf, barsOf, totalsOf } from '../usage/usage-series';

/** Number of buckets whose consumers are read: each costs a request. */
export const MOST_FOLLOWED = 20;

const REQUESTS_AT_ONCE = 4;

export interface BucketConsumers {
  readonly bucket: string;
  readonly consumers: readonly Consumer[];
}

/** Reads the consumers of the first buckets. A bucket that no longer exists has none. */
export function readConsumers(
  storage: StorageApi,
  buckets: readonly Bucket[],
  signal: AbortSignal,
): Promise<readonly BucketConsumers[]> {
  return concurrently(buckets.slice(0, MOST_FOLLOWED), REQUESTS_AT_ONCE, async ({ name }) => {
    try {
      const page = await allPages((next) => storage.consumers(name, next, signal), signal);
      return { bucket: name, consumers: page.items };
    } catch (error) {
      if (!(error instanceof StowageError) || error.code !== 'not_found') throw error;
      return { bucket: name, consumers: [] };
    }
  });
}

/** Returns the sum over all buckets, or undefined if the service does not report it for each. */
export function totalOf(
  buckets: readonly Bucket[],
  field: 'object_count' | 'total_size',
): number | undefined {
  const known = buckets.map((bucket) => bucket[field]);
  if (known.includes(undefined)) return undefined;
  return known.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** Returns the number of requests of all keys today, without the refused ones. */
export function requestsToday(usage: AllUsage, now: number): number {
  const hours = usage.keys.flatMap((key) => key.hours);
  return admittedOf(totalsOf(barsOf(hours, 1, now)));
}

/** Lag from which a consumer needs attention. */
const LATE_SECONDS = 300;

/** Days before its expiry from which a key needs attention. */
const SOON_DAYS = 7;

export interface Concern {
  readonly text: string;
  readonly href: string;
  readonly isError?: boolean;
}

/** Returns what needs attention, the worst first. */
export function concernsOf(
  facts: {
    readonly keys?: readonly ApiKey[];
    readonly usage?: AllUsage;
    readonly consumers?: readonly BucketConsumers[];
  },
  now: number,
): readonly Concern[] {
  const { keys = [], usage, consumers = [] } = facts;
  const followers = consumers.flatMap(({ bucket, consumers: of }) =>
    of.map((consumer) => ({ bucket, consumer })),
  );
  const lost = followers.filter(({ consumer }) => consumer.behind_retention);
  const late = followers
    .filter(({ consumer }) => !consumer.behind_retention && consumer.lag_seconds >= LATE_SECONDS)
    .toSorted((a, b) => b.consumer.lag_seconds - a.consumer.lag_seconds);
  const limited = (usage?.keys ?? [])
    .map(({ key, hours }) => ({ key, refused: hours.reduce((sum, hour) => sum + hour.limited, 0) }))
    .filter(({ refused }) => refused > 0)
    .toSorted((a, b) => b.refused - a.refused);
  const ending = keys.filter(({ state, expires_at: end }) => {
    const remaining = Date.parse(end ?? '') - now;
    return state === 'active' && remaining > 0 && remaining < SOON_DAYS * 86_400_000;
  });
  return [
    ...lost.map(({ bucket, consumer }) => ({
      text: `The follower ${consumer.name} of ${bucket} has to start over: changes that it has not read are no longer kept.`,
      href: hrefOf({ page: 'changes', bucket }),
      isError: true,
    })),
    ...late.map(({ bucket, consumer }) => ({
      text: `The follower ${consumer.name} of ${bucket} is behind by ${plural(consumer.lag, 'change')}, ${durationText(consumer.lag_seconds)}.`,
      href: hrefOf({ page: 'changes', bucket }),
    })),
    ...limited.map(({ key, refused }) => ({
      text: `${countText(refused)} requests of the key ${key.name} were refused today by its rate limit.`,
      href: hrefOf({ page: 'key', id: key.id }),
    })),
    ...ending.map((key) => ({
      text: `The key ${key.name} expires in ${durationText(Math.floor((Date.parse(key.expires_at ?? '') - now) / 1000))}.`,
      href: hrefOf({ page: 'key', id: key.id }),
    })),
  ];
}

/** Returns the consumer that is furthest behind; undefined: the bucket has no consumers. */
export function slowest(consumers: readonly Consumer[]): Consumer | undefined {
  return consumers.toSorted((a, b) => b.lag_seconds - a.lag_seconds || b.lag - a.lag)[0];
}

/** Returns commands for a terminal: the first steps with the service at the address `root`. */
export function firstSteps(root: string): string {
  const base = root.replace(/\/$/, '');
  return [
    `export STOWAGE_URL=${base}`,
    'export STOWAGE_KEY=osk_…                     # create one under API keys',
    'AUTH="Authorization: Bearer $STOWAGE_KEY"',
    '',
    `curl -H "$AUTH" "$STOWAGE_URL/api/v2/storage/buckets" -d '{"name": "photos"}'`,
    'curl -H "$AUTH" -T cat.jpg "$STOWAGE_URL/api/v2/storage/objects/photos/2026/cat.jpg"',
    'curl -H "$AUTH" "$STOWAGE_URL/api/v2/storage/objects/photos?prefix=2026/"',
    'curl -H "$AUTH" -o copy.jpg "$STOWAGE_URL/api/v2/storage/objects/photos/2026/cat.jpg"',
    'curl -H "$AUTH" "$STOWAGE_URL/api/v2/storage/sync?bucket=photos&cursor=0"   # every change',
  ].join('\n');
}
