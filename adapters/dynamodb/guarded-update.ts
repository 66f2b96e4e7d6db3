import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { pastConflicts } from './conflicts';
import { type Fields, type Item, names, toItem } from './items/attributes';

/** An update of one item that is made only under its condition. */
export interface GuardedUpdate {
  readonly table: string;
  readonly key: Fields;
  readonly update: string;
  readonly condition: string;
  /** The attributes that `update` and `condition` name, as `#attribute`. */
  readonly attributes: readonly string[];
  /** Names of map entries that they use, by alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The values that they use, as `:value`; absent if they use none. */
  readonly values?: Fields;
}

/**
 * Returns the updated attributes, or with ALL_NEW the whole item, as they are now; undefined when
 * the condition does not hold. AWS calls: 1 UpdateItem; more while a transaction is in flight on
 * the item.
 */
export async function guardedUpdate(
  client: DynamoDBClient,
  { table, key, update, condition, attributes, aliases, values }: GuardedUpdate,
  ReturnValues: 'UPDATED_NEW' | 'ALL_NEW' = 'UPDATED_NEW',
): Promise<Item | undefined> {
  const input = {
    TableName: table,
    Key: toItem(key),
    UpdateExpression: update,
    ConditionExpression: condition,
    ExpressionAttributeNames: { ...names(...attributes), ...aliases },
    ExpressionAttributeValues: values && toItem(values),
    ReturnValues,
  };
  try {
    const { Attributes = {} } = await pastConflicts(() =>
      client.send(new UpdateItemCommand(input)),
    );
    return Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
