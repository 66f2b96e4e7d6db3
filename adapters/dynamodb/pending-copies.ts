import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { PendingCopies, PendingCopy } from '../../core/store/copies';
import type { IdempotencyRecord, Upload } from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import { failedConditions, pastConflicts } from './conflicts';
import { idempotencyPuts } from './idempotency-records';
import { names, toItem } from './items/attributes';
import { newUploadPut } from './uploads';

/** The partition of the Buckets table with the copies. No bucket has such a name. */
const COPIES = '#copies';

/** The PendingCopies port on the Buckets table, beside the uploads in the Uploads table. */
export class DynamoPendingCopies implements PendingCopies {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: { readonly buckets: string; readonly uploads: string },
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** AWS calls: 1 TransactWriteItems of 2 items, 3 with an idempotency record. */
  async begin(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    const { buckets, uploads } = this.tables;
    const copy = { TableName: buckets, Item: copyItem({ id: upload.id, until: 0 }) };
    const now = Math.floor(this.clock.now() / 1000);
    const TransactItems = [
      { Put: newUploadPut(uploads, upload) },
      { Put: copy },
      ...idempotencyPuts(uploads, idempotency, now),
    ];
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return 'created';
    } catch (error) {
      if (!failedConditions(error).includes(2)) throw error;
      return 'duplicate';
    }
  }

  /** 1 Query of up to 1 MB, consistent. */
  async list(): Promise<readonly PendingCopy[]> {
    const { Items = [] } = await this.client.send(
      new QueryCommand({
        TableName: this.tables.buckets,
        ConsistentRead: true,
        KeyConditionExpression: '#name = :copies',
        ExpressionAttributeNames: names('name'),
        ExpressionAttributeValues: toItem({ ':copies': COPIES }),
      }),
    );
    return Items.map(({ entry, until }) => ({
      id: entry?.S ?? '',
      until: Number(until?.N ?? 0),
    }));
  }

  /** AWS calls: 1 PutItem. */
  async claim({ id, until: held }: PendingCopy, until: number): Promise<PendingCopy | undefined> {
    const put = {
      TableName: this.tables.buckets,
      Item: copyItem({ id, until }),
      ConditionExpression: '#until = :held',
      ExpressionAttributeNames: names('until'),
      ExpressionAttributeValues: toItem({ ':held': held }),
    };
    try {
      await pastConflicts(() => this.client.send(new PutItemCommand(put)));
      return { id, until };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return undefined;
    }
  }

  /** AWS calls: 1 DeleteItem. */
  async remove(id: string): Promise<void> {
    const Key = toItem({ name: COPIES, entry: id });
    await this.client.send(new DeleteItemCommand({ TableName: this.tables.buckets, Key }));
  }
}

function copyItem({ id, until }: PendingCopy) {
  return toItem({ name: COPIES, entry: id, until });
}
