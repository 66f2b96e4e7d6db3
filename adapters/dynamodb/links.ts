import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Link, LinkId, Links } from '../../core/links/ports';
import type { Page } from '../../core/pages';
import type { IdempotencyRecord } from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import { failedConditions, pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { idempotencyPut } from './idempotency-records';
import { names, toItem } from './items/attributes';
import { linkItem, linkKey, linkRecord } from './items/link-item';
import { readItem } from './read-item';

interface LinkTables {
  readonly links: string;
  /** Holds the idempotency records. Absent in functions that only open links. */
  readonly uploads?: string;
}

/** The Links port on the Links table. */
export class DynamoLinks implements Links {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: LinkTables,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** AWS calls: 1 PutItem, or with an idempotency record 1 TransactWriteItems of 2 items. */
  async create(link: Link, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    const Put = {
      TableName: this.tables.links,
      Item: linkItem(link),
      ConditionExpression: 'attribute_not_exists(#hash)',
      ExpressionAttributeNames: names('hash'),
    };
    if (idempotency === undefined) {
      await this.client.send(new PutItemCommand(Put));
      return 'created';
    }
    const failed = await this.transact({ Put }, idempotency);
    if (failed.includes(0)) throw new Error('the hash of the new link is in use');
    return failed.includes(1) ? 'duplicate' : 'created';
  }

  /** AWS calls: 1 GetItem, consistent. */
  async get(id: LinkId): Promise<Link | undefined> {
    const item = await readItem(this.client, this.tables.links, toItem(linkKey(id)));
    return item && linkRecord(item);
  }

  /** 1 Query, consistent. */
  async list(bucketId: string, limit: number, after?: string): Promise<Page<Link>> {
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: this.tables.links,
        ConsistentRead: true,
        KeyConditionExpression: '#bucket_id = :id',
        ExpressionAttributeNames: names('bucket_id'),
        ExpressionAttributeValues: toItem({ ':id': bucketId }),
        ExclusiveStartKey:
          after === undefined ? undefined : toItem(linkKey({ bucketId, hash: after })),
        Limit: limit,
      }),
    );
    return { items: Items.map(linkRecord), more: LastEvaluatedKey !== undefined };
  }

  /** AWS calls: 1 DeleteItem, or with an idempotency record 1 TransactWriteItems of 2 items. */
  async remove(
    id: LinkId,
    idempotency?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'> {
    const Delete = {
      TableName: this.tables.links,
      Key: toItem(linkKey(id)),
      ConditionExpression: 'attribute_exists(#hash)',
      ExpressionAttributeNames: names('hash'),
    };
    if (idempotency !== undefined) {
      const failed = await this.transact({ Delete }, idempotency);
      if (failed.includes(1)) return 'duplicate';
      return failed.includes(0) ? 'absent' : 'removed';
    }
    try {
      await pastConflicts(() => this.client.send(new DeleteItemCommand(Delete)));
      return 'removed';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return 'absent';
    }
  }

  /** AWS calls: 1 UpdateItem. */
  async use(id: LinkId, now: number): Promise<boolean> {
    const used = await guardedUpdate(this.client, {
      table: this.tables.links,
      key: linkKey(id),
      update: 'SET #uses = #uses + :one REMOVE #attempts_until',
      condition:
        'attribute_exists(#hash) AND #expires > :now AND (attribute_not_exists(#max_uses) OR #uses < #max_uses)',
      attributes: ['hash', 'expires', 'uses', 'max_uses', 'attempts_until'],
      values: { ':one': 1, ':now': now },
    });
    return used !== undefined;
  }

  /**
   * AWS calls: 1 UpdateItem; 1 more while earlier attempts count. See `taken` in core's
   * token-bucket.ts.
   */
  async attempt(
    id: LinkId,
    now: number,
    { burst, intervalMs }: { readonly burst: number; readonly intervalMs: number },
  ): Promise<boolean> {
    const common = { table: this.tables.links, key: linkKey(id) };
    const first = await guardedUpdate(this.client, {
      ...common,
      update: 'SET #attempts_until = :until',
      condition:
        'attribute_exists(#hash) AND (attribute_not_exists(#attempts_until) OR #attempts_until <= :now)',
      attributes: ['hash', 'attempts_until'],
      values: { ':now': now, ':until': now + intervalMs },
    });
    if (first) return true;
    const further = await guardedUpdate(this.client, {
      ...common,
      update: 'SET #attempts_until = #attempts_until + :interval',
      condition: '#attempts_until <= :last',
      attributes: ['attempts_until'],
      values: { ':interval': intervalMs, ':last': now + (burst - 1) * intervalMs },
    });
    return further !== undefined;
  }

  /** The positions of the writes whose condition failed, the record's at 1. None: all is done. */
  private async transact(
    write: TransactWriteItem,
    idempotency: IdempotencyRecord,
  ): Promise<readonly number[]> {
    const { uploads } = this.tables;
    if (uploads === undefined) throw new Error('links are not written without the Uploads table');
    const now = Math.floor(this.clock.now() / 1000);
    const TransactItems = [write, idempotencyPut(uploads, idempotency, now)];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return [];
    } catch (error) {
      const failed = failedConditions(error);
      if (failed.length === 0) throw error;
      return failed;
    }
  }
}
