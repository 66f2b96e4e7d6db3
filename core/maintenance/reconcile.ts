/**
 * The reconciler: compares what S3 holds with what the tables name, both ways, and counts. It walks
 * for as long as it is given, says where it got to, and may be interrupted, repeated or run twice
 * at any point.
 */

import type { BucketRef } from '../bucket-ref';
import type { ChangeLog } from '../log/ports';
import { type BlobName, parseBlobName } from '../objects/blob-names';
import type { Blobs } from '../objects/blob-ports';
import { afterName, clipRange, prefixRange } from '../objects/names';
import { liveOf } from '../objects/objects';
import type {
  Buckets,
  LiveObject,
  NameRange,
  ObjectRecord,
  Objects,
  Uploads,
} from '../objects/ports';
import { uploadIdOf } from '../objects/uploads';
import type { Clock, Log, Meter } from '../system';

/** Younger blobs may belong to a writer or an upload that is still under way. */
export const ORPHAN_AFTER_MS = 24 * 3600 * 1000;

export interface ReconcileDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats' | 'correct' | 'deletedBuckets'>;
  readonly objects: Pick<Objects, 'get' | 'getMany' | 'list'>;
  readonly changeLog: Pick<ChangeLog, 'get' | 'read' | 'fill'>;
  readonly uploads: Pick<Uploads, 'get'>;
  readonly blobs: Pick<Blobs, 'list' | 'head' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/**
 * Versions of one key that are walked back for a page of its blobs: a hot key must not stop the
 * round.
 */
const LONGEST_WALK = 5000;

type FoundBlob = BlobName & { readonly blob: string };

/**
 * Deletes unreferenced blobs older than a day from one page of S3's list. AWS calls per 1000 blobs:
 * 1 ListObjectsV2, 2 GetItem and 1 Query per bucket, 10 BatchGetItem, for each key with older blobs
 * a GetItem per retained version, 1 DeleteObjects. Answers where to go on; undefined = the walk is
 * complete.
 */
export async function removeOrphans(
  deps: ReconcileDeps,
  prefix: 'objects/' | 'uploads/',
  startAfter: string | undefined,
  stopAt: () => boolean,
): Promise<{ readonly removed: number; readonly next?: string }> {
  const page = await deps.blobs.list(prefix, startAfter);
  const before = deps.clock.now() - ORPHAN_AFTER_MS;
  const old = page.items
    .filter(({ lastModified }) => Date.parse(lastModified) < before)
    .flatMap(({ blob }): FoundBlob[] => {
      const name = parseBlobName(blob);
      return name ? [{ blob, ...name }] : [];
    });
  const orphans = await orphansOf(deps, old, stopAt);
  const sizes = new Map(page.items.map(({ blob, size }) => [blob, size]));
  const bytes = orphans.reduce((total, blob) => total + (sizes.get(blob) ?? 0), 0);
  // Also when there is none, so that somebody sees that it was looked for.
  deps.meter.add('OrphanBytes', bytes);
  if (orphans.length > 0) {
    deps.log.info('orphans_removed', { count: orphans.length, bytes, prefix });
    await deps.blobs.remove(orphans);
  }
  const last = page.items.at(-1);
  return { removed: orphans.length, ...(page.more && last && { next: last.blob }) };
}

async function orphansOf(
  deps: ReconcileDeps,
  found: readonly FoundBlob[],
  stopAt: () => boolean,
): Promise<string[]> {
  const orphans: string[] = [];
  for (const bucketId of new Set(found.map((one) => one.bucketId))) {
    const blobs = found.filter((one) => one.bucketId === bucketId);
    const [first] = blobs;
    if (first && !(await isComplete(deps, first))) continue;
    const keys = [...new Set(blobs.map(({ key }) => key))];
    const records = new Map(
      (await deps.objects.getMany(bucketId, keys)).map((record) => [record.key, record]),
    );
    if (records.size * 2 < keys.length && keys.length >= SUSPICIOUS_KEYS) {
      deps.log.error('records_missing', { bucket: first?.bucket, bucket_id: bucketId });
      continue;
    }
    for (const key of keys) {
      const named = liveOf(records.get(key))?.blob;
      const others = blobs.filter((one) => one.key === key && one.blob !== named);
      orphans.push(...(await unreferenced(deps, bucketId, key, others, stopAt)));
    }
  }
  return orphans;
}

/**
 * So many keys of a page, of which most have no record: crashes leave a blob without a record now
 * and then, a lost table all of them, whatever was written since.
 */
const SUSPICIOUS_KEYS = 20;

/**
 * Whether what the tables hold of a bucket can be believed. After a table was lost every blob looks
 * unreferenced, and is all that a restore can start from (docs/backup.md): so nothing is removed of
 * a bucket that is neither known nor buried, nor of one that counts objects and has no record.
 */
async function isComplete(deps: ReconcileDeps, { bucket, bucketId }: BlobName): Promise<boolean> {
  const stats = await deps.buckets.stats(bucket);
  const known = stats?.id === bucketId && (await deps.buckets.get(bucket))?.id === bucketId;
  const sound = known
    ? stats.objectCount === 0 ||
      (await deps.objects.list(bucketId, prefixRange(''), 1)).items.length > 0
    : (await deps.buckets.deletedBuckets()).some(({ id }) => id === bucketId);
  if (!sound) deps.log.error('records_missing', { bucket, bucket_id: bucketId });
  return sound;
}

/**
 * Those of a key's blobs that nothing names. The order matters: an upload that is settled by the
 * time its row is read has its record when that is read afterwards, by itself and consistently.
 */
async function unreferenced(
  deps: ReconcileDeps,
  bucketId: string,
  key: string,
  blobs: readonly FoundBlob[],
  stopAt: () => boolean,
): Promise<Iterable<string>> {
  const settled: string[] = [];
  for (const { blob } of blobs) if (!(await isPending(deps, blob))) settled.push(blob);
  if (settled.length === 0) return [];
  const record = await deps.objects.get(bucketId, key);
  return notInHistory(deps, bucketId, record, new Set(settled), stopAt);
}

/**
 * Those of a key's blobs that neither its record nor its retained history names: one walk back
 * along its chain, a GetItem per retained version, no further than the last blob sought. Cut off,
 * by time or by LONGEST_WALK, it answers none: they are kept until the chain is shorter.
 */
async function notInHistory(
  deps: ReconcileDeps,
  bucketId: string,
  record: ObjectRecord | undefined,
  sought: Set<string>,
  stopAt: () => boolean,
): Promise<ReadonlySet<string>> {
  let at = record;
  for (let steps = 0; ; steps++) {
    const live = liveOf(at);
    if (live) sought.delete(live.blob);
    if (!at || sought.size === 0) return sought;
    if (steps === LONGEST_WALK || stopAt()) return new Set();
    const entry = await deps.changeLog.get(bucketId, at.cursor);
    at = entry && entry.type !== 'void' ? entry.previous : undefined;
  }
}

async function isPending(deps: ReconcileDeps, blob: string): Promise<boolean> {
  const id = uploadIdOf(blob);
  const upload = id === undefined ? undefined : await deps.uploads.get(id);
  return upload?.state === 'pending' && upload.blob === blob;
}

export interface RecordWalkDeps extends Pick<ReconcileDeps, 'log'> {
  readonly buckets: Pick<Buckets, 'stats' | 'correct'>;
  readonly objects: Pick<Objects, 'get' | 'list'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
  readonly blobs: Pick<Blobs, 'head'>;
}

/** How far the check of one bucket's records got. */
export interface RecordWalk {
  /** `delivered` and the counters when the walk began. */
  readonly asOf: number;
  readonly objectCount: number;
  readonly totalSize: number;
  /** Whether there was any record, deleted ones too. */
  readonly met: boolean;
  /** What was counted so far, as of that position. */
  readonly objects: number;
  readonly bytes: number;
  /** Where to go on. */
  readonly from: string;
}

/** Begins a walk. AWS calls: 1 GetItem. undefined: no such bucket. */
export async function beginRecordWalk(
  deps: { readonly buckets: Pick<Buckets, 'stats'> },
  name: string,
): Promise<RecordWalk | undefined> {
  const stats = await deps.buckets.stats(name);
  if (!stats) return undefined;
  const { published: asOf, objectCount, totalSize } = stats;
  return { asOf, objectCount, totalSize, met: false, objects: 0, bytes: 0, from: '' };
}

/**
 * Checks one page of a bucket's records: every live one must have its blob, and all are counted as
 * they were at `asOf`, so that the count is exact although writers go on. AWS calls per page of
 * 100: 1 Query, 100 HeadObject, and some GetItem per record that changed since `asOf`. undefined:
 * the walk is complete and the counters are corrected.
 */
export async function walkRecords(
  deps: RecordWalkDeps,
  bucket: BucketRef,
  walk: RecordWalk,
  judge: RecordCheck = reportMissing,
): Promise<RecordWalk | undefined> {
  const range: NameRange | undefined = clipRange(prefixRange(''), walk.from);
  const page = await deps.objects.list(bucket.id, range ?? prefixRange(''), 100);
  let { objects, bytes } = walk;
  await Promise.all(
    page.items.map(async (record) => {
      const live = liveOf(record);
      await judge(deps, bucket.id, record, !live || (await hasBlob(deps, bucket.id, live)));
    }),
  );
  for (const record of page.items) {
    const then = liveOf(await recordAt(deps, bucket.id, record, walk.asOf));
    if (then) {
      objects += 1;
      bytes += then.size;
    }
  }
  const last = page.items.at(-1);
  const met = walk.met || last !== undefined;
  if (page.more && last) return { ...walk, met, objects, bytes, from: afterName(last.key) };
  if (!met && walk.objectCount > 0 && judge === reportMissing) {
    // The table was lost: counted to nothing, the bucket would look as if all its blobs were
    // orphans.
    deps.log.error('records_missing', { bucket: bucket.name, bucket_id: bucket.id });
    return undefined;
  }
  await correctCounters(deps, bucket, { ...walk, met, objects, bytes });
  return undefined;
}

async function correctCounters(
  deps: RecordWalkDeps,
  bucket: BucketRef,
  { asOf, objects, bytes, objectCount, totalSize }: RecordWalk,
): Promise<void> {
  const wrong = { objects: objects - objectCount, bytes: bytes - totalSize };
  if (wrong.objects === 0 && wrong.bytes === 0) return;
  const stats = await deps.buckets.stats(bucket.name);
  // Some of what the count looked back to was trimmed meanwhile, so it means nothing.
  if (!stats || stats.oldest > asOf + 1) return;
  deps.log.error('counters_corrected', { bucket: bucket.name, ...wrong });
  await deps.buckets.correct(bucket, { asOf, ...wrong });
}

/** The record as it was when `delivered` stood at `asOf`. */
async function recordAt(
  deps: Pick<RecordWalkDeps, 'changeLog'>,
  bucketId: string,
  record: ObjectRecord,
  asOf: number,
): Promise<ObjectRecord | undefined> {
  let at: ObjectRecord | undefined = record;
  while (at && at.cursor > asOf) {
    const entry = await deps.changeLog.get(bucketId, at.cursor);
    at = entry && entry.type !== 'void' ? entry.previous : undefined;
  }
  return at;
}

/** False only when S3 has no such blob and the record is still the same. */
async function hasBlob(
  deps: RecordWalkDeps,
  bucketId: string,
  object: LiveObject,
): Promise<boolean> {
  if (await deps.blobs.head(object.blob)) return true;
  const now = await deps.objects.get(bucketId, object.key);
  return now?.cursor !== object.cursor;
}

/** What is done about a record, once it is known whether its blob is there. */
export type RecordCheck = (
  deps: Pick<ReconcileDeps, 'log'>,
  bucketId: string,
  record: ObjectRecord,
  hasBlob: boolean,
) => Promise<void>;

/**
 * A descriptor without its bytes is the one thing that must never be: an alarm watches for this
 * line.
 */
const reportMissing: RecordCheck = async (deps, _bucketId, record, hasBlob) => {
  const live = liveOf(record);
  if (!live || hasBlob) return;
  const { bucket, version, blob } = live;
  deps.log.error('blob_missing', { bucket, version, blob });
};
