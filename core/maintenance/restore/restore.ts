/**
 * Restoring what the tables tell from what S3 holds: docs/backup.md. Nothing may write meanwhile.
 * Steps, for each bucket:
 *
 *   1. its record is made if there is none, and its numbers go on far above any that was ever
 *      handed out, so that every follower is told to start over: what it had applied may not be
 *      what is there now
 *   2. blobs that arrived after the moment of the tables, and that no record names, are adopted by
 *      commits
 *   3. records whose blob is gone are deleted by commits, and the counters are counted anew
 *   4. the log from before is deleted
 *
 * Each may be cut off and repeated: a run with the same moment goes on with the same number, and
 * adopts nothing twice.
 */
import type { BucketRef } from '../../bucket-ref';
import { afterName, clipRange, prefixRange } from '../../objects/names';
import type { BucketRecord, Buckets, Objects } from '../../objects/ports';
import type { Clock, Log } from '../../system';
import type { ServiceState } from '../ports';
import type { RecordWalkDeps } from '../reconcile';
import type { Restoring } from './ports';
import { checkRecords } from './records';
import { newerThan, type RecoverDeps, recoverNewest } from './recover';
import { type KeyBlobs, keyBlobs, listLives } from './stored-blobs';

export interface RestoreDeps extends RecoverDeps {
  readonly buckets: Pick<
    Buckets,
    'get' | 'stats' | 'list' | 'create' | 'allocate' | 'deletedBuckets'
  > &
    RecordWalkDeps['buckets'];
  readonly objects: Pick<Objects, 'get' | 'getMany' | 'list' | 'removeTombstone'>;
  readonly blobs: RecoverDeps['blobs'] & Parameters<typeof listLives>[0];
  readonly restoring: Restoring;
  readonly serviceState: Pick<ServiceState, 'load' | 'save'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RestoreOptions {
  /**
   * What the tables show: their state of that moment (epoch milliseconds); -Infinity: nothing, they
   * are new.
   */
  readonly moment: number;
  /** Leaves what was written after the moment alone: it is what the restore is to undo. */
  readonly dropNewer: boolean;
  /** False: only tells what would be done. */
  readonly apply: boolean;
  /** This bucket alone. */
  readonly bucket?: string;
}

/** What was done with a bucket, or would be. */
export interface Restored {
  readonly bucket: string;
  readonly id: string;
  /** Its record was made, or would be. */
  readonly made: boolean;
  /** Above this all positions are new; 0 where nothing was applied. */
  readonly head: number;
  readonly keys: number;
  readonly blobs: number;
  readonly adopted: number;
  /** Records that were deleted because their bytes are gone. */
  readonly lost: number;
  /** Live records that have their bytes, adopted ones among them. */
  readonly live: number;
  readonly droppedEntries: number;
}

/**
 * A blob is there before its commit: by less than a function's 29 seconds, and S3's own time lacks
 * the fraction of a second.
 */
const COMMIT_MARGIN_MS = 60_000;
/** Keys looked up at a time, and commits in flight. */
const BATCH = 100;

const PLACE = 'restore';
const RECONCILE_PLACE = 'reconcile';
const DAY_MS = 24 * 3600 * 1000;

/** Restores bucket by bucket, and tells of each when it is done. */
export async function* restore(
  deps: RestoreDeps,
  options: RestoreOptions,
): AsyncGenerator<Restored, void> {
  const run = await beginRun(deps, options);
  for (const { bucket, made } of await livesToRestore(deps, options)) {
    if (options.bucket === undefined || options.bucket === bucket.name) {
      yield await restoreBucket(deps, bucket, made, { ...options, ...run });
    }
  }
}

interface Run {
  /** The number above which every bucket goes on. */
  readonly to: number;
  /** A run with the same moment was here before. */
  readonly resumed: boolean;
}

/**
 * A bucket hands out at most about a thousand numbers a second, a partition's bound. So the
 * milliseconds since 1970 are above every number that any bucket can have handed out, those after
 * an earlier restore included.
 */
async function beginRun(deps: RestoreDeps, { moment, apply }: RestoreOptions): Promise<Run> {
  const saved = JSON.parse((await deps.serviceState.load(PLACE)) ?? '{}') as {
    moment?: string;
    to?: number;
  };
  const now = deps.clock.now();
  if (apply) {
    // What the reconciler would take for orphans is what is about to be adopted; and whoever chose
    // a wrong moment has a day to choose another.
    await deps.serviceState.save(
      RECONCILE_PLACE,
      JSON.stringify({ part: 'rest', until: now + DAY_MS }),
    );
  }
  if (saved.moment === String(moment) && saved.to !== undefined) {
    return { to: saved.to, resumed: true };
  }
  const run = JSON.stringify({ moment: String(moment), to: now });
  if (apply) await deps.serviceState.save(PLACE, run);
  return { to: now, resumed: false };
}

/**
 * The buckets that the tables know, and those that only S3 knows: of several lives under one name
 * the one that was written to last.
 */
async function livesToRestore(
  deps: RestoreDeps,
  { moment }: RestoreOptions,
): Promise<readonly { readonly bucket: BucketRef; readonly made: boolean }[]> {
  const known = new Map<string, BucketRecord>();
  for await (const record of allBuckets(deps.buckets)) known.set(record.name, record);
  const buried = new Set((await deps.buckets.deletedBuckets()).map(({ id }) => id));
  const newest = new Map<string, { bucket: BucketRef; last: number }>();
  for (const bucket of await listLives(deps.blobs)) {
    const record = known.get(bucket.name);
    if (record?.id === bucket.id || buried.has(bucket.id)) continue;
    const last = await lastArrival(deps, bucket, moment - COMMIT_MARGIN_MS);
    if (last === undefined) continue;
    if (record) {
      deps.log.error('newer_life', { bucket: bucket.name, present: record.id, in_s3: bucket.id });
    } else if (last > (newest.get(bucket.name)?.last ?? Number.NEGATIVE_INFINITY)) {
      newest.set(bucket.name, { bucket, last });
    }
  }
  return [
    ...[...known.values()].map(({ name, id }) => ({ bucket: { name, id }, made: false })),
    ...[...newest.values()].map(({ bucket }) => ({ bucket, made: true })),
  ];
}

async function* allBuckets(buckets: Pick<Buckets, 'list'>): AsyncGenerator<BucketRecord> {
  let range: ReturnType<typeof clipRange> = prefixRange('');
  while (range) {
    const page: Awaited<ReturnType<Buckets['list']>> = await buckets.list(range, 100);
    for (const { record } of page.items) yield record;
    const last = page.items.at(-1);
    range = page.more && last ? clipRange(range, afterName(last.record.name)) : undefined;
  }
}

/** When the newest of the life's blobs since then arrived; undefined: there is none. */
async function lastArrival(
  deps: RestoreDeps,
  bucket: BucketRef,
  since: number,
): Promise<number | undefined> {
  let last: number | undefined;
  for await (const { candidates } of keyBlobs(deps.blobs, bucket, since)) {
    const at = candidates[0]?.at;
    if (at !== undefined && at > (last ?? Number.NEGATIVE_INFINITY)) last = at;
  }
  return last;
}

async function restoreBucket(
  deps: RestoreDeps,
  bucket: BucketRef,
  made: boolean,
  options: RestoreOptions & Run,
): Promise<Restored> {
  const { apply, to } = options;
  if (apply) await beginAnew(deps, bucket, made, options);
  const blobs = await adoptBlobs(deps, bucket, options);
  // A bucket that would be made first has no records yet.
  const records =
    made && !apply
      ? { live: blobs.adopted, lost: 0 }
      : await checkRecords(deps, bucket, options, COMMIT_MARGIN_MS);
  const droppedEntries = apply ? await deps.restoring.dropEntries(bucket.id, to) : 0;
  const head = apply ? to : 0;
  return { bucket: bucket.name, id: bucket.id, made, head, ...blobs, ...records, droppedEntries };
}

async function beginAnew(
  deps: RestoreDeps,
  bucket: BucketRef,
  made: boolean,
  { to, resumed }: Run,
): Promise<void> {
  const { name, id } = bucket;
  if (made) {
    const first = await firstArrival(deps, bucket);
    const createdAt = new Date(first).toISOString();
    await deps.buckets.create({ name, id, cursor: 0, createdAt });
  }
  if (await deps.restoring.skip(bucket, to)) return;
  // Only a run that moved it before it was cut off may find it moved: whoever follows must be told
  // that numbers end here.
  const stats = resumed ? await deps.buckets.stats(name) : undefined;
  if (stats?.id === id && stats.oldest > to) return;
  throw new Error(
    `bucket ${name} is above ${to} already, or is no longer ${id}: the clock of this machine is behind, or somebody else is at work`,
  );
}

async function firstArrival(deps: RestoreDeps, bucket: BucketRef): Promise<number> {
  let first = deps.clock.now();
  for await (const { oldest } of keyBlobs(deps.blobs, bucket, Number.NEGATIVE_INFINITY)) {
    first = Math.min(first, oldest);
  }
  return first;
}

interface Adopted {
  readonly keys: number;
  readonly blobs: number;
  readonly adopted: number;
}

async function adoptBlobs(
  deps: RestoreDeps,
  bucket: BucketRef,
  options: RestoreOptions,
): Promise<Adopted> {
  const sum = { keys: 0, blobs: 0, adopted: 0 };
  let batch: KeyBlobs[] = [];
  const work = async () => {
    sum.adopted += await adoptBatch(deps, bucket, batch, options);
    batch = [];
  };
  const since = options.moment - COMMIT_MARGIN_MS;
  for await (const found of keyBlobs(deps.blobs, bucket, since)) {
    sum.keys += 1;
    sum.blobs += found.count;
    if (sum.keys % 100_000 === 0) deps.log.info('listed', { bucket: bucket.name, ...sum });
    if (options.dropNewer || found.candidates.length === 0) continue;
    batch.push(found);
    if (batch.length === BATCH) await work();
  }
  await work();
  return sum;
}

/** How many of the keys got a version that their records did not have. */
async function adoptBatch(
  deps: RestoreDeps,
  bucket: BucketRef,
  batch: readonly KeyBlobs[],
  { apply }: RestoreOptions,
): Promise<number> {
  if (batch.length === 0) return 0;
  const keys = batch.map(({ key }) => key);
  const records = new Map(
    (await deps.objects.getMany(bucket.id, keys)).map((record) => [record.key, record]),
  );
  const done = await Promise.all(
    batch.map((found) => {
      const record = records.get(found.key);
      return apply
        ? recoverNewest(deps, bucket, found, record)
        : newerThan(record, found).length > 0;
    }),
  );
  return done.filter(Boolean).length;
}
