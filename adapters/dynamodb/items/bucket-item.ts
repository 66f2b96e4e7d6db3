import type { KeyHolder } from '../../../core/access/ports';
import type {
  BucketRecord,
  BucketStats,
  DeletedBucket,
  LifecycleRule,
  RuledBucket,
} from '../../../core/store/buckets';
import { type Fields, fromItem, type Item, toItem } from './attributes';

/**
 * Keys of the Buckets table. A bucket's record, its stats and its directory entry are three items,
 * so that the record with the counter stays small and only the allocation of cursors writes it
 * often. No bucket name contains `#`.
 */
export const DIRECTORY = '#directory';
export const DELETED_BUCKETS = '#deleted';
export const STATE = '#state';

/** The attributes of a key, for conditions and decoding. */
const RECORD_ENTRY = 'bucket';
const STATS_ENTRY = 'stats';

export function recordKey(name: string): Fields {
  return { name, entry: RECORD_ENTRY };
}

export function statsKey(name: string): Fields {
  return { name: `${name}#stats`, entry: STATS_ENTRY };
}

export function directoryKey(name: string): Fields {
  return { name: DIRECTORY, entry: name };
}

interface RuleFields {
  readonly lifecycle?: readonly { readonly prefix: string; readonly expire_after_days: number }[];
}

/** The directory entry has the lifecycle rules, if there are any: it is written rarely. */
export function directoryItem({ name, rules }: RuledBucket): Item {
  const lifecycle = rules.map(({ prefix, expireAfterDays }) => ({
    prefix,
    expire_after_days: expireAfterDays,
  }));
  return toItem({ ...directoryKey(name), lifecycle: rules.length > 0 ? lifecycle : undefined });
}

export function lifecycleRules(item: Item): readonly LifecycleRule[] {
  const { lifecycle = [] } = fromItem<RuleFields>(item);
  return lifecycle.map(({ prefix, expire_after_days }) => ({
    prefix,
    expireAfterDays: expire_after_days,
  }));
}

export function deletedBucketKey(id: string): Fields {
  return { name: DELETED_BUCKETS, entry: id };
}

/** The record of a bucket that is not closing. */
export function recordItem({ name, id, cursor, createdAt }: BucketRecord): Item {
  return toItem({ ...recordKey(name), id, cursor, created_at: createdAt });
}

interface RecordFields {
  readonly name: string;
  readonly id: string;
  readonly cursor: number;
  readonly created_at: string;
  readonly closing_at?: string;
  readonly closing_by?: HolderFields;
}

interface HolderFields {
  readonly actor: string;
  readonly actor_id: string;
  readonly key_id: string;
}

/** An attribute of the record while the bucket is closing. */
export function holderFields({ actor, actorId, keyId }: KeyHolder): Fields {
  return { actor, actor_id: actorId, key_id: keyId };
}

function holder({ actor, actor_id, key_id }: HolderFields): KeyHolder {
  return { actor, actorId: actor_id, keyId: key_id };
}

export function bucketRecord(item: Item): BucketRecord {
  const { name, id, cursor, created_at, closing_at, closing_by } = fromItem<RecordFields>(item);
  return {
    name,
    id,
    cursor,
    createdAt: created_at,
    ...(closing_at !== undefined && { closingAt: closing_at }),
    ...(closing_by && { closingBy: holder(closing_by) }),
  };
}

interface StatsFields {
  readonly name: string;
  readonly id: string;
  readonly oldest: number;
  readonly trimmed: number;
  readonly delivered: number;
  readonly object_count: number;
  readonly total_size: number;
  readonly pusher?: string;
  readonly push_until?: number;
  readonly digest?: NonNullable<BucketStats['digest']>;
}

/** `id` identifies the incarnation of the bucket. Without a push lease. */
export function statsItem(
  name: string,
  { published, objectCount, totalSize, ...stats }: Omit<BucketStats, 'pushLease' | 'digest'>,
): Item {
  return toItem({
    ...statsKey(name),
    ...stats,
    delivered: published,
    object_count: objectCount,
    total_size: totalSize,
  });
}

/** The stats of a new bucket. */
export function newStatsItem(name: string, id: string): Item {
  const counters = { objectCount: 0, totalSize: 0 };
  return statsItem(name, { id, oldest: 1, trimmed: 1, published: 0, ...counters });
}

export function bucketStats(item: Item): BucketStats {
  const { pusher, push_until, digest, ...fields } = fromItem<StatsFields>(item);
  const { id, oldest, trimmed, delivered, object_count, total_size } = fields;
  return {
    id,
    oldest,
    trimmed,
    published: delivered,
    objectCount: object_count,
    totalSize: total_size,
    ...(digest && { digest }),
    ...(pusher !== undefined &&
      push_until !== undefined && { pushLease: { holder: pusher, until: push_until } }),
  };
}

export function deletedBucketItem({ name, id, cursor, trimmed, deletedAt }: DeletedBucket): Item {
  return toItem({ ...deletedBucketKey(id), bucket: name, cursor, trimmed, deleted_at: deletedAt });
}

interface DeletedFields {
  readonly entry: string;
  readonly bucket: string;
  readonly cursor: number;
  /** Absent in items of earlier versions. */
  readonly trimmed?: number;
  readonly deleted_at: string;
}

export function deletedBucket(item: Item): DeletedBucket {
  const { entry, bucket, cursor, trimmed = 1, deleted_at } = fromItem<DeletedFields>(item);
  return { name: bucket, id: entry, cursor, trimmed, deletedAt: deleted_at };
}

/** Splits items of `recordKey` and `statsKey` by bucket name. */
export function byBucket(items: readonly Item[]): {
  readonly records: ReadonlyMap<string, BucketRecord>;
  readonly stats: ReadonlyMap<string, BucketStats>;
} {
  const records = new Map<string, BucketRecord>();
  const stats = new Map<string, BucketStats>();
  for (const item of items) {
    if (item.entry?.S === RECORD_ENTRY) {
      const record = bucketRecord(item);
      records.set(record.name, record);
    } else {
      stats.set((item.name?.S ?? '').slice(0, -'#stats'.length), bucketStats(item));
    }
  }
  return { records, stats };
}
