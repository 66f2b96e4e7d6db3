import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { IdempotencyRecord, Upload, Uploads } from '../../../core/objects/ports';
import type { Clock } from '../../../core/system';
import { failedConditions, pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { names, toItem } from './items/attributes';
import { replayPut, replayRecord, uploadItem, uploadRecord } from './items/upload-item';

/** The Uploads port on the Uploads table. */
export class DynamoUploads implements Uploads {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** 1 PutItem, or with a replay 1 TransactWriteItems of 2 items. */
  async create(upload: Upload, replay?: IdempotencyRecord): Promise<'created' | 'replayed'> {
    const Put = {
      TableName: this.table,
      Item: uploadItem(upload),
      ConditionExpression: 'attribute_not_exists(#id)',
      ExpressionAttributeNames: names('id'),
    };
    if (replay === undefined) {
      await this.client.send(new PutItemCommand(Put));
      return 'created';
    }
    const now = Math.floor(this.clock.now() / 1000);
    const TransactItems = [{ Put }, replayPut(this.table, replay, now)];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return 'created';
    } catch (error) {
      if (!failedConditions(error).includes(1)) throw error;
      return 'replayed';
    }
  }

  /** 1 GetItem, consistent. */
  async get(id: string): Promise<Upload | undefined> {
    const item = await this.read(id);
    return item && uploadRecord(item);
  }

  /** 1 PutItem: nothing of a pending row changes but its expiry. */
  async renew(upload: Upload): Promise<boolean> {
    const put = new PutItemCommand({
      TableName: this.table,
      Item: uploadItem(upload),
      ConditionExpression: '#state = :pending',
      ExpressionAttributeNames: names('state'),
      ExpressionAttributeValues: toItem({ ':pending': 'pending' }),
    });
    try {
      await pastConflicts(() => this.client.send(put));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return false;
    }
  }

  /** 1 UpdateItem; 1 GetItem more when the upload was not pending. */
  async refuse(id: string, reason: string): Promise<Upload['state'] | undefined> {
    const refused = await guardedUpdate(this.client, {
      table: this.table,
      key: { id },
      update: 'SET #state = :refused, #reason = :reason',
      condition: '#state = :pending',
      attributes: ['state', 'reason'],
      values: { ':refused': 'refused', ':reason': reason, ':pending': 'pending' },
    });
    return refused ? 'refused' : (await this.get(id))?.state;
  }

  /** 1 Scan of up to 1 MB of the table, consistent. */
  async expired(
    at: string,
    start?: string,
  ): Promise<{ readonly uploads: readonly Upload[]; readonly next?: string }> {
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new ScanCommand({
        TableName: this.table,
        ConsistentRead: true,
        FilterExpression: '#kind = :upload AND #state = :pending AND #expires_at < :at',
        ExpressionAttributeNames: names('kind', 'state', 'expires_at'),
        ExpressionAttributeValues: toItem({
          ':upload': 'upload',
          ':pending': 'pending',
          ':at': at,
        }),
        ExclusiveStartKey: start === undefined ? undefined : toItem({ id: start }),
      }),
    );
    const uploads = Items.map(uploadRecord).filter((upload) => upload !== undefined);
    const next = LastEvaluatedKey?.id?.S;
    return { uploads, ...(next !== undefined && { next }) };
  }

  /** 1 PutItem. */
  async saveIdempotencyRecord(replay: IdempotencyRecord, now: number): Promise<boolean> {
    try {
      await this.client.send(new PutItemCommand(replayPut(this.table, replay, now).Put));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return false;
    }
  }

  /** 1 GetItem, consistent. */
  async getIdempotencyRecord(id: string, now: number): Promise<IdempotencyRecord | undefined> {
    const item = await this.read(id);
    const replay = item && replayRecord(item);
    return replay && replay.expiresAt > now ? replay : undefined;
  }

  private async read(id: string) {
    const { Item } = await this.client.send(
      new GetItemCommand({ TableName: this.table, Key: toItem({ id }), ConsistentRead: true }),
    );
    return Item;
  }
}
