/**
 * Forgetting history. `oldest` moves first, past delivered entries that are older than the
 * retention; only then do entries vanish, with the blobs that they superseded and the tombstones
 * that they made. A reader that misses an entry below `oldest` knows why; a missing entry at or
 * above it is a writer in flight.
 */

import type { BucketRef } from '../bucket-ref';
import type { Blobs } from '../objects/blob-ports';
import type { BucketStats, Buckets, Objects } from '../objects/ports';
import type { Clock } from '../system';
import type { ChangeEntry, ChangeLog } from './ports';

const SLICE = 500;

export interface TrimDeps {
  readonly buckets: Pick<Buckets, 'stats' | 'raiseOldest' | 'raiseTrimmed'>;
  readonly objects: Pick<Objects, 'removeTombstone'>;
  readonly changeLog: Pick<ChangeLog, 'get' | 'read' | 'remove'>;
  readonly blobs: Pick<Blobs, 'remove'>;
  readonly clock: Clock;
  readonly retentionSeconds: number;
}

export interface TrimBudget {
  /** Entries at most, this time. */
  readonly entries: number;
  readonly stopAt?: () => boolean;
}

/**
 * Trims one bucket whose stats were just read. AWS calls: 1 GetItem (the oldest entry) when nothing
 * has expired; else per 500 entries 16 Query, 2 UpdateItem, 1 DeleteObjects, a DeleteItem per
 * tombstone, 20 BatchWriteItem. Answers how many entries went.
 */
export async function trimBucket(
  deps: TrimDeps,
  bucket: BucketRef,
  stats: BucketStats,
  budget: TrimBudget,
): Promise<number> {
  let gone = 0;
  let { oldest, trimmed } = stats;
  while (gone < budget.entries && !budget.stopAt?.()) {
    if (trimmed === oldest) {
      oldest = await expiredEnd(deps, bucket.id, { ...stats, oldest });
      if (oldest === trimmed) break;
      await deps.buckets.raiseOldest(bucket, oldest);
    }
    const end = Math.min(oldest - 1, trimmed - 1 + SLICE);
    await removeEntries(deps, bucket.id, trimmed - 1, end);
    await deps.buckets.raiseTrimmed(bucket, end + 1);
    gone += end + 1 - trimmed;
    trimmed = end + 1;
  }
  return gone;
}

/** The first number from `oldest` on that must stay, looking one slice ahead. */
async function expiredEnd(deps: TrimDeps, bucketId: string, stats: BucketStats): Promise<number> {
  const limit = deps.clock.now() - deps.retentionSeconds * 1000;
  const end = Math.min(stats.published, stats.oldest - 1 + SLICE);
  if (end < stats.oldest) return stats.oldest;
  const first = await deps.changeLog.get(bucketId, stats.oldest);
  if (!first || Date.parse(first.at) >= limit) return stats.oldest;
  const entries = await deps.changeLog.read(bucketId, stats.oldest - 1, end);
  let next = stats.oldest;
  for (const entry of entries) {
    if (entry.cursor !== next || Date.parse(entry.at) >= limit) break;
    next += 1;
  }
  return next;
}

/**
 * Deletes what the entries after `after` up to `to` kept alive, then the entries. Safe to repeat.
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

function supersededBlob(entry: ChangeEntry): string[] {
  return entry.type !== 'void' && entry.previous?.state === 'live' ? [entry.previous.blob] : [];
}
