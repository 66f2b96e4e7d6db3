/** Buckets as JSON responses show them. */
import type { BucketRecord, BucketStats, LifecycleRule } from '../store/buckets';
import { lifecycleView } from './lifecycle';

export type Counters = Pick<BucketStats, 'objectCount' | 'totalSize'>;

export const NO_OBJECTS: Counters = { objectCount: 0, totalSize: 0 };

/**
 * Returns the JSON of a bucket. `rules` is absent where the rules are not read. A subscription from
 * `cursor` on misses nothing. `counters` is absent for a caller who may not see them.
 */
export function bucketView(
  record: BucketRecord,
  cursor: number,
  counters?: Counters,
  rules: readonly LifecycleRule[] = [],
) {
  return {
    name: record.name,
    bucket_id: record.id,
    created_at: record.createdAt,
    cursor,
    ...(counters && { object_count: counters.objectCount, total_size: counters.totalSize }),
    ...(rules.length > 0 && { lifecycle: lifecycleView(rules) }),
  };
}
