import type { ChangeEntry } from '../../../../core/log/ports';
import { fromItem, type Item, toItem } from './attributes';
import { type ObjectFields, objectFields, objectRecord } from './object-item';

/** Consecutive cursors are in different partitions, so that a bucket has no hot partition. */
export const SHARDS = 8;

interface ChangeFields {
  readonly bucket: string;
  readonly bucket_id: string;
  readonly cursor: number;
  readonly type: 'put' | 'delete' | 'void';
  readonly at: string;
  readonly object?: ObjectFields;
  readonly previous?: ObjectFields;
}

/** The partition of the Changes table that holds the entry at the cursor. */
export function shardOf(bucketId: string, cursor: number): string {
  return `${bucketId}#${cursor % SHARDS}`;
}

export function changeKey(bucketId: string, cursor: number): Item {
  return toItem({ shard: shardOf(bucketId, cursor), cursor });
}

/** Has `bucket` and `bucket_id` for the readers of the table's stream. */
export function changeItem(bucketId: string, entry: ChangeEntry): Item {
  const { bucket, cursor, type, at } = entry;
  const shard = shardOf(bucketId, cursor);
  const common = { shard, cursor, bucket, bucket_id: bucketId, type, at };
  if (entry.type === 'void') return toItem(common);
  return toItem({
    ...common,
    object: objectFields(entry.object),
    previous: entry.previous && objectFields(entry.previous),
  });
}

export function changeEntry(item: Item): ChangeEntry {
  const { bucket, cursor, type, at, object, previous } = fromItem<ChangeFields>(item);
  if (type === 'void') return { type, bucket, cursor, at };
  if (object === undefined) throw new Error(`entry ${cursor} of ${bucket} has no object`);
  return {
    type,
    bucket,
    cursor,
    at,
    object: objectRecord(object),
    ...(previous && { previous: objectRecord(previous) }),
  };
}
