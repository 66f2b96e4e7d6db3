/**
 * Every operation with both implementations, on a DynamoDB that checks signatures and parameters:
 * each call must have the same outcome.
 */

import type { DynamoTables } from '../../../../adapters/dynamodb/tables/dynamo-tables';
import { queryPages, scanPages } from '../../../../adapters/dynamodb/tables/dynamo-tables';
import { allowAll } from '../../../../emulator/src/iam/allow-all';
import { type DynamoDb, startDynamoDb } from '../../../../emulator/src/services/dynamodb/dynamodb';
import { temporaryFolder } from '../../../support/temporary-folder';
import { IMPLEMENTATIONS, outcomeOf } from './clients';

const iam = allowAll();
const data = temporaryFolder('tables');
let service: DynamoDb;

const table = (name: string) => ({
  name,
  keys: [
    { name: 'id', type: 'S' as const },
    { name: 'n', type: 'N' as const },
  ],
  attributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' as const },
    { AttributeName: 'n', AttributeType: 'N' as const },
  ],
});

beforeAll(async () => {
  service = await startDynamoDb({
    tables: [table('http'), table('sdk')],
    dataDir: data.folder,
    iam,
    region: 'us-east-1',
    accountId: '000000000000',
    port: 0,
  });
});
afterAll(async () => {
  await service.stop();
  data.remove();
});

const key = (id: string, n = 1) => ({ id: { S: id }, n: { N: String(n) } });

/** Text of every length in UTF-8, numbers at their limits, nested and empty values. */
const ITEM = {
  ...key('ä€😀\u0000"\\'),
  long: { N: '12345678901234567890123456789012345678' },
  empty: { S: '' },
  map: { M: { __proto__x: { S: 'a' }, list: { L: [{ N: '-0.5' }, { M: {} }, { L: [] }] } } },
};

type Call = (tables: DynamoTables, TableName: string) => Promise<object>;

const ABSENT = { ConditionExpression: 'attribute_not_exists(id)' };
const ALL_OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** In this order, as later calls read what earlier ones wrote. */
const CALLS: readonly (readonly [string, Call])[] = [
  ['putItem', (t, TableName) => t.putItem({ TableName, Item: ITEM })],
  [
    'putItem, replaced',
    (t, TableName) => t.putItem({ TableName, Item: ITEM, ReturnValues: 'ALL_OLD' }),
  ],
  [
    'getItem',
    (t, TableName) =>
      t.getItem({ TableName, Key: { id: ITEM.id, n: ITEM.n }, ConsistentRead: true }),
  ],
  ['getItem of none', (t, TableName) => t.getItem({ TableName, Key: key('none') })],
  [
    'putItem, condition failed',
    (t, TableName) => t.putItem({ TableName, Item: ITEM, ...ABSENT, ...ALL_OLD }),
  ],
  [
    'putItem, condition failed without the item',
    (t, TableName) => t.putItem({ TableName, Item: ITEM, ...ABSENT }),
  ],
  [
    'updateItem',
    (t, TableName) =>
      t.updateItem({
        TableName,
        Key: key('a'),
        UpdateExpression: 'SET #v = :v ADD #c :one',
        ExpressionAttributeNames: { '#v': 'value', '#c': 'count' },
        ExpressionAttributeValues: { ':v': { L: [{ S: 'x' }] }, ':one': { N: '1' } },
        ReturnValues: 'ALL_NEW',
      }),
  ],
  [
    'updateItem, condition failed',
    (t, TableName) =>
      t.updateItem({
        TableName,
        Key: key('a'),
        UpdateExpression: 'REMOVE #v',
        ConditionExpression: '#c > :one',
        ExpressionAttributeNames: { '#v': 'value', '#c': 'count' },
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ...ALL_OLD,
      }),
  ],
  [
    'deleteItem, condition failed',
    (t, TableName) => t.deleteItem({ TableName, Key: key('a'), ...ABSENT, ...ALL_OLD }),
  ],
  [
    'batchWriteItem',
    (t, TableName) =>
      t.batchWriteItem({
        RequestItems: {
          [TableName]: [1, 2, 3].map((n) => ({ PutRequest: { Item: key('batch', n) } })),
        },
      }),
  ],
  [
    'query, first page',
    (t, TableName) =>
      t.query({
        TableName,
        KeyConditionExpression: 'id = :id',
        ExpressionAttributeValues: { ':id': { S: 'batch' } },
        Limit: 2,
      }),
  ],
  [
    'query, no items',
    (t, TableName) =>
      t.query({
        TableName,
        KeyConditionExpression: 'id = :id',
        ExpressionAttributeValues: { ':id': { S: 'none' } },
      }),
  ],
  [
    'scan with a filter',
    (t, TableName) =>
      t.scan({
        TableName,
        FilterExpression: 'n > :n AND id <> :other',
        ExpressionAttributeValues: { ':n': { N: '2' }, ':other': { S: 'paged' } },
      }),
  ],
  [
    'transactWriteItems',
    (t, TableName) =>
      t.transactWriteItems({
        TransactItems: [
          { Put: { TableName, Item: key('t', 1) } },
          { Delete: { TableName, Key: key('batch', 3) } },
        ],
      }),
  ],
  [
    'transactWriteItems, cancelled for mixed reasons',
    (t, TableName) =>
      t.transactWriteItems({
        TransactItems: [
          { Put: { TableName, Item: { ...key('t', 1), x: { S: '1' } }, ...ABSENT, ...ALL_OLD } },
          { Put: { TableName, Item: key('t', 2) } },
          { Put: { TableName, Item: key('t', 3), ConditionExpression: 'attribute_exists(id)' } },
        ],
      }),
  ],
  [
    'deleteItem',
    (t, TableName) => t.deleteItem({ TableName, Key: key('t', 1), ReturnValues: 'ALL_OLD' }),
  ],
  ['an item without its key', (t, TableName) => t.putItem({ TableName, Item: { x: { S: '' } } })],
  [
    'an expression that does not parse',
    (t, TableName) => t.scan({ TableName, FilterExpression: 'a b c' }),
  ],
  ['a table that does not exist', (t) => t.getItem({ TableName: 'none', Key: key('a') })],
];

test.each(CALLS)('%s has the same outcome with both implementations', async (_, call) => {
  const outcome = async (name: keyof typeof IMPLEMENTATIONS) => {
    const tables = IMPLEMENTATIONS[name](service.endpoint, { credentials: iam.root });
    const found = await outcomeOf(call(tables, name));
    // Each has a table and request ids of its own.
    return JSON.parse(JSON.stringify({ ...found, requestId: 'requestId' in found }));
  };
  const [http, sdk] = [await outcome('http'), await outcome('sdk')];

  expect(http).toEqual(sdk);
});

test('batchGetItem returns the same items with both implementations', async () => {
  for (const name of ['http', 'sdk'] as const) {
    const tables = IMPLEMENTATIONS[name](service.endpoint, { credentials: iam.root });
    const item = { ...ITEM, ...key('batched') };
    await tables.putItem({ TableName: name, Item: item });
    const Keys = [key('batched'), key('none')];

    const found = await tables.batchGetItem({ RequestItems: { [name]: { Keys } } });

    expect(found).toMatchObject({ Responses: { [name]: [item] }, UnprocessedKeys: {} });
  }
});

test('pages are read until the last one', async () => {
  const tables = IMPLEMENTATIONS.http(service.endpoint, { credentials: iam.root });
  const all = [1, 2, 3, 4, 5].map((n) => key('paged', n));
  // In both tables, which other tests compare.
  for (const TableName of ['http', 'sdk']) {
    for (const Item of all) await tables.putItem({ TableName, Item });
  }

  const byQuery: unknown[] = [];
  const query = {
    KeyConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': { S: 'paged' } },
  };
  for await (const { Items } of queryPages(tables, { TableName: 'http', Limit: 2, ...query })) {
    byQuery.push(Items?.length);
  }
  let scanned = 0;
  const filter = {
    FilterExpression: 'id = :id',
    ExpressionAttributeValues: query.ExpressionAttributeValues,
  };
  for await (const { Items = [] } of scanPages(tables, {
    TableName: 'http',
    Limit: 3,
    ...filter,
  })) {
    scanned += Items.length;
  }

  expect(byQuery).toEqual([2, 2, 1]);
  expect(scanned).toBe(5);
});

test('a signature with a wrong secret is refused alike', async () => {
  const credentials = { ...iam.root, secretAccessKey: 'wrong' };
  const call = (tables: DynamoTables) =>
    outcomeOf(tables.getItem({ TableName: 'http', Key: key('a') }));
  const [http, sdk] = [
    await call(IMPLEMENTATIONS.http(service.endpoint, { credentials })),
    await call(IMPLEMENTATIONS.sdk(service.endpoint, { credentials })),
  ];

  expect(http).toMatchObject({ name: 'InvalidSignatureException', isRetryable: false });
  expect({ ...http, message: '', requestId: '' }).toEqual({ ...sdk, message: '', requestId: '' });
});
