import {
  type DynamoDBClient,
  QueryCommand,
  type QueryInput,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { BucketRef } from '../../core/bucket-ref';
import type { Restoring } from '../../core/maintenance/recovery/ports';
import { deleteAll } from './batches';
import { SHARDS, shardOf } from './change-log';
import { failedConditions, pastConflicts } from './conflicts';
import { names, toItem } from './items/attributes';
import { bucketStats, directoryKey, recordKey, statsItem, statsKey } from './items/bucket-item';
import { readItem } from './read-item';

/** The Restoring port on the Buckets and Changes tables. */
export class DynamoRestoring implements Restoring {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: { readonly buckets: string; readonly changes: string },
  ) {}

  /** AWS calls: 2 GetItem and 1 TransactWriteItems of 3 items. */
  async skip({ name, id }: BucketRef, to: number): Promise<boolean> {
    const TableName = this.tables.buckets;
    const found = await readItem(this.client, TableName, toItem(statsKey(name)));
    const directory = toItem(directoryKey(name));
    // With the lifecycle rules of the bucket.
    const listed = (await readItem(this.client, TableName, directory)) ?? directory;
    const before = found && bucketStats(found);
    const { objectCount, totalSize } =
      before?.id === id ? before : { objectCount: 0, totalSize: 0 };
    const marks = { oldest: to + 1, trimmed: to + 1, published: to };
    const TransactItems = [
      {
        Update: {
          TableName,
          Key: toItem(recordKey(name)),
          UpdateExpression: 'SET #cursor = :to REMOVE #closing_at, #closing_by',
          ConditionExpression: '#id = :id AND #cursor < :to',
          ExpressionAttributeNames: names('cursor', 'closing_at', 'closing_by', 'id'),
          ExpressionAttributeValues: toItem({ ':to': to, ':id': id }),
        },
      },
      { Put: { TableName, Item: statsItem(name, { id, ...marks, objectCount, totalSize }) } },
      { Put: { TableName, Item: listed } },
    ];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return true;
    } catch (error) {
      if (failedConditions(error).length === 0) throw error;
      return false;
    }
  }

  /** 1 Query per shard and 1 MB, 1 BatchWriteItem per 25 entries. */
  async dropEntries(bucketId: string, to: number): Promise<number> {
    const shards = Array.from({ length: SHARDS }, (_, cursor) => shardOf(bucketId, cursor));
    const counts = await Promise.all(shards.map((shard) => this.dropShard(shard, to)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  private async dropShard(shard: string, to: number): Promise<number> {
    const query: QueryInput = {
      TableName: this.tables.changes,
      ConsistentRead: true,
      KeyConditionExpression: '#shard = :shard AND #cursor <= :to',
      ProjectionExpression: '#shard, #cursor',
      ExpressionAttributeNames: names('shard', 'cursor'),
      ExpressionAttributeValues: toItem({ ':shard': shard, ':to': to }),
    };
    for (let count = 0; ; ) {
      // Each query reads the first page: the entries of the pages before it are deleted.
      const { Items: keys = [], LastEvaluatedKey } = await this.client.send(
        new QueryCommand(query),
      );
      await deleteAll(this.client, this.tables.changes, keys);
      count += keys.length;
      if (LastEvaluatedKey === undefined) return count;
    }
  }
}
