/**
 * Creates, deletes and lists buckets. A bucket that is created again under the same name has a new
 * id, so it shares nothing with the old one.
 */

import type { AuditRecord, KeyHolder } from '../access/ports';
import type { BucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import type { ChangeLog } from '../log/ports';
import { publishChanges } from '../log/publish';
import { afterName, clipRange, prefixRange } from '../names';
import { bucketNotFound } from '../not-found';
import type { NameRange, Page } from '../pages';
import type { ServiceState } from '../service-state';
import { type StopSignal, stopAt } from '../stop-signal';
import type { BucketRecord, Buckets, ListedBucket } from '../store/buckets';
import type { ObjectRecord, Objects } from '../store/objects';
import type { IdempotencyRecord } from '../store/uploads';
import type { Clock, Ids, Meter } from '../system';

export interface BucketDeps {
  readonly buckets: Buckets;
  readonly objects: Pick<Objects, 'list'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly serviceState: Pick<ServiceState, 'load' | 'save'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'bucketId' | 'ulid'>;
  readonly meter: Meter;
}

/**
 * Creates a bucket. Returns undefined when the idempotency key was used before. Throws conflict
 * when the bucket exists. AWS calls: 1 TransactWriteItems.
 */
export async function createBucket(
  deps: BucketDeps,
  name: string,
  idempotency?: (record: BucketRecord) => IdempotencyRecord,
): Promise<BucketRecord | undefined> {
  const createdAt = new Date(deps.clock.now()).toISOString();
  const record = { name, id: deps.ids.bucketId(), cursor: 0, createdAt };
  const outcome = await deps.buckets.create(record, idempotency?.(record));
  if (outcome === 'duplicate') return undefined;
  if (outcome === 'exists') {
    throw new ServiceError('conflict', {
      message: `a bucket named ${name} already exists`,
      details: { bucket: name },
    });
  }
  return record;
}

const RECORDS_PER_PAGE = 1000;

/**
 * Time that one call may spend on checking whether a bucket is empty, out of a function's 29
 * seconds.
 */
const SLICE_MS = 10_000;

interface Deletion {
  /** Absent: the caller that began the deletion stays recorded. */
  readonly by?: KeyHolder;
  readonly idempotency?: (deleted: BucketRecord) => IdempotencyRecord;
}

/**
 * Deletes an empty bucket, with an audit record of who did it, and returns its last state. Returns
 * undefined when its history is too long for one call: the bucket is still closing, and the next
 * call continues. Throws not_found, and conflict while the bucket holds objects. A bucket whose
 * first page shows an object is left alone. Else the bucket is closed, so that it allocates no
 * cursors; all gaps are filled, which stops the writers at work; and only then is it checked
 * whether the bucket is empty. A crash leaves it closing, and the janitor finishes or reopens it.
 * AWS calls: 1 Query, 1 UpdateItem, 1 GetItem, those of publishChanges, 1 Query per 1000
 * tombstones, 1 TransactWriteItems; when it is still closing, 1 PutItem instead of the last one.
 */
export async function deleteBucket(
  deps: BucketDeps,
  bucket: BucketRef,
  { by, idempotency }: Deletion = {},
): Promise<BucketRecord | undefined> {
  const { name, id } = bucket;
  const first = await deps.objects.list(id, prefixRange(''), 100);
  if (first.items.some(isLive)) throw notEmpty(name);
  const closing = await deps.buckets.close(bucket, new Date(deps.clock.now()).toISOString(), by);
  if (!closing) throw bucketNotFound(name);
  let trimmed: number | undefined;
  try {
    trimmed = await requireEmpty(deps, closing);
  } catch (error) {
    await deps.buckets.reopen(bucket);
    throw error;
  }
  if (trimmed === undefined) return undefined;
  const deletedAt = new Date(deps.clock.now()).toISOString();
  const deleted = { name, id, cursor: closing.cursor, trimmed, deletedAt };
  const saved = {
    idempotency: idempotency?.(closing),
    audit: closing.closingBy && deletionRecord(deps, closing, closing.closingBy, deletedAt),
  };
  if (!(await deps.buckets.remove(deleted, saved))) throw unavailable();
  return closing;
}

function deletionRecord(
  { ids }: BucketDeps,
  { name, id }: BucketRef,
  by: KeyHolder,
  at: string,
): AuditRecord {
  const details = { bucket: name, bucket_id: id };
  return { id: ids.ulid(), at, ...by, action: 'delete_bucket', details };
}

function notEmpty(name: string): ServiceError {
  return new ServiceError('conflict', {
    message: `bucket ${name} holds objects; delete them first`,
    details: { bucket: name },
  });
}

const isLive = (record: ObjectRecord) => record.state === 'live';

/**
 * Returns `trimmed` of the bucket (its log has no entry below that cursor), or undefined when the
 * time of this call is over. Throws conflict when the bucket holds objects. Checks both the records
 * and the counters, which follow from the log: a Query may see a commit only in part (AWS: "Amazon
 * DynamoDB Transactions: How it works", isolation levels), but the log is complete by then. When
 * the counters show an object, no record is read.
 */
async function requireEmpty(deps: BucketDeps, closing: BucketRecord): Promise<number | undefined> {
  const { name, id, cursor: upTo } = closing;
  const signal = stopAt(deps.clock, deps.clock.now() + SLICE_MS);
  const log = await publishChanges(deps, name, { id, fillAllGaps: true, upTo, signal });
  if (!log) throw bucketNotFound(name);
  // The published mark is kept: the next call continues there.
  if (log.stats.published < upTo) return undefined;
  if (log.stats.objectCount > 0) throw notEmpty(name);
  if (!(await checkRecords(deps, closing, signal))) return undefined;
  if (log.stats.objectCount !== 0) throw unavailable();
  return log.stats.trimmed;
}

/** Progress of a check. It is out of date once the bucket has allocated another cursor. */
interface Checked {
  readonly id: string;
  readonly cursor: number;
  /** The keys before this one have no object. */
  readonly from: string;
}

/**
 * Reports whether every record was checked; throws conflict when one is an object. While the cursor
 * stays the same no record can change, so records that another call has checked are not read again.
 */
async function checkRecords(
  deps: BucketDeps,
  { name, id, cursor }: BucketRecord,
  signal: StopSignal,
): Promise<boolean> {
  const saved = `closing:${name}`;
  const earlier: Checked | undefined = JSON.parse((await deps.serviceState.load(saved)) || 'null');
  const isCurrent = earlier?.id === id && earlier.cursor === cursor;
  let rest: NameRange | undefined = clipRange(prefixRange(''), isCurrent ? earlier.from : '');
  while (rest) {
    const page: Page<ObjectRecord> = await deps.objects.list(id, rest, RECORDS_PER_PAGE);
    if (page.items.some(isLive)) throw notEmpty(name);
    const last = page.items.at(-1);
    rest = page.more && last ? clipRange(rest, afterName(last.key)) : undefined;
    if (rest === undefined || !signal.aborted) continue;
    const checked: Checked = { id, cursor, from: rest.from };
    await deps.serviceState.save(saved, JSON.stringify(checked));
    return false;
  }
  return true;
}

export interface BucketPage {
  readonly buckets: readonly ListedBucket[];
  readonly next?: string;
}

/** Queries that one request may spend: a key's permissions may name many buckets. */
const QUERIES_PER_PAGE = 50;

/**
 * Returns one page of the buckets in `ranges`, from `from` on. AWS calls: 1 Query and 1-20
 * BatchGetItem per range.
 */
export async function listBuckets(
  buckets: Pick<Buckets, 'list'>,
  ranges: readonly NameRange[],
  limit: number,
  from: string,
): Promise<BucketPage> {
  const found: ListedBucket[] = [];
  let queries = 0;
  for (const range of ranges) {
    let rest = clipRange(range, from);
    while (rest) {
      if (queries++ === QUERIES_PER_PAGE) return { buckets: found, next: rest.from };
      const page = await buckets.list(rest, Math.min(limit - found.length + 1, 1000));
      for (const item of page.items) {
        if (found.length === limit) return { buckets: found, next: item.record.name };
        found.push(item);
      }
      const last = page.items.at(-1);
      rest = page.more && last ? clipRange(range, afterName(last.record.name)) : undefined;
    }
  }
  return { buckets: found };
}
