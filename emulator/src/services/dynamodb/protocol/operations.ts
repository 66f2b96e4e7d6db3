/** The emulated operations: the members of their requests and the permissions that they need. */
import { isRecord, type Json } from '../../../values/json';
import { validationError } from './errors';
import { asArray, asObject, asString } from './request-shape';

/** A permission that a request needs: `dynamodb:GetItem` on a table or an index of it. */
export interface Need {
  readonly action: string;
  readonly table: string;
  readonly index?: string;
  /** The items, with all attributes or only their keys. */
  readonly items?: readonly Json[];
  /** The request of a query, whose key condition names the item collection. */
  readonly query?: Json;
}

export interface Operation {
  /**
   * Members of the request. The emulator refuses all others; AWS ignores them, so that a misspelt
   * condition has no effect.
   */
  readonly parameters: readonly string[];
  /**
   * undefined: for the developer only. Throws when the request does not name its tables.
   */
  readonly needs?: (request: Json) => readonly Need[];
}

const EXPRESSION = ['ExpressionAttributeNames', 'ExpressionAttributeValues'];
const RETURN = ['ReturnConsumedCapacity', 'ReturnItemCollectionMetrics'];
const CONDITION = ['ConditionExpression', 'ReturnValuesOnConditionCheckFailure', ...EXPRESSION];
const WRITE = ['TableName', 'ReturnValues', ...CONDITION, ...RETURN];
const READ = ['ExpressionAttributeNames', 'ProjectionExpression', 'ReturnConsumedCapacity'];
const PAGE = [
  'TableName',
  'IndexName',
  'ConsistentRead',
  'ExclusiveStartKey',
  'FilterExpression',
  'Limit',
  'Select',
  'ExpressionAttributeValues',
  ...READ,
];
const TABLE = [
  'AttributeDefinitions',
  'BillingMode',
  'DeletionProtectionEnabled',
  'GlobalSecondaryIndexes',
  'KeySchema',
  'LocalSecondaryIndexes',
  'ProvisionedThroughput',
  'TableClass',
  'TableName',
  'Tags',
];

/** The kinds of a TransactWriteItems entry, with their members. */
export const TRANSACT_WRITES: Readonly<Record<string, readonly string[]>> = {
  Put: ['TableName', 'Item', ...CONDITION],
  Update: ['TableName', 'Key', 'UpdateExpression', ...CONDITION],
  Delete: ['TableName', 'Key', ...CONDITION],
  ConditionCheck: ['TableName', 'Key', ...CONDITION],
};

const onTable =
  (action: string, of: (request: Json) => Pick<Need, 'items' | 'query'> = () => ({})) =>
  (request: Json): Need[] => [
    {
      action: `dynamodb:${action}`,
      table: asString(request.TableName, 'TableName'),
      index: request.IndexName === undefined ? undefined : asString(request.IndexName, 'IndexName'),
      ...of(request),
    },
  ];

const itemsOf = (...items: readonly unknown[]) => ({ items: items.filter(isRecord) });
const ofKey = ({ Key }: Json) => itemsOf(Key);
const ofItem = ({ Item }: Json) => itemsOf(Item);

const onEachTable =
  (action: string, itemsIn: (entry: unknown) => readonly unknown[]) =>
  (request: Json): Need[] =>
    Object.entries(asObject(request.RequestItems, 'RequestItems')).map(([table, entry]) => ({
      action: `dynamodb:${action}`,
      table,
      ...itemsOf(...itemsIn(entry)),
    }));

const keysToGet = (entry: unknown) => asArray(asObject(entry, 'RequestItems').Keys, 'Keys');
const itemsToWrite = (entries: unknown) =>
  asArray(entries, 'RequestItems').map((entry) => {
    const { PutRequest: put, DeleteRequest: remove } = asObject(entry, 'RequestItems');
    return isRecord(put) ? put.Item : isRecord(remove) ? remove.Key : undefined;
  });

export interface TransactEntry {
  /** `Put`, `Update`, `Delete`, `ConditionCheck` or `Get` */
  readonly kind: string;
  readonly part: Json;
}

/** Returns the kind and the content of each entry of a transaction. Throws ValidationException. */
export function transactEntries(request: Json, kinds: readonly string[]): TransactEntry[] {
  return asArray(request.TransactItems, 'TransactItems').map((entry, index) => {
    const path = `TransactItems.${index}`;
    const parts = Object.entries(asObject(entry, path)).filter(([, part]) => part !== null);
    const [kind, part] = parts[0] ?? [];
    if (parts.length !== 1 || kind === undefined || !kinds.includes(kind)) {
      throw validationError(
        `TransactItems can only contain one of ${kinds.join(', ')}, got ${parts.map(([name]) => name).join(', ') || 'nothing'}`,
      );
    }
    return { kind, part: asObject(part, `${path}.${kind}`) };
  });
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html */
function transactNeeds(request: Json, kinds: readonly string[]): Need[] {
  return transactEntries(request, kinds).map(({ kind, part }) => ({
    action: `dynamodb:${kind}Item`,
    table: asString(part.TableName, 'TableName'),
    ...itemsOf(part.Key ?? part.Item),
  }));
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  BatchGetItem: {
    parameters: ['RequestItems', 'ReturnConsumedCapacity'],
    needs: onEachTable('BatchGetItem', keysToGet),
  },
  BatchWriteItem: {
    parameters: ['RequestItems', ...RETURN],
    needs: onEachTable('BatchWriteItem', itemsToWrite),
  },
  CreateTable: { parameters: TABLE },
  DeleteItem: { parameters: ['Key', ...WRITE], needs: onTable('DeleteItem', ofKey) },
  DeleteTable: { parameters: ['TableName'] },
  DescribeTable: { parameters: ['TableName'], needs: onTable('DescribeTable') },
  DescribeTimeToLive: { parameters: ['TableName'], needs: onTable('DescribeTimeToLive') },
  GetItem: {
    parameters: ['TableName', 'Key', 'ConsistentRead', ...READ],
    needs: onTable('GetItem', ofKey),
  },
  ListTables: { parameters: ['ExclusiveStartTableName', 'Limit'] },
  PutItem: { parameters: ['Item', ...WRITE], needs: onTable('PutItem', ofItem) },
  Query: {
    parameters: ['KeyConditionExpression', 'ScanIndexForward', ...PAGE],
    needs: onTable('Query', (query) => ({ query })),
  },
  Scan: { parameters: ['Segment', 'TotalSegments', ...PAGE], needs: onTable('Scan') },
  TransactGetItems: {
    parameters: ['TransactItems', 'ReturnConsumedCapacity'],
    needs: (request) => transactNeeds(request, ['Get']),
  },
  TransactWriteItems: {
    parameters: ['TransactItems', 'ClientRequestToken', ...RETURN],
    needs: (request) => transactNeeds(request, Object.keys(TRANSACT_WRITES)),
  },
  UpdateItem: {
    parameters: ['Key', 'UpdateExpression', ...WRITE],
    needs: onTable('UpdateItem', ofKey),
  },
};

export function findOperation(name: string): Operation | undefined {
  return Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
}
