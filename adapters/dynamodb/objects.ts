import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { DUE_INDEX } from '../../core/limits';
import type { NameRange, Page } from '../../core/pages';
import type { DueObject, ObjectRecord, Objects, ShownRecord } from '../../core/store/objects';
import { getAll } from './batches';
import { pastConflicts } from './conflicts';
import { type Item, names, toItem } from './items/attributes';
import { objectRecord, SHOWN_ATTRIBUTES, shownRecord } from './items/object-item';
import { rangeQuery } from './key-range';
import { readItem } from './read-item';

/** Selects what `shownRecord` reads. */
const SHOWN = {
  ProjectionExpression: SHOWN_ATTRIBUTES.map((name) => `#${name}`).join(),
  ExpressionAttributeNames: names(...SHOWN_ATTRIBUTES),
};

/** The Objects port on the Objects table. */
export class DynamoObjects implements Objects {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** AWS calls: 1 GetItem, consistent. */
  async get(bucketId: string, key: string): Promise<ObjectRecord | undefined> {
    const item = await readItem(this.client, this.table, objectKey(bucketId, key));
    return item && objectRecord(item);
  }

  /** 1 consistent BatchGetItem per 100 keys, in parallel. */
  async getMany(bucketId: string, keys: readonly string[]): Promise<readonly ObjectRecord[]> {
    const wanted = [...new Set(keys)].map((key) => objectKey(bucketId, key));
    return (await getAll(this.client, this.table, wanted)).map(objectRecord);
  }

  /** 1 Query, consistent. */
  async list(bucketId: string, range: NameRange, limit: number): Promise<Page<ObjectRecord>> {
    const { items, more } = await this.items(bucketId, range, limit);
    return { items: items.map(objectRecord), more };
  }

  /** 1 Query, consistent. */
  async listShown(bucketId: string, range: NameRange, limit: number): Promise<Page<ShownRecord>> {
    const { items, more } = await this.items(bucketId, range, limit, SHOWN);
    return { items: items.map(shownRecord), more };
  }

  private async items(
    bucketId: string,
    range: NameRange,
    limit: number,
    { ExpressionAttributeNames, ...shown }: Partial<typeof SHOWN> = {},
  ): Promise<Page<Item>> {
    const query = rangeQuery({ name: 'bucket_id', value: bucketId }, 'key', range);
    if (query === undefined) return { items: [], more: false };
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: this.table,
        ConsistentRead: true,
        Limit: limit,
        ...query,
        ...shown,
        ExpressionAttributeNames: {
          ...query.ExpressionAttributeNames,
          ...ExpressionAttributeNames,
        },
      }),
    );
    const items = Items.filter((item) => item.key?.S !== range.before);
    return { items, more: LastEvaluatedKey !== undefined && items.length === Items.length };
  }

  /** 1 Query of the index. */
  async due(
    slot: string,
    until: string,
    limit: number,
    after?: DueObject,
  ): Promise<Page<DueObject>> {
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: this.table,
        IndexName: DUE_INDEX,
        Limit: limit,
        KeyConditionExpression: '#due = :slot AND #expires_at <= :until',
        ExpressionAttributeNames: names('due', 'expires_at'),
        ExpressionAttributeValues: toItem({ ':slot': slot, ':until': until }),
        ...(after && { ExclusiveStartKey: dueKey(slot, after) }),
      }),
    );
    const items = Items.map(({ bucket_id, key, expires_at }) => ({
      bucketId: bucket_id?.S ?? '',
      key: key?.S ?? '',
      expiresAt: expires_at?.S ?? '',
    }));
    return { items, more: LastEvaluatedKey !== undefined };
  }

  /** AWS calls: 1 DeleteItem. */
  async removeTombstone(bucketId: string, key: string, cursor: number): Promise<void> {
    const command = {
      TableName: this.table,
      Key: objectKey(bucketId, key),
      ConditionExpression: '#state = :deleted AND #cursor = :cursor',
      ExpressionAttributeNames: names('state', 'cursor'),
      ExpressionAttributeValues: toItem({ ':deleted': 'deleted', ':cursor': cursor }),
    };
    try {
      await pastConflicts(() => this.client.send(new DeleteItemCommand(command)));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

function dueKey(slot: string, { bucketId, key, expiresAt }: DueObject): Item {
  return { ...objectKey(bucketId, key), ...toItem({ due: slot, expires_at: expiresAt }) };
}

function objectKey(bucketId: string, key: string): Item {
  return toItem({ bucket_id: bucketId, key });
}
