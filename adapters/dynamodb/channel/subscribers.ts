/**
 * The subscribers of a bucket, as fanout reads them: one row of the Subscriptions table for each
 * subscription, in one of four partitions of the bucket.
 */
import { createHash } from 'node:crypto';
import {
  DeleteItemCommand,
  type DeleteItemInput,
  type DynamoDBClient,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import type { Connection, Subscriber, Subscription } from '../../../core/channel/ports';
import { LIMITS } from '../../../core/limits';
import { pastConflicts } from '../conflicts';
import { guardedUpdate } from '../guarded-update';
import { fromItem, type Item, names, toItem } from '../items/attributes';

/** Partitions over which a bucket's subscribers are spread; each accepts about 1000 writes/s. */
const SHARDS = 4;

interface SubscriberFields {
  readonly connection_id: string;
  readonly prefix: string;
  readonly connected_at: number;
  readonly expires_at?: number;
}

export class DynamoSubscribers {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** 1 consistent Query per shard (4), more per 1 MB of it; in parallel. */
  async of(bucketId: string): Promise<readonly Subscriber[]> {
    const shards = Array.from({ length: SHARDS }, (_, n) => shardOf(bucketId, n));
    const rows = await Promise.all(
      shards.map((shard) => readPartition(this.client, this.table, shard)),
    );
    return rows.flat().map(subscriber);
  }

  /** AWS calls: 1 DeleteItem. */
  async remove(bucketId: string, connectionId: string): Promise<void> {
    const Key = toItem(subscriberKey(bucketId, connectionId));
    const command: DeleteItemInput = { TableName: this.table, Key };
    await pastConflicts(() => this.client.send(new DeleteItemCommand(command)));
  }

  /** AWS calls: 1 UpdateItem. */
  async setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: subscriberKey(bucketId, connectionId),
      update: expiresAt === undefined ? 'REMOVE #expires_at' : 'SET #expires_at = :expires_at',
      condition: 'attribute_exists(#shard)',
      attributes: ['shard', 'expires_at'],
      values: expiresAt === undefined ? undefined : { ':expires_at': expiresAt },
    });
  }
}

const shardOf = (bucketId: string, shard: number) => `${bucketId}#${shard}`;

export function subscriberKey(bucketId: string, connectionId: string) {
  const shard = createHash('sha256').update(connectionId).digest().readUInt8(0) % SHARDS;
  return { shard: shardOf(bucketId, shard), connection_id: connectionId };
}

/** `expiresAt`: when the API key expires, epoch milliseconds. */
export function subscriberItem(
  { id, connectedAt }: Connection,
  { bucket, bucketId, prefix }: Subscription,
  expiresAt: number | undefined,
): Item {
  return toItem({
    ...subscriberKey(bucketId, id),
    bucket,
    prefix,
    connected_at: connectedAt,
    expires_at: expiresAt,
    ttl: timeToLive(connectedAt),
  });
}

function subscriber(item: Item): Subscriber {
  const { connection_id, prefix, connected_at, expires_at } = fromItem<SubscriberFields>(item);
  return {
    connectionId: connection_id,
    prefix,
    connectedAt: connected_at,
    ...(expires_at !== undefined && { expiresAt: expires_at }),
  };
}

/**
 * When the rows of a connection may be removed, epoch seconds. `connectedAt`: epoch milliseconds.
 */
export function timeToLive(connectedAt: number): number {
  return Math.ceil(connectedAt / 1000) + LIMITS.connectionSeconds;
}

/** All rows of a partition. AWS calls: 1 consistent Query, more per 1 MB. */
export async function readPartition(
  client: DynamoDBClient,
  table: string,
  shard: string,
): Promise<Item[]> {
  const items: Item[] = [];
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: '#shard = :shard',
      ExpressionAttributeNames: names('shard'),
      ExpressionAttributeValues: toItem({ ':shard': shard }),
    },
  );
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
}
