import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from './items/attributes';

/** The item under the key, or undefined. AWS calls: 1 GetItem, consistent. */
export async function readItem(
  client: DynamoDBClient,
  table: string,
  key: Item,
): Promise<Item | undefined> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }),
  );
  return Item;
}
