import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { ApiKeyRecord, ApiKeys } from '../../core/access/ports';
import { apiKeyRecord } from './items/api-key-item';
import { toItem } from './items/attributes';

/** The ApiKeys port on the ApiKeys table. */
export class DynamoApiKeys implements ApiKeys {
  constructor(
    protected readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** AWS calls: 1 GetItem, consistent: another replica may still have a revoked key as valid. */
  async get(id: string): Promise<ApiKeyRecord | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({
        TableName: this.table,
        Key: toItem({ id }),
        ConsistentRead: true,
      }),
    );
    return Item && apiKeyRecord(Item);
  }
}
