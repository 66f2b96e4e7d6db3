/**
 * Moves buckets to another service while they are in use: copies what their lists show, and then
 * applies their changes since then, for as long as it is wanted.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../../client/retry';
import { UserError } from '../shared/errors';
import { copyAgain, copyObjects, copyRules, prepareBucket } from './copy-bucket';
import { follow } from './follow';
import type { Migration } from './options';
import { verifyBucket } from './verify';

/** How often it looks whether the changes are applied. */
const LOOK_MS = 50;

/** Intervals after which it says again that it has caught up, when nothing has changed. */
const QUIET_INTERVALS = 6;

/** Attempts for a request while errors are temporary: they last minutes. */
const ATTEMPTS = 20;

/** Throws UserError when something could not be copied, and the reason of the signal. */
export async function migrate(migration: Migration): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([migration.signal, stop.signal]);
  setMaxListeners(0, signal);
  const followers: Promise<void>[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    stop.abort(error);
  };
  const start: Start = (buckets, newer) => {
    followers.push(follow(migration, buckets, newer, signal).catch(fail));
  };
  const buckets = await keepUp({ ...migration, signal }, start).catch(fail);
  stop.abort();
  // Changes that are being applied are applied to their end.
  await Promise.all(followers);
  if (failures.length > 0) throw failures[0];
  if (migration.options.once) await verify(migration, buckets ?? []);
}

type Start = (buckets: readonly string[], newer: Map<string, ReadonlyMap<string, number>>) => void;

/** Returns the buckets, with `once` when all of them have caught up. */
async function keepUp(migration: Migration, start: Start): Promise<readonly string[]> {
  const { options, following, report, signal, state } = migration;
  const repeated = <T>(work: () => Promise<T>) =>
    retry(work, { signal, random: Math.random, maxAttempts: ATTEMPTS });
  let printed = '';
  let quiet = 0;
  for (;;) {
    const at = new Date().toISOString();
    const buckets = await repeated(() => bucketsOf(migration));
    const fresh = buckets.filter((bucket) => !following.has(bucket));
    const newer = new Map<string, ReadonlyMap<string, number>>();
    for (const bucket of fresh) await repeated(() => prepareBucket(migration, bucket));
    for (const bucket of buckets) await repeated(() => copyRules(migration, bucket));
    for (const bucket of fresh) {
      newer.set(bucket, await repeated(() => copyObjects(migration, bucket)));
    }
    for (const bucket of fresh) following.add(bucket);
    if (fresh.length > 0) {
      start(fresh, newer);
      // Whatever has changed during the copy is to be applied first, and new buckets to be found.
      await repeated(() => caughtUp(migration, buckets));
      continue;
    }
    if (!(await repeated(() => caughtUp(migration, buckets)))) continue;
    const cursors = Object.fromEntries(buckets.map((each) => [each, state.of(each)?.cursor ?? 0]));
    const text = JSON.stringify(cursors);
    quiet = text === printed ? quiet + 1 : 0;
    if (quiet % QUIET_INTERVALS === 0) await report.caughtUp(cursors, at);
    printed = text;
    if (options.once) return buckets;
    await sleep(options.intervalMs, undefined, { signal });
  }
}

async function bucketsOf({ source, options, signal }: Migration): Promise<readonly string[]> {
  if (options.buckets.length > 0) return options.buckets;
  const names: string[] = [];
  for await (const { name } of source.client.buckets.list({ signal })) names.push(name);
  return names;
}

/** Waits until all changes so far are applied; false when a bucket is to be copied again. */
async function caughtUp(
  { source, state, following, signal }: Migration,
  buckets: readonly string[],
): Promise<boolean> {
  const heads = new Map<string, number>();
  for (const bucket of buckets) {
    heads.set(bucket, (await source.client.buckets.get(bucket, { signal })).cursor);
  }
  for (;;) {
    if (buckets.some((bucket) => !following.has(bucket))) return false;
    if ([...heads].every(([bucket, head]) => (state.of(bucket)?.cursor ?? -1) >= head)) return true;
    await sleep(LOOK_MS, undefined, { signal });
  }
}

async function verify(migration: Migration, buckets: readonly string[]): Promise<void> {
  let different = 0;
  for (const bucket of buckets) {
    const found = await verifyBucket(migration, bucket);
    different += found;
    if (found > 0) await copyAgain(migration, bucket);
  }
  if (different === 0) return;
  throw new UserError(
    `${different} objects differ; the same command compares all and copies them again`,
  );
}
