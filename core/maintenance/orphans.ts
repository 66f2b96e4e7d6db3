/** Removes blobs that no record, no retained history and no open upload names. */

import { LIMITS } from '../limits';
import type { ChangeLog } from '../log/ports';
import { afterName, compareNames, prefixRange } from '../names';
import { type BlobName, parseBlobName } from '../objects/blob-names';
import type { StopSignal } from '../stop-signal';
import type { Blobs } from '../store/blobs';
import type { Buckets } from '../store/buckets';
import type { ObjectRecord, Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import type { Uploads } from '../store/uploads';
import type { Clock, Log, Meter } from '../system';
import { uploadIdOf } from '../uploads/uploads';

export interface OrphanDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats' | 'deletedBuckets'>;
  readonly objects: Pick<Objects, 'get' | 'getMany' | 'list'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
  readonly uploads: Pick<Uploads, 'get'>;
  readonly blobs: Pick<Blobs, 'list' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Versions of one key that are walked back: a hot key must not stop the pass. */
const MAX_VERSIONS = 5000;

/**
 * Number of keys from which a page is suspicious when most of them have no record. Crashes leave
 * few blobs without a record; a lost table leaves all of them without one.
 */
const SUSPICIOUS_KEYS = 20;

type FoundBlob = BlobName & { readonly blob: string };

/**
 * Deletes unreferenced blobs older than a day from one page of S3's list. Returns where the next
 * page begins, or undefined when there is none. AWS calls per 1000 blobs: 1 ListObjectsV2, 2
 * GetItem and 2 Query per bucket, a BatchGetItem per 100 keys that the second Query does not read,
 * for each key with older blobs a GetItem per retained version, 1 DeleteObjects.
 */
export async function removeOrphans(
  deps: OrphanDeps,
  prefix: 'objects/' | 'uploads/',
  startAfter: string | undefined,
  signal: StopSignal,
): Promise<{ readonly removed: number; readonly next?: string }> {
  const page = await deps.blobs.list(prefix, startAfter);
  const before = deps.clock.now() - LIMITS.orphanSeconds * 1000;
  const old = page.items
    .filter(({ lastModified }) => Date.parse(lastModified) < before)
    .flatMap(({ blob }): FoundBlob[] => {
      const name = parseBlobName(blob);
      return name ? [{ blob, ...name }] : [];
    });
  const orphans = await orphansOf(deps, old, signal);
  const sizes = new Map(page.items.map(({ blob, size }) => [blob, size]));
  const bytes = orphans.reduce((total, blob) => total + (sizes.get(blob) ?? 0), 0);
  // Reported when it is zero too, to show that the check ran.
  deps.meter.add('OrphanBytes', bytes);
  if (orphans.length > 0) {
    deps.log.info('orphans_removed', { count: orphans.length, bytes, prefix });
    await deps.blobs.remove(orphans);
  }
  const last = page.items.at(-1);
  return { removed: orphans.length, ...(page.more && last && { next: last.blob }) };
}

async function orphansOf(
  deps: OrphanDeps,
  found: readonly FoundBlob[],
  signal: StopSignal,
): Promise<string[]> {
  const orphans: string[] = [];
  for (const bucketId of new Set(found.map((one) => one.bucketId))) {
    const blobs = found.filter((one) => one.bucketId === bucketId);
    const [first] = blobs;
    if (first && !(await hasItsRecords(deps, first))) continue;
    const keys = [...new Set(blobs.map(({ key }) => key))];
    const records = await recordsOf(deps, bucketId, keys);
    if (records.size * 2 < keys.length && keys.length >= SUSPICIOUS_KEYS) {
      deps.log.error('records_missing', { bucket: first?.bucket, bucket_id: bucketId });
      continue;
    }
    for (const key of keys) {
      const current = liveOf(records.get(key))?.blob;
      const others = blobs.filter((one) => one.key === key && one.blob !== current);
      orphans.push(...(await unreferenced(deps, { bucketId, key }, others, signal)));
    }
  }
  return orphans;
}

/** Fewer keys are read one by one: a Query is billed for at least 4 KiB. */
const WORTH_A_QUERY = 10;

/**
 * The records of the keys, by key. The keys of neighbouring blobs are mostly neighbours, and in a
 * Query eight records cost as much as one that is read by its key. So this reads the range of the
 * keys first, as many records as there are keys, then the keys that it did not meet.
 */
async function recordsOf(
  deps: Pick<OrphanDeps, 'objects'>,
  bucketId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ObjectRecord>> {
  const [from, ...others] = [...keys].sort(compareNames);
  const last = others.at(-1);
  const range = from !== undefined && last !== undefined && { from, before: afterName(last) };
  const inRange =
    range && keys.length >= WORTH_A_QUERY
      ? (await deps.objects.list(bucketId, range, keys.length)).items
      : [];
  const wanted = new Set(keys);
  const met = inRange.filter(({ key }) => wanted.has(key));
  const records = new Map(met.map((record) => [record.key, record]));
  const left = keys.filter((key) => !records.has(key));
  if (left.length === 0) return records;
  for (const record of await deps.objects.getMany(bucketId, left)) records.set(record.key, record);
  return records;
}

/**
 * False when the tables have lost the bucket or its records. Then every blob looks unreferenced,
 * and is all that a restore can start from (docs/backup.md). So nothing is removed of a bucket that
 * is neither known nor recorded as deleted, nor of one that counts objects and has no record.
 */
async function hasItsRecords(deps: OrphanDeps, { bucket, bucketId }: BlobName): Promise<boolean> {
  const stats = await deps.buckets.stats(bucket);
  const isKnown = stats?.id === bucketId && (await deps.buckets.get(bucket))?.id === bucketId;
  const isSound = isKnown
    ? stats.objectCount === 0 ||
      (await deps.objects.list(bucketId, prefixRange(''), 1)).items.length > 0
    : (await deps.buckets.deletedBuckets()).some(({ id }) => id === bucketId);
  if (!isSound) deps.log.error('records_missing', { bucket, bucket_id: bucketId });
  return isSound;
}

/**
 * The blobs of a key that nothing names. The order of reads matters: an upload that is settled when
 * its row is read has its record when that is read afterwards, on its own and consistently.
 */
async function unreferenced(
  deps: OrphanDeps,
  { bucketId, key }: Pick<BlobName, 'bucketId' | 'key'>,
  blobs: readonly FoundBlob[],
  signal: StopSignal,
): Promise<Iterable<string>> {
  const settled = new Set<string>();
  for (const { blob } of blobs) if (!(await isOfOpenUpload(deps, blob))) settled.add(blob);
  if (settled.size === 0) return [];
  const record = await deps.objects.get(bucketId, key);
  return notInHistory(deps, bucketId, { record, blobs: settled }, signal);
}

/**
 * The blobs that neither a key's record nor its retained history names. Walks back along the
 * history, a GetItem per retained version, no further than the last blob in question. Returns none
 * when it is stopped by the signal or by MAX_VERSIONS: the blobs stay until the history is shorter.
 */
async function notInHistory(
  deps: OrphanDeps,
  bucketId: string,
  key: { readonly record: ObjectRecord | undefined; readonly blobs: ReadonlySet<string> },
  signal: StopSignal,
): Promise<ReadonlySet<string>> {
  const unnamed = new Set(key.blobs);
  let at = key.record;
  for (let steps = 0; ; steps++) {
    const live = liveOf(at);
    if (live) unnamed.delete(live.blob);
    if (!at || unnamed.size === 0) return unnamed;
    if (steps === MAX_VERSIONS || signal.aborted) return new Set();
    const entry = await deps.changeLog.get(bucketId, at.cursor);
    at = entry && entry.type !== 'noop' ? entry.previous : undefined;
  }
}

async function isOfOpenUpload(deps: OrphanDeps, blob: string): Promise<boolean> {
  const id = uploadIdOf(blob);
  const upload = id === undefined ? undefined : await deps.uploads.get(id);
  const isOpen = upload?.state === 'pending' || upload?.state === 'staged';
  return isOpen && upload.blob === blob;
}
