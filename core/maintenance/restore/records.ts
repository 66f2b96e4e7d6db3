/**
 * The records of a bucket that is being restored: those without bytes are deleted, and what is left
 * is counted.
 */

import type { BucketRef } from '../../bucket-ref';
import { ServiceError } from '../../errors';
import { commitChange } from '../../log/commit';
import type { LiveObject, ObjectRecord, Tombstone } from '../../objects/ports';
import { beginRecordWalk, type RecordCheck, type RecordWalk, walkRecords } from '../reconcile';
import type { RestoreDeps, RestoreOptions } from './restore';

/**
 * Walks over all records: deletes by a commit each live one whose blob is gone, forgets the
 * tombstones whose history goes too, and corrects the counters. AWS calls per 100 records: 1 Query,
 * 100 HeadObject, 1 DeleteItem per tombstone.
 */
export async function checkRecords(
  deps: RestoreDeps,
  bucket: BucketRef,
  { moment, apply, to }: RestoreOptions & { readonly to: number },
  marginMs: number,
): Promise<{ readonly live: number; readonly lost: number }> {
  let live = 0;
  let lost = 0;
  const judge: RecordCheck = async (_deps, bucketId, record, hasBlob) => {
    if (record.state === 'live' && hasBlob) live += 1;
    else if (record.state === 'live') {
      lost += 1;
      deps.log.error('bytes_lost', { bucket: bucket.name, key: record.key, blob: record.blob });
      if (apply) await deleteLost(deps, bucket, record);
    } else if (apply && isSettled(record, moment - marginMs, to)) {
      await deps.objects.removeTombstone(bucketId, record.key, record.cursor);
    }
  };
  const { buckets } = deps;
  const counting = {
    ...deps,
    buckets: {
      stats: (name: string) => buckets.stats(name),
      correct: async (...correction: Parameters<typeof buckets.correct>) => {
        if (apply) await buckets.correct(...correction);
      },
    },
  };
  let walk: RecordWalk | undefined = await beginRecordWalk(counting, bucket.name);
  while (walk) walk = await walkRecords(counting, bucket, walk, judge);
  return { live, lost };
}

/** Its entry goes, and no blob that may still be adopted is older than it. */
function isSettled({ deletedAt, cursor }: Tombstone, since: number, to: number): boolean {
  return cursor <= to && Date.parse(deletedAt) < since;
}

async function deleteLost(deps: RestoreDeps, bucket: BucketRef, lost: LiveObject): Promise<void> {
  const check = (now: ObjectRecord | undefined) => {
    if (now?.cursor !== lost.cursor) throw new ServiceError('precondition_failed');
  };
  try {
    await commitChange(
      deps,
      {
        bucket,
        key: lost.key,
        check,
        build: ({ version, cursor, at, ancestors }): Tombstone => ({
          state: 'deleted',
          bucket: bucket.name,
          key: lost.key,
          version,
          cursor,
          deletedAt: at,
          ancestors,
        }),
      },
      lost,
    );
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'precondition_failed')) throw error;
  }
}
