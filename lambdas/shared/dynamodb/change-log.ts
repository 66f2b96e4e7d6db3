import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import type { ChangeEntry, ChangeLog } from '../../../core/log/ports';
import { deleteAll } from './batches';
import { pastConflicts } from './conflicts';
import { fromItem, type Item, names, toItem } from './items/attributes';
import { type ObjectFields, objectFields, objectRecord } from './items/object-item';
import { readItem } from './read-item';

const MAX_RANGE = 1000;

/** The ChangeLog port on the Changes table. */
export class DynamoChangeLog implements ChangeLog {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** 1 GetItem, consistent. */
  async get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined> {
    const item = await readItem(this.client, this.table, changeKey(bucketId, cursor));
    return item && changeEntry(item);
  }

  /**
   * 1 consistent Query per shard that may hold an entry of the range (8, or fewer for a short
   * range), and 1 more per further 1 MB of a shard; in parallel.
   */
  async read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry[]> {
    if (to - after > MAX_RANGE) {
      throw new RangeError(`a range has at most ${MAX_RANGE} entries, got ${to - after}`);
    }
    const shards = Math.max(0, Math.min(to - after, SHARDS));
    const entries = await Promise.all(
      Array.from({ length: shards }, (_, index) =>
        this.readShard(shardOf(bucketId, after + 1 + index), after + 1 + index, to),
      ),
    );
    return entries.flat().sort((a, b) => a.cursor - b.cursor);
  }

  /** 1 PutItem. */
  async fill(
    bucketId: string,
    entry: Extract<ChangeEntry, { type: 'noop' }>,
  ): Promise<ChangeEntry> {
    const command = {
      TableName: this.table,
      Item: changeItem(bucketId, entry),
      ConditionExpression: 'attribute_not_exists(#shard)',
      ExpressionAttributeNames: names('shard'),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    try {
      await pastConflicts(() => this.client.send(new PutItemCommand(command)));
      return entry;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
      return changeEntry(error.Item);
    }
  }

  /** 1 BatchWriteItem per 25 cursors, in parallel. */
  async remove(bucketId: string, cursors: readonly number[]): Promise<void> {
    const keys = [...new Set(cursors)].map((cursor) => changeKey(bucketId, cursor));
    await deleteAll(this.client, this.table, keys);
  }

  private async readShard(shard: string, from: number, to: number): Promise<ChangeEntry[]> {
    const entries: ChangeEntry[] = [];
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        KeyConditionExpression: '#shard = :shard AND #cursor BETWEEN :from AND :to',
        ExpressionAttributeNames: names('shard', 'cursor'),
        ExpressionAttributeValues: toItem({ ':shard': shard, ':from': from, ':to': to }),
      },
    );
    for await (const { Items = [] } of pages) entries.push(...Items.map(changeEntry));
    return entries;
  }
}

/** Consecutive cursors are in different partitions, so that a bucket has no hot partition. */
export const SHARDS = 8;

interface ChangeFields {
  readonly bucket: string;
  readonly bucket_id: string;
  readonly cursor: number;
  /** `void`: a no-op entry. */
  readonly type: 'put' | 'delete' | 'void';
  readonly at: string;
  readonly object?: ObjectFields;
  readonly previous?: ObjectFields;
}

/** The partition of the Changes table that holds the entry at the cursor. */
export function shardOf(bucketId: string, cursor: number): string {
  return `${bucketId}#${cursor % SHARDS}`;
}

function changeKey(bucketId: string, cursor: number): Item {
  return toItem({ shard: shardOf(bucketId, cursor), cursor });
}

/** Has `bucket` and `bucket_id` for the readers of the table's stream. */
export function changeItem(bucketId: string, entry: ChangeEntry): Item {
  const { bucket, cursor, at } = entry;
  const shard = shardOf(bucketId, cursor);
  const common = { shard, cursor, bucket, bucket_id: bucketId, at };
  if (entry.type === 'noop') return toItem({ ...common, type: 'void' });
  return toItem({
    ...common,
    type: entry.type,
    object: objectFields(entry.object),
    previous: entry.previous && objectFields(entry.previous),
  });
}

export function changeEntry(item: Item): ChangeEntry {
  const { bucket, cursor, type, at, object, previous } = fromItem<ChangeFields>(item);
  if (type === 'void') return { type: 'noop', bucket, cursor, at };
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
