/**
 * Reads the change log of one incarnation of a bucket. The log outlives the bucket itself by the
 * retention time.
 */

import type { BucketRef } from '../bucket-ref';
import { walkBuckets } from '../buckets/walk';
import { LIMITS } from '../limits';
import {
  type BucketState,
  type ChangesRun,
  CursorExpired,
  type ReadChangesDeps,
  readAfter,
} from '../log/cursor-reads';
import { wholeCommits } from '../log/entries';
import { lowerBound } from '../log/lower-bound';
import type { ChangeLog } from '../log/ports';
import type { Buckets, DeletedBucket } from '../store/buckets';

export interface BucketLogDeps extends ReadChangesDeps {
  readonly buckets: ReadChangesDeps['buckets'] & Pick<Buckets, 'deletedBuckets'>;
  readonly changeLog: ReadChangesDeps['changeLog'] & Pick<ChangeLog, 'get'>;
}

export interface AllBucketsDeps extends BucketLogDeps {
  readonly buckets: BucketLogDeps['buckets'] & Pick<Buckets, 'list'>;
}

export interface TargetBucket extends BucketRef {
  /** The newest allocated cursor. */
  readonly head: number;
  /** Absent if the bucket is deleted. */
  readonly state?: BucketState;
  /** Present if the bucket is deleted. ISO 8601 UTC. */
  readonly deletedAt?: string;
}

/** The entries between the cursor that was read from and `oldest` are trimmed. */
export interface TrimmedRange {
  readonly oldest: number;
  readonly head: number;
}

/**
 * The bucket, existing or deleted; undefined if its log is gone too. AWS calls: 2 GetItem; 1 Query
 * more if it is deleted.
 */
export async function findBucket(
  deps: Pick<BucketLogDeps, 'buckets'>,
  bucket: BucketRef,
): Promise<TargetBucket | undefined> {
  const { buckets } = deps;
  const [record, stats] = await Promise.all([buckets.get(bucket.name), buckets.stats(bucket.name)]);
  if (record?.id === bucket.id && stats?.id === bucket.id) return existingBucket({ record, stats });
  const deleted = (await buckets.deletedBuckets()).find(({ id }) => id === bucket.id);
  if (deleted) return deletedBucket(deleted);
  // The bucket was deleted and created again between the reads of its record and its statistics.
  return record?.id === bucket.id ? findBucket(deps, bucket) : undefined;
}

function existingBucket(state: BucketState): TargetBucket {
  const { name, id, cursor } = state.record;
  return { name, id, head: cursor, state };
}

function deletedBucket({ name, id, cursor, deletedAt }: DeletedBucket): TargetBucket {
  return { name, id, head: cursor, deletedAt };
}

/**
 * Every bucket, and every deleted one whose log is still stored. AWS calls: 2 Query, 2 BatchGetItem
 * per 100 buckets.
 */
export async function allBuckets({
  buckets,
}: Pick<AllBucketsDeps, 'buckets'>): Promise<readonly TargetBucket[]> {
  const found: TargetBucket[] = [];
  for await (const listed of walkBuckets(buckets)) found.push(existingBucket(listed));
  // Read last, so that a bucket that is deleted during the call is found at least once.
  return [...found, ...(await buckets.deletedBuckets()).map(deletedBucket)];
}

/**
 * The entries after `after`, at most `limit`; or what is trimmed of them. Returns undefined when
 * the bucket was deleted in between. AWS calls: those of readAfter.
 */
export async function readBucketLog(
  deps: BucketLogDeps,
  bucket: TargetBucket,
  after: number,
  limit: number,
): Promise<ChangesRun | TrimmedRange | undefined> {
  if (!bucket.state) return readDeletedLog(deps, bucket, after, limit);
  try {
    return await readAfter(deps, bucket.state, after, limit);
  } catch (error) {
    if (!(error instanceof CursorExpired)) throw error;
    const { oldest, head } = error.expiry;
    return oldest > after + 1 ? { oldest, head: Math.max(head, oldest - 1) } : undefined;
  }
}

/** Every gap was filled before the bucket was deleted, so an entry that is missing was trimmed. */
async function readDeletedLog(
  { changeLog }: BucketLogDeps,
  { id, head }: TargetBucket,
  after: number,
  limit: number,
): Promise<ChangesRun | TrimmedRange> {
  const stored = await changeLog.readShown(
    id,
    after,
    Math.min(head, after + limit + LIMITS.commitChanges),
  );
  const missing = stored.findIndex(({ cursor }, index) => cursor !== after + 1 + index);
  const found = missing === -1 ? stored : stored.slice(0, missing);
  const entries = wholeCommits(found, limit);
  const to = after + entries.length;
  // At the head there is nothing to read, and nothing is missing.
  if (to > after || after >= head) return { from: after, to, entries, head, more: to < head };
  // Entries are trimmed in order. Up to 53 GetItem.
  const isStored = async (cursor: number) => (await changeLog.get(id, cursor)) !== undefined;
  return { oldest: await lowerBound(after + 2, head + 1, isStored), head };
}

/**
 * Reports whether the log may have more to read than `bucket` shows. Asked after the lease was
 * released, because an instance that was invoked before that left the new entries to the holder of
 * the lease. `gap`: the cursor at which reading stopped; until it is filled, nothing after it can
 * be read. AWS calls: 1 GetItem.
 */
export async function mayHaveMore(
  { buckets, changeLog }: BucketLogDeps,
  bucket: TargetBucket,
  gap: number | undefined,
): Promise<boolean> {
  if (!bucket.state) return false;
  if (gap !== undefined) return (await changeLog.get(bucket.id, gap)) !== undefined;
  const record = await buckets.get(bucket.name);
  return record?.id !== bucket.id || record.cursor > bucket.head;
}
