/**
 * Restores the tables, as far as they are lost, from what S3 holds: docs/backup.md. Nothing may
 * write during a restore. The steps for each bucket:
 *
 *   1. its record is created if there is none, and its cursors continue far above any that was ever
 *      allocated, so that every client starts over: what it has applied may not be what is stored
 *      now
 *   2. blobs that arrived after the moment of the tables, and that no record names, are committed
 *   3. records whose blob is gone are deleted by commits, and the counters are corrected
 *   4. the change log from before is removed
 *
 * Each step may be cut off and repeated: a run with the same moment continues with the same cursor,
 * and recovers nothing twice.
 */
import type { BucketRef } from '../../bucket-ref';
import { walkBuckets } from '../../buckets/walk';
import type { BucketRecord } from '../../store/buckets';
import { pauseReconciler } from '../reconcile';
import { checkRecords } from './records';
import { newerThan, recoverNewest } from './recover';
import { newBlobsSince, type RestoreDeps, type RestoreOptions } from './recovery-deps';
import { type KeyBlobs, keyBlobs, listIncarnations, type StoredBlob } from './stored-blobs';

/** Result of a bucket's restore, or of its dry run. */
export interface Restored {
  readonly bucket: string;
  readonly id: string;
  /** Its record was created, or would be. */
  readonly made: boolean;
  /** All cursors are new above this one; 0 where nothing was applied. */
  readonly head: number;
  readonly keys: number;
  readonly blobs: number;
  /** Keys whose newest blob was committed. */
  readonly recovered: number;
  /** Records that were deleted because their bytes are gone. */
  readonly lost: number;
  /** Live records that have their bytes, recovered ones included. */
  readonly live: number;
  readonly droppedEntries: number;
}

/** Keys that are read at a time, and concurrent commits. */
const KEYS_PER_BATCH = 100;

const SAVED_RUN = 'restore';
const DAY_MS = 24 * 3600 * 1000;

/** Restores bucket by bucket, and yields the result of each. */
export async function* restore(
  deps: RestoreDeps,
  options: RestoreOptions,
): AsyncGenerator<Restored, void> {
  const run = { ...(await beginRun(deps, options)), open: await openUploads(deps) };
  for (const found of await bucketsToRestore(deps, options)) {
    if (options.bucket === undefined || options.bucket === found.bucket.name) {
      yield await restoreBucket(deps, found, { ...options, ...run });
    }
  }
}

interface Run {
  /** The cursor above which every bucket continues. */
  readonly to: number;
  /** An earlier run had the same moment. */
  readonly resumed: boolean;
}

interface RunOptions extends RestoreOptions, Run {
  /** The blobs of the uploads that are pending or staged in the tables. */
  readonly open: ReadonlySet<string>;
}

/**
 * A bucket allocates at most about a thousand cursors a second, the bound of a DynamoDB partition.
 * So the milliseconds since 1970 are above every cursor that a bucket can have allocated, also
 * after an earlier restore.
 */
async function beginRun(deps: RestoreDeps, { moment, apply }: RestoreOptions): Promise<Run> {
  const saved = JSON.parse((await deps.serviceState.load(SAVED_RUN)) ?? '{}') as {
    moment?: string;
    to?: number;
  };
  const now = deps.clock.now();
  // To the reconciler the blobs that are about to be recovered are orphans. And an operator who
  // chose a wrong moment has a day to choose another.
  if (apply) await pauseReconciler(deps.serviceState, now + DAY_MS);
  if (saved.moment === String(moment) && saved.to !== undefined) {
    return { to: saved.to, resumed: true };
  }
  const run = JSON.stringify({ moment: String(moment), to: now });
  if (apply) await deps.serviceState.save(SAVED_RUN, run);
  return { to: now, resumed: false };
}

/** Later than the expiry of any upload. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

/** All of them: nothing has been written for minutes, so the index shows what the table has. */
async function openUploads({ uploads }: RestoreDeps): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  let start: string | undefined;
  do {
    const page = await uploads.expired(END_OF_TIME, start);
    for (const { blob } of page.uploads) open.add(blob);
    start = page.next;
  } while (start !== undefined);
  return open;
}

interface FoundBucket {
  readonly bucket: BucketRef;
  /** The tables do not know it: its record is to be created. */
  readonly made: boolean;
}

/**
 * The buckets that the tables know, and those that only S3 knows. Of several incarnations under one
 * name that only S3 knows, the one that was written to last.
 */
async function bucketsToRestore(
  deps: RestoreDeps,
  options: RestoreOptions,
): Promise<readonly FoundBucket[]> {
  const known = new Map<string, BucketRecord>();
  for await (const { record } of walkBuckets(deps.buckets)) known.set(record.name, record);
  const deleted = new Set((await deps.buckets.deletedBuckets()).map(({ id }) => id));
  const newest = new Map<string, { bucket: BucketRef; last: number }>();
  for (const bucket of await listIncarnations(deps.blobs)) {
    const { name, id } = bucket;
    const record = known.get(name);
    if (record?.id === id || deleted.has(id)) continue;
    const last = await lastArrival(deps, bucket, newBlobsSince(options));
    if (last === undefined) continue;
    if (record) {
      deps.log.error('newer_incarnation', { bucket: name, present: record.id, in_s3: id });
    } else if (last > (newest.get(name)?.last ?? Number.NEGATIVE_INFINITY)) {
      newest.set(name, { bucket, last });
    }
  }
  return [
    ...[...known.values()].map(({ name, id }) => ({ bucket: { name, id }, made: false })),
    ...[...newest.values()].map(({ bucket }) => ({ bucket, made: true })),
  ];
}

/** When the newest of the bucket's blobs since then arrived, or undefined when there is none. */
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
  { bucket, made }: FoundBucket,
  options: RunOptions,
): Promise<Restored> {
  const { apply, to } = options;
  if (apply) await moveCursor(deps, { bucket, made }, options);
  const blobs = await recoverBlobs(deps, bucket, options);
  // Without `apply`, a bucket that only S3 knows has no records yet.
  const records =
    made && !apply ? { live: blobs.recovered, lost: 0 } : await checkRecords(deps, bucket, options);
  const droppedEntries = apply ? await deps.restoring.dropEntries(bucket.id, to) : 0;
  const head = apply ? to : 0;
  return { bucket: bucket.name, id: bucket.id, made, head, ...blobs, ...records, droppedEntries };
}

/**
 * Step 1. Throws when the bucket's cursor is above `to` already, or another bucket has its name.
 */
async function moveCursor(
  deps: RestoreDeps,
  { bucket, made }: FoundBucket,
  { to, resumed }: RunOptions,
): Promise<void> {
  const { name, id } = bucket;
  if (made) {
    const first = await firstArrival(deps, bucket);
    const createdAt = new Date(first).toISOString();
    await deps.buckets.create({ name, id, cursor: 0, createdAt });
  }
  if (await deps.restoring.skip(bucket, to)) return;
  // Only the interrupted run that moved the cursor may find it moved. Any other run must not use
  // cursors that clients may know.
  const stats = resumed ? await deps.buckets.stats(name) : undefined;
  if (stats?.id === id && stats.oldest > to) return;
  throw new Error(
    `bucket ${name} is above cursor ${to} already, or is no longer ${id}: the clock of this machine is behind, or another process writes to the tables`,
  );
}

async function firstArrival(deps: RestoreDeps, bucket: BucketRef): Promise<number> {
  let first = deps.clock.now();
  for await (const { oldest } of keyBlobs(deps.blobs, bucket, Number.NEGATIVE_INFINITY)) {
    first = Math.min(first, oldest);
  }
  return first;
}

interface RecoveredBlobs {
  readonly keys: number;
  readonly blobs: number;
  readonly recovered: number;
}

/**
 * Step 2. An upload that is open in the tables may have been committed after their moment, however
 * long before it S3 says that the bytes arrived. So it counts as one of that moment.
 */
async function recoverBlobs(
  deps: RestoreDeps,
  bucket: BucketRef,
  options: RunOptions,
): Promise<RecoveredBlobs> {
  const sum = { keys: 0, blobs: 0, recovered: 0 };
  let batch: KeyBlobs[] = [];
  const recover = async () => {
    sum.recovered += await recoverBatch(deps, bucket, batch, options);
    batch = [];
  };
  const dated = (found: StoredBlob): StoredBlob =>
    options.open.has(found.blob) ? { ...found, at: Math.max(found.at, options.moment) } : found;
  for await (const found of keyBlobs(deps.blobs, bucket, newBlobsSince(options), dated)) {
    sum.keys += 1;
    sum.blobs += found.count;
    if (sum.keys % 100_000 === 0) deps.log.info('listed', { bucket: bucket.name, ...sum });
    if (options.dropNewer || found.candidates.length === 0) continue;
    batch.push(found);
    if (batch.length === KEYS_PER_BATCH) await recover();
  }
  await recover();
  return sum;
}

/** Returns how many of the keys got a version that their records did not have. */
async function recoverBatch(
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
