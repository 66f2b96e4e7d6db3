/**
 * Checks the records of a bucket page by page: every live one must have its blob, and the counters
 * must match. Writers may be active, so records are counted as of one cursor.
 */

import type { BucketRef } from '../bucket-ref';
import type { ChangeLog } from '../log/ports';
import { afterName, clipRange, prefixRange } from '../names';
import type { Blobs } from '../store/blobs';
import type { Buckets } from '../store/buckets';
import type { LiveObject, ObjectRecord, Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import type { Log } from '../system';
import { listedBlobs } from './listed-blobs';

export interface RecordCheckDeps {
  readonly buckets: Pick<Buckets, 'stats' | 'correct'>;
  readonly objects: Pick<Objects, 'get' | 'list'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
  readonly blobs: Pick<Blobs, 'head' | 'list'>;
  readonly log: Log;
}

/** Records per page: the number of blobs that S3 lists at once. */
const RECORDS_PER_PAGE = 1000;

/** Records that are checked in parallel. */
const AT_ONCE = 100;

/** How far the check of one bucket got. The janitor saves it between its runs. */
export interface RecordCheck {
  /** The published mark, and the counters as of it, when the check began. */
  readonly asOf: number;
  readonly objectCount: number;
  readonly totalSize: number;
  /** Whether there was any record, tombstones included. */
  readonly met: boolean;
  /** What was counted so far, as of `asOf`. */
  readonly objects: number;
  readonly bytes: number;
  /** The key at which the next page begins. */
  readonly from: string;
}

export interface RecordCheckOptions {
  /** Called for each record, with whether its blob exists. By default a missing blob is logged. */
  readonly onRecord?: (record: ObjectRecord, hasBlob: boolean) => Promise<void>;
  /**
   * Corrects the counters also of a bucket that counts objects and has no record at all. Otherwise
   * that means a lost table, and is only logged.
   */
  readonly allowNoRecords?: boolean;
}

/** Begins a check. Returns undefined when there is no such bucket. AWS calls: 1 GetItem. */
export async function beginRecordCheck(
  deps: { readonly buckets: Pick<Buckets, 'stats'> },
  name: string,
): Promise<RecordCheck | undefined> {
  const stats = await deps.buckets.stats(name);
  if (!stats) return undefined;
  const { published: asOf, objectCount, totalSize } = stats;
  return { asOf, objectCount, totalSize, met: false, objects: 0, bytes: 0, from: '' };
}

/**
 * Checks the next page. Returns the check to continue with, or undefined when it is complete and
 * the counters are corrected. AWS calls per page of 1000: 1 Query, 1 or 2 ListObjectsV2 for each of
 * the two prefixes, a HeadObject per live record whose blob these do not show, and some GetItem per
 * record that changed since `asOf`.
 */
export async function checkRecordPage(
  deps: RecordCheckDeps,
  bucket: BucketRef,
  check: RecordCheck,
  options: RecordCheckOptions = {},
): Promise<RecordCheck | undefined> {
  const { onRecord = reportMissing(deps.log), allowNoRecords = false } = options;
  const range = clipRange(prefixRange(''), check.from) ?? prefixRange('');
  const page = await deps.objects.list(bucket.id, range, RECORDS_PER_PAGE);
  const listed = await listedBlobs(deps.blobs, page.items);
  for (let at = 0; at < page.items.length; at += AT_ONCE) {
    await Promise.all(
      page.items.slice(at, at + AT_ONCE).map(async (record) => {
        const live = liveOf(record);
        const exists = !live || listed.has(live.blob) || (await hasBlob(deps, bucket.id, live));
        await onRecord(record, exists);
      }),
    );
  }
  let { objects, bytes } = check;
  for (const record of page.items) {
    const then = liveOf(await recordAt(deps, bucket.id, record, check.asOf));
    if (then) {
      objects += 1;
      bytes += then.size;
    }
  }
  const last = page.items.at(-1);
  const met = check.met || last !== undefined;
  if (page.more && last) return { ...check, met, objects, bytes, from: afterName(last.key) };
  if (!met && check.objectCount > 0 && !allowNoRecords) {
    // With its counters corrected to zero, all blobs of the bucket would look like orphans.
    deps.log.error('records_missing', { bucket: bucket.name, bucket_id: bucket.id });
    return undefined;
  }
  await correctCounters(deps, bucket, { ...check, met, objects, bytes });
  return undefined;
}

async function correctCounters(
  deps: RecordCheckDeps,
  bucket: BucketRef,
  { asOf, objects, bytes, objectCount, totalSize }: RecordCheck,
): Promise<void> {
  const wrong = { objects: objects - objectCount, bytes: bytes - totalSize };
  if (wrong.objects === 0 && wrong.bytes === 0) return;
  const stats = await deps.buckets.stats(bucket.name);
  // Part of the history from `asOf` on was trimmed during the check, so the count is wrong.
  if (!stats || stats.oldest > asOf + 1) return;
  deps.log.error('counters_corrected', { bucket: bucket.name, ...wrong });
  await deps.buckets.correct(bucket, { asOf, ...wrong });
}

/** The record as it was at the cursor `asOf`. */
async function recordAt(
  deps: Pick<RecordCheckDeps, 'changeLog'>,
  bucketId: string,
  record: ObjectRecord,
  asOf: number,
): Promise<ObjectRecord | undefined> {
  let at: ObjectRecord | undefined = record;
  while (at && at.cursor > asOf) {
    const entry = await deps.changeLog.get(bucketId, at.cursor);
    at = entry && entry.type !== 'noop' ? entry.previous : undefined;
  }
  return at;
}

/** False only when S3 has no such blob and the record is still the same. */
async function hasBlob(
  deps: RecordCheckDeps,
  bucketId: string,
  object: LiveObject,
): Promise<boolean> {
  if (await deps.blobs.head(object.blob)) return true;
  const now = await deps.objects.get(bucketId, object.key);
  return now?.cursor !== object.cursor;
}

/** A record without its blob means lost data: an alarm watches for this line. */
function reportMissing(log: Log) {
  return async (record: ObjectRecord, hasBlob: boolean): Promise<void> => {
    const live = liveOf(record);
    if (!live || hasBlob) return;
    const { bucket, version, blob } = live;
    log.error('blob_missing', { bucket, version, blob });
  };
}
