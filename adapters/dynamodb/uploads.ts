import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemInput,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { LIMITS } from '../../core/limits';
import type { IdempotencyRecord, StagedContent, Upload, Uploads } from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import { failedConditions, pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { epochSeconds, idempotencyPut, idempotencyRecord } from './idempotency-records';
import { names, toItem } from './items/attributes';
import { stagedFields, uploadItem, uploadRecord } from './items/upload-item';
import { readItem } from './read-item';

/** The write of an upload that does not exist yet. */
export function newUploadPut(table: string, upload: Upload) {
  return {
    TableName: table,
    Item: uploadItem(upload),
    ConditionExpression: 'attribute_not_exists(#id)',
    ExpressionAttributeNames: names('id'),
  };
}

/** The Uploads port on the Uploads table. */
export class DynamoUploads implements Uploads {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** AWS calls: 1 PutItem, or with an idempotency record 1 TransactWriteItems of 2 items. */
  async create(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    const Put = newUploadPut(this.table, upload);
    if (idempotency === undefined) {
      await this.client.send(new PutItemCommand(Put));
      return 'created';
    }
    const now = Math.floor(this.clock.now() / 1000);
    const TransactItems = [{ Put }, idempotencyPut(this.table, idempotency, now)];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return 'created';
    } catch (error) {
      if (!failedConditions(error).includes(1)) throw error;
      return 'duplicate';
    }
  }

  /** AWS calls: 1 GetItem, consistent. */
  async get(id: string): Promise<Upload | undefined> {
    const item = await this.read(id);
    return item && uploadRecord(item);
  }

  /** AWS calls: 1 PutItem: of a pending row, only expiry and signer change. */
  async renew(upload: Upload): Promise<boolean> {
    const put: PutItemInput = {
      TableName: this.table,
      Item: uploadItem(upload),
      ConditionExpression: '#state = :pending',
      ExpressionAttributeNames: names('state'),
      ExpressionAttributeValues: toItem({ ':pending': 'pending' }),
    };
    try {
      await pastConflicts(() => this.client.send(new PutItemCommand(put)));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return false;
    }
  }

  /** AWS calls: 1 UpdateItem. */
  async stage(id: string, content: StagedContent, expiresAt: string): Promise<boolean> {
    const staged = await guardedUpdate(this.client, {
      table: this.table,
      key: { id },
      update: 'SET #state = :staged, #staged = :content, #expires_at = :expires_at, #ttl = :ttl',
      condition: '#state = :pending',
      attributes: ['state', 'staged', 'expires_at', 'ttl'],
      values: {
        ':staged': 'staged',
        ':content': stagedFields(content),
        ':expires_at': expiresAt,
        ':ttl': epochSeconds(expiresAt) + LIMITS.uploadRowSeconds,
        ':pending': 'pending',
      },
    });
    return staged !== undefined;
  }

  /** AWS calls: 1 UpdateItem; 1 GetItem more when the upload was neither pending nor staged. */
  async refuse(id: string, reason: string): Promise<Upload['state'] | undefined> {
    const refused = await guardedUpdate(this.client, {
      table: this.table,
      key: { id },
      update: 'SET #state = :refused, #reason = :reason, #ttl = :ttl',
      condition: '#state IN (:pending, :staged)',
      attributes: ['state', 'reason', 'ttl'],
      values: {
        ':staged': 'staged',
        ':refused': 'refused',
        ':reason': reason,
        ':ttl': Math.floor(this.clock.now() / 1000) + LIMITS.uploadRowSeconds,
        ':pending': 'pending',
      },
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
        FilterExpression: '#kind = :upload AND #state IN (:pending, :staged) AND #expires_at < :at',
        ExpressionAttributeNames: names('kind', 'state', 'expires_at'),
        ExpressionAttributeValues: toItem({
          ':upload': 'upload',
          ':pending': 'pending',
          ':staged': 'staged',
          ':at': at,
        }),
        ExclusiveStartKey: start === undefined ? undefined : toItem({ id: start }),
      }),
    );
    const uploads = Items.map(uploadRecord).filter((upload) => upload !== undefined);
    const next = LastEvaluatedKey?.id?.S;
    return { uploads, ...(next !== undefined && { next }) };
  }

  /** AWS calls: 1 PutItem. */
  async saveIdempotencyRecord(record: IdempotencyRecord, now: number): Promise<boolean> {
    try {
      await this.client.send(new PutItemCommand(idempotencyPut(this.table, record, now).Put));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return false;
    }
  }

  /** AWS calls: 1 GetItem, consistent. */
  async getIdempotencyRecord(id: string, now: number): Promise<IdempotencyRecord | undefined> {
    const item = await this.read(id);
    const record = item && idempotencyRecord(item);
    return record && record.expiresAt > now ? record : undefined;
  }

  private read(id: string) {
    return readItem(this.client, this.table, toItem({ id }));
  }
}
