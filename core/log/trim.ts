/**
 * Trims change logs. First `oldest` moves past published entries that are older than the retention;
 * then the entries are removed, with the blobs that they superseded and the tombstones that they
 * made. So a reader knows that a missing entry below `oldest` was trimmed, and that the writer of
 * one at or above it may still be at work.
 */

import type { BucketRef } from '../bucket-ref';
import { LIMITS } from '../limits';
import type { StopSignal } from '../stop-signal';
import type { Blobs } from '../store/blobs';
import type { BucketStats, Buckets } from '../store/buckets';
import type { Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import type { Clock } from '../system';
import { endsInside } from './entries';
import type { ChangeEntry, ChangeLog } from './ports';

export interface TrimDeps {
  readonly buckets: Pick<Buckets, 'stats' | 'raiseOldest' | 'raiseTrimmed'>;
  readonly objects: Pick<Objects, 'removeTombstone'>;
  readonly changeLog: Pick<ChangeLog, 'get' | 'read' | 'remove'>;
  readonly blobs: Pick<Blobs, 'remove'>;
  readonly clock: Clock;
  readonly retentionSeconds: number;
}

export interface TrimBudget {
  /** Maximum number of entries to trim. */
  readonly entries: number;
  readonly signal?: StopSignal;
}

/**
 * Trims one bucket whose statistics were just read. Returns how many entries it removed. AWS calls:
 * 1 GetItem (the oldest entry) when nothing has expired; else per 500 entries 16 Query, 2
 * UpdateItem, 1 DeleteObjects, a DeleteItem per tombstone, 20 BatchWriteItem.
 */
export async function trimBucket(
  deps: TrimDeps,
  bucket: BucketRef,
  stats: BucketStats,
  budget: TrimBudget,
): Promise<number> {
  let removed = 0;
  let { oldest, trimmed } = stats;
  while (removed < budget.entries && !budget.signal?.aborted) {
    if (trimmed === oldest) {
      oldest = await expiredEnd(deps, bucket.id, { ...stats, oldest });
      if (oldest === trimmed) break;
      await deps.buckets.raiseOldest(bucket, oldest);
    }
    const end = Math.min(oldest - 1, trimmed - 1 + LIMITS.entriesPerRead);
    await removeEntries(deps, bucket.id, trimmed - 1, end);
    await deps.buckets.raiseTrimmed(bucket, end + 1);
    removed += end + 1 - trimmed;
    trimmed = end + 1;
  }
  return removed;
}

/** The first cursor from `oldest` on whose entry has not expired, among the next 500. */
async function expiredEnd(deps: TrimDeps, bucketId: string, stats: BucketStats): Promise<number> {
  const limit = deps.clock.now() - deps.retentionSeconds * 1000;
  const end = Math.min(stats.published, stats.oldest - 1 + LIMITS.entriesPerRead);
  if (end < stats.oldest) return stats.oldest;
  const first = await deps.changeLog.get(bucketId, stats.oldest);
  if (!first || Date.parse(first.at) >= limit) return stats.oldest;
  const entries = await deps.changeLog.read(bucketId, stats.oldest - 1, end);
  let next = stats.oldest;
  for (const entry of entries) {
    if (entry.cursor !== next || Date.parse(entry.at) >= limit) break;
    next += 1;
  }
  // A reader that begins at `oldest` must not begin inside a commit.
  const commit = endsInside(entries.slice(0, next - stats.oldest));
  return commit ? Math.max(stats.oldest, commit.first) : next;
}

/**
 * Removes the entries after `after` up to `to`, but first the blobs and tombstones that only they
 * keep. Repeatable.
 */
export async function removeEntries(
  deps: Pick<TrimDeps, 'changeLog' | 'blobs' | 'objects'>,
  bucketId: string,
  after: number,
  to: number,
): Promise<void> {
  const entries = await deps.changeLog.read(bucketId, after, to);
  const blobs = entries.flatMap(supersededBlob);
  if (blobs.length > 0) await deps.blobs.remove(blobs);
  for (const entry of entries) {
    if (entry.type === 'delete') {
      await deps.objects.removeTombstone(bucketId, entry.object.key, entry.cursor);
    }
  }
  if (entries.length > 0) {
    await deps.changeLog.remove(
      bucketId,
      entries.map((entry) => entry.cursor),
    );
  }
}

/** A change of the descriptor alone keeps the blob. */
function supersededBlob(entry: ChangeEntry): string[] {
  const previous = entry.type === 'noop' ? undefined : liveOf(entry.previous);
  if (entry.type === 'noop' || !previous) return [];
  return liveOf(entry.object)?.blob === previous.blob ? [] : [previous.blob];
}
