import {
  DeleteItemCommand,
  type DynamoDBClient,
  paginateQuery,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { AuditRecord, KeyHolder } from '../../core/access/ports';
import type { BucketRef } from '../../core/bucket-ref';
import type { NameRange, Page } from '../../core/pages';
import type {
  BucketRecord,
  BucketStats,
  Buckets,
  DeletedBucket,
  LifecycleRule,
  ListedBucket,
  RuledBucket,
} from '../../core/store/buckets';
import type { IdempotencyRecord } from '../../core/store/uploads';
import { getAll } from './batches';
import { BucketMarks } from './bucket-marks';
import { failedConditions, pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { epochSeconds, idempotencyPuts } from './idempotency-records';
import { type Fields, type Item, names, toItem } from './items/attributes';
import { bucketAuditItem } from './items/audit-item';
import {
  bucketRecord,
  bucketStats,
  byBucket,
  DELETED_BUCKETS,
  DIRECTORY,
  deletedBucket,
  deletedBucketItem,
  deletedBucketKey,
  directoryItem,
  directoryKey,
  holderFields,
  lifecycleRules,
  newStatsItem,
  recordItem,
  recordKey,
  statsKey,
} from './items/bucket-item';
import { rangeQuery } from './key-range';
import { readItem } from './read-item';

/**
 * The Buckets port on the Buckets table, with idempotency records in the Uploads table. Calls that
 * meet a transaction in flight on the same item are repeated (`pastConflicts`).
 */
export class DynamoBuckets extends BucketMarks implements Buckets {
  constructor(
    client: DynamoDBClient,
    table: string,
    /** For idempotency records; needed to create and remove buckets. */
    private readonly uploadsTable?: string,
  ) {
    super(client, table);
  }

  /** AWS calls: 1 GetItem, consistent. */
  async get(name: string): Promise<BucketRecord | undefined> {
    const item = await this.read(recordKey(name));
    return item && bucketRecord(item);
  }

  /** AWS calls: 1 GetItem, consistent. */
  async stats(name: string): Promise<BucketStats | undefined> {
    const item = await this.read(statsKey(name));
    return item && bucketStats(item);
  }

  /**
   * 1 consistent Query of the directory and 1 consistent BatchGetItem per 50 buckets; repeated when
   * every bucket of the page was deleted in between.
   */
  async list(range: NameRange, limit: number): Promise<Page<ListedBucket>> {
    for (let after: string | undefined; ; ) {
      const page = await this.directory(range, limit, after);
      const keys = page.items.flatMap((name) => [recordKey(name), statsKey(name)]);
      const found = byBucket(await getAll(this.client, this.table, keys.map(toItem)));
      const items = page.items.flatMap((name) => {
        const record = found.records.get(name);
        const stats = found.stats.get(name);
        // Skips a bucket that was deleted and created again between the two reads.
        return record && record.id === stats?.id ? [{ record, stats }] : [];
      });
      if (items.length > 0 || !page.more) return { items, more: page.more };
      after = page.items.at(-1);
    }
  }

  /** AWS calls: 1 TransactWriteItems of 3 or 4 items. */
  async create(
    record: BucketRecord,
    idempotency?: IdempotencyRecord,
  ): Promise<'created' | 'exists' | 'duplicate'> {
    const { table: TableName } = this;
    const TransactItems = [
      {
        Put: {
          TableName,
          Item: recordItem(record),
          ConditionExpression: 'attribute_not_exists(#name)',
          ExpressionAttributeNames: names('name'),
        },
      },
      { Put: { TableName, Item: newStatsItem(record.name, record.id) } },
      { Put: { TableName, Item: toItem(directoryKey(record.name)) } },
      ...idempotencyPuts(this.uploadsTable, idempotency, epochSeconds(record.createdAt)),
    ];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return 'created';
    } catch (error) {
      const failed = failedConditions(error);
      if (failed.length === 0) throw error;
      return failed.includes(3) ? 'duplicate' : 'exists';
    }
  }

  /** AWS calls: 1 UpdateItem. A repeated call overwrites `at`. */
  async close(
    { name, id }: BucketRef,
    at: string,
    by?: KeyHolder,
  ): Promise<BucketRecord | undefined> {
    const item = await guardedUpdate(
      this.client,
      {
        table: this.table,
        key: recordKey(name),
        update: `SET #closing_at = :at${by ? ', #closing_by = :by' : ''}`,
        condition: '#id = :id',
        attributes: ['closing_at', 'id', ...(by ? ['closing_by'] : [])],
        values: { ':at': at, ':id': id, ...(by && { ':by': holderFields(by) }) },
      },
      'ALL_NEW',
    );
    return item && bucketRecord(item);
  }

  /** AWS calls: 1 UpdateItem. */
  async reopen({ name, id }: BucketRef): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: recordKey(name),
      update: 'REMOVE #closing_at, #closing_by',
      condition: '#id = :id',
      attributes: ['closing_at', 'closing_by', 'id'],
      values: { ':id': id },
    });
  }

  /**
   * AWS calls: 1 TransactWriteItems of 4 to 6 items. Removes nothing when the bucket has allocated
   * a cursor since `deleted.cursor` was read, even if it is closing again: there may be an object
   * at it.
   */
  async remove(
    deleted: DeletedBucket,
    saved: { readonly idempotency?: IdempotencyRecord; readonly audit?: AuditRecord } = {},
  ): Promise<boolean> {
    const { table: TableName } = this;
    const { name, id, cursor, deletedAt } = deleted;
    const TransactItems = [
      {
        Delete: {
          TableName,
          Key: toItem(recordKey(name)),
          ConditionExpression: '#id = :id AND attribute_exists(#closing_at) AND #cursor = :cursor',
          ExpressionAttributeNames: names('id', 'closing_at', 'cursor'),
          ExpressionAttributeValues: toItem({ ':id': id, ':cursor': cursor }),
        },
      },
      { Delete: { TableName, Key: toItem(statsKey(name)) } },
      { Delete: { TableName, Key: toItem(directoryKey(name)) } },
      { Put: { TableName, Item: deletedBucketItem(deleted) } },
      ...(saved.audit ? [{ Put: { TableName, Item: bucketAuditItem(saved.audit) } }] : []),
      ...idempotencyPuts(this.uploadsTable, saved.idempotency, epochSeconds(deletedAt)),
    ];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return true;
    } catch (error) {
      if (failedConditions(error).length === 0) throw error;
      return false;
    }
  }

  /** 1 consistent Query per 1 MB of records, which is thousands. */
  async deletedBuckets(): Promise<readonly DeletedBucket[]> {
    const found: DeletedBucket[] = [];
    const query = rangeQuery({ name: 'name', value: DELETED_BUCKETS }, 'entry', { from: '' });
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        ...query,
      },
    );
    for await (const { Items = [] } of pages) found.push(...Items.map(deletedBucket));
    return found;
  }

  /** AWS calls: 1 GetItem, consistent. */
  async lifecycle(name: string): Promise<readonly LifecycleRule[]> {
    const item = await this.read(directoryKey(name));
    return item ? lifecycleRules(item) : [];
  }

  /** AWS calls: 1 TransactWriteItems of 1 or 2 items. */
  async setLifecycle(
    bucket: RuledBucket,
    at: string,
    idempotency?: IdempotencyRecord,
  ): Promise<'set' | 'missing' | 'duplicate'> {
    const TransactItems = [
      {
        Put: {
          TableName: this.table,
          Item: directoryItem(bucket),
          ConditionExpression: 'attribute_exists(#name)',
          ExpressionAttributeNames: names('name'),
        },
      },
      ...idempotencyPuts(this.uploadsTable, idempotency, epochSeconds(at)),
    ];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return 'set';
    } catch (error) {
      const failed = failedConditions(error);
      if (failed.length === 0) throw error;
      return failed.includes(1) ? 'duplicate' : 'missing';
    }
  }

  /** 1 consistent Query per 1 MB of the directory. */
  async nextWithLifecycle(from: string): Promise<RuledBucket | undefined> {
    const query = rangeQuery({ name: 'name', value: DIRECTORY }, 'entry', { from });
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        ...query,
        FilterExpression: 'attribute_exists(#lifecycle)',
        ExpressionAttributeNames: { ...query?.ExpressionAttributeNames, ...names('lifecycle') },
      },
    );
    for await (const { Items: [first] = [] } of pages) {
      if (first) return { name: first.entry?.S ?? '', rules: lifecycleRules(first) };
    }
    return undefined;
  }

  /** AWS calls: 1 DeleteItem. */
  async purge(id: string): Promise<void> {
    const Key = toItem(deletedBucketKey(id));
    await pastConflicts(() =>
      this.client.send(new DeleteItemCommand({ TableName: this.table, Key })),
    );
  }

  private async directory(range: NameRange, limit: number, after?: string): Promise<Page<string>> {
    const query = rangeQuery({ name: 'name', value: DIRECTORY }, 'entry', range);
    if (query === undefined) return { items: [], more: false };
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: this.table,
        ConsistentRead: true,
        Limit: limit,
        ExclusiveStartKey: after === undefined ? undefined : toItem(directoryKey(after)),
        ...query,
      }),
    );
    const entries = Items.map((item) => item.entry?.S ?? '');
    const items = entries.filter((name) => name !== range.before);
    return { items, more: LastEvaluatedKey !== undefined && items.length === entries.length };
  }

  private async read(key: Fields): Promise<Item | undefined> {
    return readItem(this.client, this.table, toItem(key));
  }
}
