import type { Item } from './items/attributes';
import type { DynamoTables } from './tables/dynamo-tables';

/** The item under the key, or undefined. AWS calls: 1 GetItem, consistent. */
export async function readItem(
  client: DynamoTables,
  table: string,
  key: Item,
): Promise<Item | undefined> {
  const { Item } = await client.getItem({ TableName: table, Key: key, ConsistentRead: true });
  return Item;
}
