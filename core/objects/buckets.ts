/**
 * The life of a bucket. A bucket made again under the same name has a new id, so nothing of the old
 * one reaches it.
 */

import type { BucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import { type BucketLog, publishChanges } from '../log/feed';
import type { ChangeLog } from '../log/ports';
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

export interface BucketDeps {
  readonly buckets: Buckets;
  readonly objects: Pick<Objects, 'list'>;
  readonly changeLog: Pick<ChangeLog, 'read' | 'fill'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'bucketId'>;
  readonly meter: Meter;
}

/**
 * AWS calls: 1 TransactWriteItems. undefined: the idempotency key was used before. Throws conflict.
 */
export async function createBucket(
  deps: BucketDeps,
  name: string,
  replay?: (record: BucketRecord) => IdempotencyRecord,
): Promise<BucketRecord | undefined> {
  const createdAt = new Date(deps.clock.now()).toISOString();
  const record = { name, id: deps.ids.bucketId(), cursor: 0, createdAt };
  const outcome = await deps.buckets.create(record, replay?.(record));
  if (outcome === 'replayed') return undefined;
  if (outcome === 'exists') {
    throw new ServiceError('conflict', {
      message: `a bucket named ${name} exists already`,
      details: { bucket: name },
    });
  }
  return record;
}

/**
 * Deletes an empty bucket. A bucket that plainly holds something is left alone; else closing stops
 * new numbers, fencing every hole stops the writers in flight, and only then is its emptiness
 * looked at. A crash leaves it closing; the janitor finishes or reopens it. AWS calls: 1 Query, 1
 * UpdateItem, those of advanceFeed, 1 Query per 1000 tombstones, 1 TransactWriteItems. Answers the
 * bucket's last state. Throws not_found; conflict while it holds objects.
 */
export async function deleteBucket(
  deps: BucketDeps,
  bucket: BucketRef,
  replay?: (gone: BucketRecord) => IdempotencyRecord,
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
  const grave = { name, id, cursor: closing.cursor, trimmed, deletedAt };
  if (!(await deps.buckets.remove(grave, replay?.(closing)))) throw unavailable();
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
 * Asks both the records and the counters that follow from the log: a query may see a commit only in
 * part (AWS: "Amazon DynamoDB Transactions: How it works", isolation levels), the log has been read
 * by then. Answers below which entry there is none any more.
 */
async function requireEmpty(deps: BucketDeps, closing: BucketRecord): Promise<number> {
  const { stats } = await fenceAll(deps, closing);
  if (await holdsObjects(deps, closing.id)) throw notEmpty(closing.name);
  if (stats.objectCount !== 0) throw unavailable();
  return stats.trimmed;
}

/** Moves `delivered` to the head, filling every hole. */
async function fenceAll(deps: BucketDeps, { name, id, cursor }: BucketRecord): Promise<BucketLog> {
  const feed = await publishChanges(deps, name, { id, force: true, upTo: cursor });
  if (!feed) throw bucketNotFound(name);
  return feed;
}

async function holdsObjects(deps: BucketDeps, bucketId: string): Promise<boolean> {
  let range: NameRange | undefined = prefixRange('');
  while (range) {
    const page = await deps.objects.list(bucketId, range, 1000);
    if (page.items.some(isLive)) return true;
    const last = page.items.at(-1);
    range = page.more && last ? clipRange(range, afterName(last.key)) : undefined;
  }
  return false;
}

export interface BucketPage {
  readonly buckets: readonly ListedBucket[];
  readonly next?: string;
}

/** Ranges that one request looks through: a key's permissions may name many buckets. */
const RANGES_PER_PAGE = 50;

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
  let looked = 0;
  for (const range of ranges) {
    let rest = clipRange(range, from);
    while (rest) {
      if (looked++ === RANGES_PER_PAGE) return { buckets: found, next: rest.from };
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
