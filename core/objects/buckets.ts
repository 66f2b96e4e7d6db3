/**
 * Creates, deletes and lists buckets. A bucket that is created again under the same name has a new
 * id, so it shares nothing with the old one.
 */

import type { BucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import type { ChangeLog } from '../log/ports';
import { type LogState, publishChanges } from '../log/publish';
import type { Clock, Ids, Meter } from '../system';
import { bucketNotFound } from './bucket-ids';
import { afterName, clipRange, prefixRange } from './names';
import type {
  BucketRecord,
  Buckets,
  IdempotencyRecord,
  ListedBucket,
  NameRange,
  ObjectRecord,
  Objects,
} from './ports';
import { walkObjects } from './walk';

export interface BucketDeps {
  readonly buckets: Buckets;
  readonly objects: Pick<Objects, 'list'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'bucketId'>;
  readonly meter: Meter;
}

/**
 * Creates a bucket. undefined: the idempotency key was used before. Throws conflict when the bucket
 * exists. AWS calls: 1 TransactWriteItems.
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

/**
 * Deletes an empty bucket and returns its last state. Throws not_found, and conflict while it holds
 * objects. A bucket whose first page shows an object is left alone. Else the bucket is closed, so
 * that it allocates no cursors; all gaps are filled, which stops the writers at work; and only then
 * is it checked whether the bucket is empty. A crash leaves it closing, and the janitor finishes or
 * reopens it. AWS calls: 1 Query, 1 UpdateItem, those of publishChanges, 1 Query per 1000
 * tombstones, 1 TransactWriteItems.
 */
export async function deleteBucket(
  deps: BucketDeps,
  bucket: BucketRef,
  idempotency?: (deleted: BucketRecord) => IdempotencyRecord,
): Promise<BucketRecord> {
  const { name, id } = bucket;
  const first = await deps.objects.list(id, prefixRange(''), 100);
  if (first.items.some(isLive)) throw notEmpty(name);
  const closing = await deps.buckets.close(bucket, new Date(deps.clock.now()).toISOString());
  if (!closing) throw bucketNotFound(name);
  let trimmed: number;
  try {
    trimmed = await requireEmpty(deps, closing);
  } catch (error) {
    await deps.buckets.reopen(bucket);
    throw error;
  }
  const deletedAt = new Date(deps.clock.now()).toISOString();
  const deleted = { name, id, cursor: closing.cursor, trimmed, deletedAt };
  if (!(await deps.buckets.remove(deleted, idempotency?.(closing)))) throw unavailable();
  return closing;
}

function notEmpty(name: string): ServiceError {
  return new ServiceError('conflict', {
    message: `bucket ${name} holds objects; delete them first`,
    details: { bucket: name },
  });
}

const isLive = (record: ObjectRecord) => record.state === 'live';

/**
 * Returns `trimmed` of the bucket: its log has no entry below that cursor. Throws conflict when the
 * bucket holds objects. Checks both the records and the counters, which follow from the log: a
 * Query may see a commit only in part (AWS: "Amazon DynamoDB Transactions: How it works", isolation
 * levels), but the log is complete by then.
 */
async function requireEmpty(deps: BucketDeps, closing: BucketRecord): Promise<number> {
  const { stats } = await publishAll(deps, closing);
  if (await holdsObjects(deps, closing.id)) throw notEmpty(closing.name);
  if (stats.objectCount !== 0) throw unavailable();
  return stats.trimmed;
}

/** Publishes the log up to its last cursor, filling all gaps. */
async function publishAll(deps: BucketDeps, { name, id, cursor }: BucketRecord): Promise<LogState> {
  const state = await publishChanges(deps, name, { id, fillAllGaps: true, upTo: cursor });
  if (!state) throw bucketNotFound(name);
  return state;
}

async function holdsObjects(deps: BucketDeps, bucketId: string): Promise<boolean> {
  for await (const record of walkObjects(deps.objects, bucketId)) if (isLive(record)) return true;
  return false;
}

export interface BucketPage {
  readonly buckets: readonly ListedBucket[];
  readonly next?: string;
}

/** Queries that one request may spend: a key's permissions may name many buckets. */
const QUERIES_PER_PAGE = 50;

/**
 * One page of the buckets in `ranges`, from `from` on. AWS calls: 1 Query and 1-20 BatchGetItem per
 * range.
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
