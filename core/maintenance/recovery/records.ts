/**
 * Step 3 of a restore: deletes the records that have lost their bytes, and counts the others.
 */

import type { BucketRef } from '../../bucket-ref';
import { ServiceError } from '../../errors';
import { commitChange } from '../../log/commit';
import type { LiveObject, ObjectRecord, Tombstone } from '../../store/objects';
import { beginRecordCheck, checkRecordPage, type RecordCheck } from '../record-check';
import { newBlobsSince, type RestoreDeps, type RestoreOptions } from './recovery-deps';

/**
 * Checks all records: deletes by a commit each live one whose blob is gone, removes the tombstones
 * whose history is removed too, and corrects the counters. AWS calls: those of `checkRecordPage`,
 * and 1 DeleteItem per tombstone.
 */
export async function checkRecords(
  deps: RestoreDeps,
  bucket: BucketRef,
  options: RestoreOptions & { readonly to: number },
): Promise<{ readonly live: number; readonly lost: number }> {
  const { apply, to } = options;
  let live = 0;
  let lost = 0;
  const onRecord = async (record: ObjectRecord, hasBlob: boolean) => {
    if (record.state === 'live' && hasBlob) live += 1;
    else if (record.state === 'live') {
      lost += 1;
      deps.log.error('bytes_lost', { bucket: bucket.name, key: record.key, blob: record.blob });
      if (apply) await deleteLost(deps, bucket, record);
    } else if (apply && isSettled(record, newBlobsSince(options), to)) {
      await deps.objects.removeTombstone(bucket.id, record.key, record.cursor);
    }
  };
  const checking = apply ? deps : { ...deps, buckets: withoutCorrections(deps) };
  let check: RecordCheck | undefined = await beginRecordCheck(checking, bucket.name);
  while (check) {
    check = await checkRecordPage(checking, bucket, check, { onRecord, allowNoRecords: true });
  }
  return { live, lost };
}

function withoutCorrections({ buckets }: RestoreDeps) {
  return { stats: (name: string) => buckets.stats(name), correct: async () => undefined };
}

/** Its entry is removed, and every blob that may still be recovered is newer. */
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
