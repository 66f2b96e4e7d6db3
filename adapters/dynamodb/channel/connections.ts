/**
 * Open channels: for each one row in the Subscriptions table with its subscriptions, and one in the
 * index of the connections of an API key. Bucket ids are 12 characters of base62, so the keys of
 * the different kinds of partitions cannot collide.
 */
import {
  DeleteItemCommand,
  type DeleteItemInput,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Connection, Subscription } from '../../../core/channel/ports';
import { deleteAll, getAll } from '../batches';
import { pastConflicts } from '../conflicts';
import { guardedUpdate } from '../guarded-update';
import { fromItem, type Item, toItem } from '../items/attributes';
import { readItem } from '../read-item';
import { readPartition, subscriberKey, timeToLive } from './subscribers';

/** A value in the map `subscriptions` of a connection's row, whose keys are bucket names. */
interface SubscriptionFields {
  readonly bucket_id: string;
  readonly prefix: string;
  readonly consumer?: string;
}

interface ConnectionFields {
  readonly connection_id: string;
  readonly key_id: string;
  readonly generation?: number;
  readonly connected_at: number;
  /** JSON of `Restriction`. */
  readonly restriction?: string;
  readonly scope?: { readonly bucket: string; readonly prefix: string };
  readonly subscriptions: Readonly<Record<string, SubscriptionFields>>;
}

export class DynamoConnections {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /**
   * AWS calls: 2 PutItem. The connection's row is written before its row in the index by key: a
   * review that finds only the index row would take the connection for a half closed one.
   */
  async open(connection: Omit<Connection, 'subscriptions'>): Promise<void> {
    await this.put(connectionItem(connection));
    await this.put(keyIndexItem(connection));
  }

  /** AWS calls: 1 GetItem, consistent. */
  async get(connectionId: string): Promise<Connection | undefined> {
    const item = await readItem(this.client, this.table, toItem(connectionKey(connectionId)));
    return item && openConnection(item);
  }

  /** 1 consistent Query, more per 1 MB. */
  async ofKey(keyId: string): Promise<readonly string[]> {
    const rows = await readPartition(this.client, this.table, keyShard(keyId));
    return rows.flatMap(({ connection_id }) => connection_id?.S ?? []);
  }

  /**
   * AWS calls: 1 UpdateItem; for a connection that exists also 1 BatchWriteItem per 25 rows and 1
   * DeleteItem. The connection's row is marked first, so that its subscriptions no longer change,
   * and deleted last, so that a repeated call finds what a crash left.
   */
  async close(
    connectionId: string,
    release?: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const key = connectionKey(connectionId);
    const row = await guardedUpdate(
      this.client,
      {
        table: this.table,
        key,
        update: 'SET #closing = :yes',
        condition: 'attribute_exists(#shard)',
        attributes: ['shard', 'closing'],
        values: { ':yes': 1 },
      },
      'ALL_NEW',
    );
    if (row === undefined) return;
    const connection = connectionRecord(row);
    const { keyId, subscriptions } = connection;
    const rows = [...subscriptions.values()].map(({ bucketId }) =>
      subscriberKey(bucketId, connectionId),
    );
    const index = keyIndexKey(keyId, connectionId);
    await deleteAll(this.client, this.table, [index, ...rows].map(toItem));
    await release?.(connection);
    const deletion: DeleteItemInput = { TableName: this.table, Key: toItem(key) };
    await pastConflicts(() => this.client.send(new DeleteItemCommand(deletion)));
  }

  /**
   * 1 consistent BatchGetItem per 100 connections, 1 BatchWriteItem per 25 rows, of which each
   * connection has 2 and each of its subscriptions 1. The rows of the subscriptions are deleted
   * first, so that a repeated call finds what a crash left.
   */
  async closeMany(keyId: string, connectionIds: readonly string[]): Promise<void> {
    const ids = [...new Set(connectionIds)];
    const rows = await getAll(
      this.client,
      this.table,
      ids.map((id) => toItem(connectionKey(id))),
    );
    const subscribers = rows.flatMap((row) => {
      const { id, subscriptions } = connectionRecord(row);
      return [...subscriptions.values()].map(({ bucketId }) => subscriberKey(bucketId, id));
    });
    await deleteAll(this.client, this.table, subscribers.map(toItem));
    const own = ids.flatMap((id) => [connectionKey(id), keyIndexKey(keyId, id)]);
    await deleteAll(this.client, this.table, own.map(toItem));
  }

  private async put(item: Item): Promise<void> {
    await this.client.send(new PutItemCommand({ TableName: this.table, Item: item }));
  }
}

export const connectionKey = (id: string) => ({ shard: `connection#${id}`, connection_id: id });

/** The partition of the connections that an API key opened. */
const keyShard = (keyId: string) => `key#${keyId}`;

const keyIndexKey = (keyId: string, connectionId: string) => ({
  shard: keyShard(keyId),
  connection_id: connectionId,
});

function keyIndexItem({ id, keyId, connectedAt }: Omit<Connection, 'subscriptions'>): Item {
  return toItem({ ...keyIndexKey(keyId, id), ttl: timeToLive(connectedAt) });
}

export function connectionItem(connection: Omit<Connection, 'subscriptions'>): Item {
  const { id, keyId, generation, restriction, connectedAt, scope } = connection;
  return toItem({
    ...connectionKey(id),
    key_id: keyId,
    generation,
    connected_at: connectedAt,
    restriction: restriction && JSON.stringify(restriction),
    scope: scope && { bucket: scope.bucket, prefix: scope.prefix },
    subscriptions: {},
    ttl: timeToLive(connectedAt),
  });
}

/** The connection of a row, even if it is being closed. */
export function connectionRecord(item: Item): Connection {
  const fields = fromItem<ConnectionFields>(item);
  const subscriptions = Object.entries(fields.subscriptions).map(
    ([bucket, { bucket_id, prefix, consumer }]): [string, Subscription] => [
      bucket,
      { bucket, bucketId: bucket_id, prefix, ...(consumer !== undefined && { consumer }) },
    ],
  );
  return {
    id: fields.connection_id,
    keyId: fields.key_id,
    ...(fields.generation !== undefined && { generation: fields.generation }),
    connectedAt: fields.connected_at,
    ...(fields.restriction !== undefined && { restriction: JSON.parse(fields.restriction) }),
    ...(fields.scope && { scope: fields.scope }),
    subscriptions: new Map(subscriptions),
  };
}

/** The connection of a row; undefined if it is being closed. */
export function openConnection(item: Item): Connection | undefined {
  return item.closing === undefined ? connectionRecord(item) : undefined;
}

export const subscriptionFields = ({ bucketId, prefix, consumer }: Subscription) => ({
  ...{ bucket_id: bucketId, prefix, consumer },
});
