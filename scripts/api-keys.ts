/** Makes API keys until the dashboard does: straight into the ApiKeys table, with the operator's own credentials. */
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { newApiKey } from '../core/api-key';
import type { Permission } from '../core/ports';
import { apiKeyItem } from '../lambdas/adapters/api-key-item';

/** Everything, everywhere. */
export const ALL_PERMISSIONS: readonly Permission[] = [
  {
    buckets: ['*'],
    actions: ['read', 'write', 'delete', 'list', 'sync', 'sign', 'create_bucket', 'delete_bucket'],
  },
];

/** Answers the key's text, which is stored nowhere. */
export async function createApiKey(
  client: DynamoDBClient,
  table: string,
  options: {
    readonly name: string;
    readonly permissions: readonly Permission[];
    /** ISO 8601. */
    readonly expiresAt?: string;
  },
): Promise<string> {
  const { id, text, secretHash } = newApiKey();
  const createdAt = new Date().toISOString();
  await client.send(
    new PutItemCommand({
      TableName: table,
      Item: apiKeyItem({ id, secretHash, createdAt, ...options }),
      ConditionExpression: 'attribute_not_exists(id)',
    }),
  );
  return text;
}
