import {
  type DynamoDBClient,
  paginateScan,
  ScanCommand,
  TransactWriteItemsCommand,
  type TransactWriteItemsInput,
} from '@aws-sdk/client-dynamodb';
import type { ApiKeyRecord, AuditRecord, KeyStore } from '../../core/access/ports';
import { DynamoApiKeys } from './api-keys';
import { failedConditions, pastConflicts } from './conflicts';
import { apiKeyItem, apiKeyRecord } from './items/api-key-item';
import { names, toItem } from './items/attributes';
import { auditItem } from './items/audit-item';

export interface KeyTables {
  readonly apiKeys: string;
  readonly audit: string;
}

/** The KeyStore port on the tables ApiKeys and Audit. */
export class DynamoKeyStore extends DynamoApiKeys implements KeyStore {
  constructor(
    client: DynamoDBClient,
    private readonly tables: KeyTables,
  ) {
    super(client, tables.apiKeys);
  }

  /** 1 Scan of at most `limit` items, consistent. */
  async list(
    limit: number,
    after?: string,
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly next?: string }> {
    const { Items = [], LastEvaluatedKey } = await this.client.send(
      new ScanCommand({
        TableName: this.tables.apiKeys,
        ConsistentRead: true,
        Limit: limit,
        FilterExpression: 'attribute_not_exists(#kind)',
        ExpressionAttributeNames: names('kind'),
        ExclusiveStartKey: after === undefined ? undefined : toItem({ id: after }),
      }),
    );
    const next = LastEvaluatedKey?.id?.S;
    return { keys: Items.map(apiKeyRecord), ...(next !== undefined && { next }) };
  }

  /** 1 Scan for each MB of the table, consistent. */
  async sessionsOf(actorId: string): Promise<readonly ApiKeyRecord[]> {
    const pages = paginateScan(
      { client: this.client },
      {
        TableName: this.tables.apiKeys,
        ConsistentRead: true,
        FilterExpression: '#kind = :session AND #actor_id = :actor',
        ExpressionAttributeNames: names('kind', 'actor_id'),
        ExpressionAttributeValues: toItem({ ':session': 'session', ':actor': actorId }),
      },
    );
    const found: ApiKeyRecord[] = [];
    for await (const { Items = [] } of pages) found.push(...Items.map(apiKeyRecord));
    return found;
  }

  /** AWS calls: 1 TransactWriteItems of 2 items. */
  async save(record: ApiKeyRecord, audit: AuditRecord): Promise<boolean> {
    const TransactItems = [
      { Put: { TableName: this.tables.apiKeys, Item: apiKeyItem(record), ...guard(record) } },
      { Put: { TableName: this.tables.audit, Item: auditItem(audit) } },
    ];
    // The client adds a request token, so repeating a call that succeeded changes nothing.
    const call: TransactWriteItemsInput = { TransactItems };
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand(call)));
      return true;
    } catch (error) {
      if (!failedConditions(error).includes(0)) throw error;
      return false;
    }
  }
}

/** Permits a new record, or one that is a revision after the stored one. */
function guard({ revision = 0 }: ApiKeyRecord) {
  if (revision === 0) {
    return {
      ConditionExpression: 'attribute_not_exists(#id)',
      ExpressionAttributeNames: names('id'),
    };
  }
  if (revision === 1) {
    return {
      ConditionExpression: 'attribute_exists(#id) AND attribute_not_exists(#revision)',
      ExpressionAttributeNames: names('id', 'revision'),
    };
  }
  return {
    ConditionExpression: '#revision = :before',
    ExpressionAttributeNames: names('revision'),
    ExpressionAttributeValues: toItem({ ':before': revision - 1 }),
  };
}
