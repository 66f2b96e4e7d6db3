import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemInput,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { LIMITS, OPEN_INDEX } from '../../core/limits';
import type {
  ExpiredUploads,
  IdempotencyRecord,
  StagedContent,
  Upload,
  Uploads,
} from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import { getAll } from './batches';
import { failedConditions, pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { epochSeconds, idempotencyPut, idempotencyRecord } from './idempotency-records';
import { names, toItem } from './items/attributes';
import { isOpen, OPEN_SHARDS, stagedFields, uploadItem, uploadRecord } from './items/upload-item';
import { readItem } from './read-item';

/** As many as one BatchGetItem reads. */
const KEYS_PER_PAGE = 100;

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
      update: 'SET #state = :refused, #reason = :reason, #ttl = :ttl REMOVE #open',
      condition: '#state IN (:pending, :staged)',
      attributes: ['state', 'reason', 'ttl', 'open'],
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

  /**
   * AWS calls: 1 Query of the index for each shard that has nothing, then 1 of the next one, and 1
   * BatchGetItem, consistent, of what it has. The index shows an upload with a delay.
   */
  async expired(at: string, start?: string): Promise<ExpiredUploads> {
    const position = start?.split(' ') ?? [];
    for (let shard = Number(position[0] ?? 0); shard < OPEN_SHARDS; shard++) {
      const after = shard === Number(position[0]) ? position : [];
      const { keys, last } = await this.open(shard, at, after);
      const next = last ?? (shard + 1 < OPEN_SHARDS ? `${shard + 1}` : undefined);
      if (keys.length === 0 && last === undefined) continue;
      const items = await getAll(this.client, this.table, keys);
      const uploads = items.flatMap((item) => uploadRecord(item) ?? []);
      const over = uploads.filter((upload) => isOpen(upload) && upload.expiresAt < at);
      return { uploads: over, ...(next !== undefined && { next }) };
    }
    return { uploads: [] };
  }

  /** `last`: the position of the last key, if there are more. */
  private async open(shard: number, at: string, [, expiresAt, id]: readonly string[]) {
    const open = String(shard);
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new QueryCommand({
        TableName: this.table,
        IndexName: OPEN_INDEX,
        Limit: KEYS_PER_PAGE,
        KeyConditionExpression: '#open = :open AND #expires_at < :at',
        ExpressionAttributeNames: names('open', 'expires_at'),
        ExpressionAttributeValues: toItem({ ':open': open, ':at': at }),
        ...(id && { ExclusiveStartKey: toItem({ open, expires_at: expiresAt, id }) }),
      }),
    );
    const keys = Items.map(({ id: key }) => toItem({ id: key?.S }));
    const { expires_at, id: key } = LastEvaluatedKey ?? {};
    return { keys, last: key && `${open} ${expires_at?.S} ${key.S}` };
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
