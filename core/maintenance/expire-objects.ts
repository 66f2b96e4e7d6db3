/**
 * The janitor's job for objects that have expired, every 15 minutes: deletes each by a change of
 * its own, as many in one commit as fit. A run may be cut off anywhere, run twice, or beside
 * another one: the deletion is made only while the object is still due.
 */

import { StaleBucketRef } from '../bucket-ref';
import { walkBuckets } from '../buckets/walk';
import { deleteGroup, deletionSize } from '../commits/delete-group';
import { commitGroups } from '../commits/groups';
import { allEnded } from '../concurrency';
import { FailureCollector } from '../failure-collector';
import { DUE_SHARDS, dueSlot, hourOf } from '../objects/expiry';
import type { StopSignal } from '../stop-signal';
import type { DueObject, LiveObject } from '../store/objects';
import { liveOf } from '../store/objects';
import type { JanitorDeps } from './janitor-deps';

/** Name of the saved `ToRead`: the hours that the next run reads besides the latest ones. */
const TO_READ = 'expiry';

interface ToRead {
  /** Every hour from this one on. */
  readonly from: string;
  /** Earlier hours to retry, because a bucket failed. */
  readonly left: readonly string[];
}

/** Delay before an object counts as expired; longer than any function's clock is ahead. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * Time for which the slots of an hour are read after it, because the index shows a record with a
 * delay and a commit has the time at which it began.
 */
const LOOK_BACK_MS = 2 * 3_600_000;

const HOUR_MS = 3_600_000;

/** Keys per read of the index. */
const KEYS_PER_READ = 500;

/**
 * Deletes what has expired: the latest hours first, then what earlier runs left. A failure in one
 * bucket does not stop the others; an error that names the failed ones is thrown at the end, and
 * the next run tries again. AWS calls when there is nothing to do: 1 GetItem and 24 to 32 Query; 1
 * PutItem more once an hour; until a run has succeeded, 1 Query and 2 BatchGetItem per 100 buckets
 * and 8 Query for each hour since the first bucket was created. For each 500 objects of a bucket 1
 * Query and 5 BatchGetItem, and for each commit 1 UpdateItem and 1 TransactWriteItems.
 */
export async function expireObjects(deps: JanitorDeps, signal: StopSignal): Promise<void> {
  const failures = new FailureCollector(deps.log, 'bucket_failed');
  const now = deps.clock.now();
  const saved = await deps.serviceState.load(TO_READ);
  const latest = hourAt(now - LOOK_BACK_MS);
  const toRead = saved === undefined ? await allOf(deps, signal) : parseToRead(saved, latest);
  if (toRead === undefined) return;
  const run: Run = { deps, failures, signal, until: now - CLOCK_SKEW_MS };
  const left: string[] = [];
  let from = latest;
  for (let hour = toRead.from; hour <= hourAt(now); hour = hourAfter(hour)) {
    const isDone = await expireHour(run, hour);
    if (!isDone && signal.aborted) {
      from = hour < latest ? hour : latest;
      break;
    }
    if (!isDone && hour < latest) left.push(hour);
  }
  const earlier: string[] = [];
  for (const hour of toRead.left) if (!(await expireHour(run, hour))) earlier.push(hour);
  const next = [from, ...earlier, ...left].join(',');
  if (next !== saved) await deps.serviceState.save(TO_READ, next);
  failures.throwIfAny();
}

function parseToRead(saved: string, latest: string): ToRead {
  const [from = latest, ...left] = saved.split(',');
  return { from: from < latest ? from : latest, left };
}

/**
 * No run has ever succeeded, perhaps for days: nothing expires before its bucket exists. Returns
 * undefined when it was stopped before the end.
 */
async function allOf({ buckets, clock }: JanitorDeps, signal: StopSignal) {
  let first = clock.now() - LOOK_BACK_MS;
  for await (const { record } of walkBuckets(buckets, signal)) {
    first = Math.min(first, Date.parse(record.createdAt));
  }
  return signal.aborted ? undefined : { from: hourAt(first), left: [] };
}

interface Run {
  readonly deps: JanitorDeps;
  readonly failures: FailureCollector;
  readonly signal: StopSignal;
  /** Objects that expire at this time or before are due. Epoch milliseconds. */
  readonly until: number;
}

const hourAt = (time: number) => hourOf(new Date(time).toISOString());

const hourAfter = (hour: string) => hourAt(Date.parse(`${hour}:00:00.000Z`) + HOUR_MS);

/** Returns false when something due is left. */
async function expireHour(run: Run, hour: string): Promise<boolean> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => dueSlot(hour, shard));
  const slots = await allEnded(shards.map((slot) => expireSlot(run, slot)));
  return slots.every((isDone) => isDone);
}

/** Returns false when something due is left. */
async function expireSlot(run: Run, slot: string): Promise<boolean> {
  const { deps, signal } = run;
  const until = new Date(run.until).toISOString();
  let isDone = true;
  let after: DueObject | undefined;
  do {
    if (signal.aborted) return false;
    const page = await deps.objects.due(slot, until, KEYS_PER_READ, after);
    for (const [bucketId, keys] of byBucket(page.items)) {
      if (!(await expireKeys(run, bucketId, keys))) isDone = false;
    }
    after = page.more ? page.items.at(-1) : undefined;
  } while (after !== undefined);
  return isDone;
}

function byBucket(found: readonly DueObject[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const { bucketId, key } of found) {
    const others = keys.get(bucketId);
    if (others) others.push(key);
    else keys.set(bucketId, [key]);
  }
  return keys;
}

async function expireKeys(
  { deps, failures, signal, until }: Run,
  bucketId: string,
  keys: readonly string[],
): Promise<boolean> {
  const applies = ({ expiresAt }: LiveObject) =>
    expiresAt !== undefined && Date.parse(expiresAt) <= until;
  // A bucket that has failed would fail again, and use the time of the others.
  if (failures.subjects.has(bucketId)) return false;
  let isDone = true;
  const isRun = await failures.run(bucketId, { bucketId }, async () => {
    const records = await deps.objects.getMany(bucketId, keys);
    const due = records.flatMap((record) => liveOf(record) ?? []).filter(applies);
    isDone = await deleteExpired(deps, { bucketId, applies, signal }, due);
  });
  return isRun && isDone;
}

export interface Expired {
  readonly bucketId: string;
  readonly applies: (object: LiveObject) => boolean;
  readonly signal: StopSignal;
}

/**
 * Deletes the objects of one bucket for which `applies` holds. Returns false when some are left.
 */
export async function deleteExpired(
  deps: JanitorDeps,
  { bucketId, applies, signal }: Expired,
  due: readonly LiveObject[],
): Promise<boolean> {
  const name = due[0]?.bucket;
  if (name === undefined) return true;
  const deletion = { bucket: { name, id: bucketId }, cause: 'expired', applies } as const;
  let count = 0;
  try {
    for (const group of commitGroups(due, deletionSize)) {
      if (signal.aborted) return false;
      count += (await deleteGroup(deps, deletion, group)).length;
    }
    return true;
  } catch (error) {
    if (!(error instanceof StaleBucketRef)) throw error;
    // A bucket that is being deleted may be kept after all, because it holds these objects.
    return (await deps.buckets.get(name))?.id !== bucketId;
  } finally {
    if (count > 0) deps.log.info('objects_expired', { bucket: name, count });
  }
}
