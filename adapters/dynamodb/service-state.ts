import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ServiceState } from '../../core/service-state';
import { names, toItem } from './items/attributes';
import { STATE } from './items/bucket-item';
import { readItem } from './read-item';

/** The ServiceState port on the Buckets table, under `#state`. */
export class DynamoServiceState implements ServiceState {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** AWS calls: 1 GetItem, consistent. */
  async load(name: string): Promise<string | undefined> {
    const item = await readItem(this.client, this.table, toItem({ name: STATE, entry: name }));
    return item?.value?.S;
  }

  /** AWS calls: 1 PutItem. */
  async save(name: string, value: string): Promise<void> {
    const Item = toItem({ name: STATE, entry: name, value });
    await this.client.send(new PutItemCommand({ TableName: this.table, Item }));
  }

  /** AWS calls: 1 GetItem, consistent; when nothing is stored 1 PutItem more. */
  async once(name: string, initial: string): Promise<string> {
    const existing = await this.load(name);
    if (existing !== undefined) return existing;
    try {
      await this.client.send(
        new PutItemCommand({
          TableName: this.table,
          Item: toItem({ name: STATE, entry: name, value: initial }),
          ConditionExpression: 'attribute_not_exists(#entry)',
          ExpressionAttributeNames: names('entry'),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return initial;
    } catch (error) {
      const first = error instanceof ConditionalCheckFailedException && error.Item?.value?.S;
      if (!first) throw error;
      return first;
    }
  }
}
