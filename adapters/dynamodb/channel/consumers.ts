import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  paginateQuery,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { forEachConcurrently } from '../../../core/concurrency';
import type { AdvanceTimes, Consumer, ConsumerId, Consumers } from '../../../core/consumers/ports';
import { LIMITS } from '../../../core/limits';
import type { NameRange, Page } from '../../../core/pages';
import type { IdempotencyRecord } from '../../../core/store/uploads';
import type { Clock } from '../../../core/system';
import { failedConditions, pastConflicts } from '../conflicts';
import { guardedUpdate } from '../guarded-update';
import { idempotencyPuts } from '../idempotency-records';
import { type Fields, fromItem, type Item, names, toItem } from '../items/attributes';
import { rangeQuery } from '../key-range';
import { readItem } from '../read-item';

interface ConsumerTables {
  readonly buckets: string;
  /** Holds the idempotency records. Absent in functions that only move cursors. */
  readonly uploads?: string;
}

/**
 * All consumers stand in one partition of the Buckets table, so that the janitor reads those of all
 * buckets by one query. A cursor is stored twice a minute at most, and DynamoDB splits a partition
 * that is written more often.
 */
const CONSUMERS = '#consumers';

interface ConsumerFields {
  readonly entry: string;
  readonly cursor: number;
  readonly prefix: string;
  /** Epoch milliseconds, so that conditions can compare it. */
  readonly updated: number;
}

const consumerKey = ({ bucketId, name }: ConsumerId): Fields => ({
  name: CONSUMERS,
  entry: `${bucketId}#${name}`,
});

/** Counts the consumers of a bucket. The `#` of a consumer's entry follows the id. */
const countKey = (bucketId: string): Fields => ({ name: CONSUMERS, entry: bucketId });

/** The consumers of a bucket after one of them, without the count. `$` follows `#`. */
const consumersOf = (bucketId: string): NameRange => ({
  from: `${bucketId}#`,
  before: `${bucketId}$`,
});

/** The Consumers port on the Buckets table, with idempotency records in the Uploads table. */
export class DynamoConsumers implements Consumers {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: ConsumerTables,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** AWS calls: 1 GetItem, consistent. */
  async get(id: ConsumerId): Promise<Consumer | undefined> {
    const item = await readItem(this.client, this.tables.buckets, toItem(consumerKey(id)));
    return item && consumerOf(item);
  }

  /** 1 Query, consistent. */
  async list(bucketId: string, limit: number, after?: string): Promise<Page<Consumer>> {
    const last = after === undefined ? undefined : consumerKey({ bucketId, name: after });
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: this.tables.buckets,
        ConsistentRead: true,
        Limit: limit,
        ExclusiveStartKey: last && toItem(last),
        ...inPartition(consumersOf(bucketId)),
      }),
    );
    return { items: Items.map(consumerOf), more: LastEvaluatedKey !== undefined };
  }

  /** 1 consistent Query per 1 MB of consumers, which is thousands. */
  async all(): Promise<readonly Consumer[]> {
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.tables.buckets,
        ConsistentRead: true,
        ...inPartition({ from: '' }),
      },
    );
    const found: Consumer[] = [];
    for await (const { Items = [] } of pages) {
      found.push(...Items.filter(({ cursor }) => cursor !== undefined).map(consumerOf));
    }
    return found;
  }

  /**
   * AWS calls: 1 PutItem; for a new consumer or with an idempotency record 1 TransactWriteItems.
   */
  async put(
    consumer: Consumer,
    previous: number | undefined,
    idempotency?: IdempotencyRecord,
  ): Promise<'stored' | 'changed' | 'full' | 'duplicate'> {
    const Put = {
      TableName: this.tables.buckets,
      Item: consumerItem(consumer),
      ...(previous === undefined
        ? {
            ConditionExpression: 'attribute_not_exists(#entry)',
            ExpressionAttributeNames: names('entry'),
          }
        : {
            ConditionExpression: '#cursor = :previous AND #prefix = :prefix',
            ExpressionAttributeNames: names('cursor', 'prefix'),
            ExpressionAttributeValues: toItem({
              ':previous': previous,
              ':prefix': consumer.prefix,
            }),
          }),
    };
    if (previous !== undefined && idempotency === undefined) return this.replace(Put);
    const isNew = previous === undefined;
    const count = isNew ? [this.count(consumer.bucketId, 1)] : [];
    const failed = await this.transact([{ Put }, ...count], idempotency);
    if (failed === undefined) return 'stored';
    if (failed.includes(count.length + 1)) return 'duplicate';
    return failed.includes(0) ? 'changed' : 'full';
  }

  /** AWS calls: 1 UpdateItem. */
  async advance(
    consumer: ConsumerId & Pick<Consumer, 'prefix'>,
    cursor: number,
    { now, notAfter }: AdvanceTimes,
  ): Promise<boolean> {
    const moved = await guardedUpdate(this.client, {
      table: this.tables.buckets,
      key: consumerKey(consumer),
      update: 'SET #cursor = :cursor, #updated = :now',
      condition: '#prefix = :prefix AND #cursor < :cursor AND #updated <= :not_after',
      attributes: ['prefix', 'cursor', 'updated'],
      values: {
        ...{ ':prefix': consumer.prefix, ':cursor': cursor },
        ...{ ':now': now, ':not_after': notAfter },
      },
    });
    return moved !== undefined;
  }

  /** AWS calls: 1 TransactWriteItems. */
  async remove(
    id: ConsumerId,
    idempotency?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'> {
    const Delete = {
      TableName: this.tables.buckets,
      Key: toItem(consumerKey(id)),
      ConditionExpression: 'attribute_exists(#entry)',
      ExpressionAttributeNames: names('entry'),
    };
    const failed = await this.transact([{ Delete }, this.count(id.bucketId, -1)], idempotency);
    if (failed === undefined) return 'removed';
    return failed.includes(2) ? 'duplicate' : 'absent';
  }

  /** 1 Query, and 1 DeleteItem for each item. */
  async removeAll(bucketId: string): Promise<void> {
    const { Items = [] } = await this.client.send(
      new QueryCommand({
        TableName: this.tables.buckets,
        ConsistentRead: true,
        ...inPartition({ ...consumersOf(bucketId), from: bucketId }),
      }),
    );
    await forEachConcurrently(Items, DELETES_AT_ONCE, async ({ name, entry }) => {
      if (name === undefined || entry === undefined) return;
      const Key = { name, entry };
      await pastConflicts(() =>
        this.client.send(new DeleteItemCommand({ TableName: this.tables.buckets, Key })),
      );
    });
  }

  private async replace(Put: PutItemCommandInput): Promise<'stored' | 'changed'> {
    try {
      await pastConflicts(() => this.client.send(new PutItemCommand(Put)));
      return 'stored';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return 'changed';
    }
  }

  private count(bucketId: string, by: 1 | -1): TransactWriteItem {
    return {
      Update: {
        TableName: this.tables.buckets,
        Key: toItem(countKey(bucketId)),
        UpdateExpression: 'ADD #consumers :by',
        ConditionExpression: 'attribute_not_exists(#consumers) OR #consumers < :limit',
        ExpressionAttributeNames: names('consumers'),
        ExpressionAttributeValues: toItem({
          ':by': by,
          ':limit': LIMITS.consumersPerBucket + (by < 0 ? 1 : 0),
        }),
      },
    };
  }

  /**
   * The positions of the writes whose condition failed, the record's last, or undefined when all
   * succeeded.
   */
  private async transact(
    writes: readonly TransactWriteItem[],
    idempotency: IdempotencyRecord | undefined,
  ): Promise<readonly number[] | undefined> {
    const now = Math.floor(this.clock.now() / 1000);
    const TransactItems = [...writes, ...idempotencyPuts(this.tables.uploads, idempotency, now)];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return undefined;
    } catch (error) {
      const failed = failedConditions(error);
      if (failed.length === 0) throw error;
      return failed;
    }
  }
}

/** Removes the consumers of a deleted bucket one by one, because no request waits for it. */
const DELETES_AT_ONCE = 8;

/** No range here is empty. */
function inPartition(range: NameRange) {
  return rangeQuery({ name: 'name', value: CONSUMERS }, 'entry', range);
}

export function consumerItem(consumer: Consumer): Item {
  const { prefix, cursor, updatedAt } = consumer;
  return toItem({ ...consumerKey(consumer), prefix, cursor, updated: Date.parse(updatedAt) });
}

function consumerOf(item: Item): Consumer {
  const { entry, prefix, cursor, updated } = fromItem<ConsumerFields>(item);
  const separator = entry.indexOf('#');
  return {
    bucketId: entry.slice(0, separator),
    name: entry.slice(separator + 1),
    prefix,
    cursor,
    updatedAt: new Date(updated).toISOString(),
  };
}
