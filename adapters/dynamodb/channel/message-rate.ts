import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type { MessageAdmission, MessageRate } from '../../../core/channel/ports';
import { pastConflicts } from '../conflicts';
import { type Fields, type Item, names, toItem } from '../items/attributes';
import { connectionKey, connectionRecord, openConnection } from './connections';

/** An update of a connection's row, which is made only if there is a row. */
interface Count {
  readonly connectionId: string;
  readonly update: string;
  readonly condition: string;
  readonly attribute: 'tat' | 'refusals';
  readonly values: Fields;
}

/** The row after the update, or the row for which the condition does not hold. */
type Counted =
  | { readonly isUpdated: true; readonly row: Item }
  | { readonly isUpdated: false; readonly row?: Item };

interface Message {
  readonly connectionId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly rate: MessageRate;
}

/**
 * Counts a message in the row of its connection by the generic cell rate algorithm; `tat` is the
 * theoretical arrival time in epoch milliseconds:
 * https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm Returns whether the message is
 * accepted, or undefined when there is no such connection. AWS calls: 1 UpdateItem; 2 for a message
 * that is refused or comes before `tat`; 3 when concurrent messages use up the burst between the
 * two.
 */
export async function countMessage(
  client: DynamoDBClient,
  table: string,
  { connectionId, now, rate: { interval, burst } }: Message,
): Promise<MessageAdmission | undefined> {
  const count = (how: Omit<Count, 'connectionId'>) =>
    updateRow(client, table, { connectionId, ...how });
  const first = await count({
    update: 'SET #tat = :next',
    condition: 'attribute_not_exists(#tat) OR #tat < :now',
    attribute: 'tat',
    values: { ':next': now + interval, ':now': now },
  });
  const connection = first.row && openConnection(first.row);
  if (first.row === undefined || connection === undefined) return undefined;
  if (first.isUpdated) return { connection };

  const latest = now + (burst - 1) * interval;
  if (arrival(first.row) <= latest) {
    const next = await count({
      update: 'SET #tat = #tat + :interval',
      condition: '#tat <= :latest',
      attribute: 'tat',
      values: { ':interval': interval, ':latest': latest },
    });
    if (next.isUpdated) return { connection: connectionRecord(next.row) };
  }

  const refused = await count({
    update: 'ADD #refusals :one',
    condition: 'attribute_exists(#shard)',
    attribute: 'refusals',
    values: { ':one': 1 },
  });
  if (!refused.isUpdated) return undefined;
  return {
    connection: connectionRecord(refused.row),
    wait: (arrival(refused.row) - latest) / 1000,
    refusals: Number(refused.row.refusals?.N),
  };
}

async function updateRow(
  client: DynamoDBClient,
  table: string,
  { connectionId, update, condition, attribute, values }: Count,
): Promise<Counted> {
  const command: UpdateItemInput = {
    TableName: table,
    Key: toItem(connectionKey(connectionId)),
    UpdateExpression: update,
    ConditionExpression: `attribute_exists(#shard) AND (${condition})`,
    ExpressionAttributeNames: names('shard', attribute),
    ExpressionAttributeValues: toItem(values),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  try {
    const { Attributes = {} } = await pastConflicts(() =>
      client.send(new UpdateItemCommand(command)),
    );
    return { isUpdated: true, row: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isUpdated: false, ...(error.Item && { row: error.Item }) };
  }
}

function arrival(row: Item): number {
  return Number(row.tat?.N);
}
