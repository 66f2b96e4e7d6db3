import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { failure } from '../support/failure';
import { allRecords, useClient, useClientOf, useService } from './service';

const key = (id: string) => ({ id: { S: id }, n: { N: '1' } });
const putNew = (TableName: string, id: string): TransactWriteItem => ({
  Put: {
    TableName,
    Item: { ...key(id), text: { S: 'mine' } },
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});
const check = (id: string): TransactWriteItem => ({
  ConditionCheck: {
    TableName: 'Notes',
    Key: key(id),
    ConditionExpression: 'attribute_exists(id)',
  },
});

test('writes to two tables in one transaction', async () => {
  const client = await useClientOf();
  await client.transactWriteItems({ TransactItems: [putNew('Log', 'a'), putNew('Notes', 'a')] });

  const read = await client.transactGetItems({
    TransactItems: ['Log', 'Notes'].map((TableName) => ({ Get: { TableName, Key: key('a') } })),
  });

  expect(read.Responses?.map((response) => response.Item?.text)).toEqual([
    { S: 'mine' },
    { S: 'mine' },
  ]);
});

test('writes nothing and returns a reason for every entry when one condition fails', async () => {
  const client = await useClientOf();
  await client.putItem({ TableName: 'Log', Item: key('taken') });

  const error = await failure(
    client.transactWriteItems({
      TransactItems: [putNew('Log', 'free'), putNew('Log', 'taken'), check('absent')],
    }),
  );
  const free = await client.getItem({ TableName: 'Log', Key: key('free') });

  expect(error.name).toBe('TransactionCanceledException');
  expect(error.CancellationReasons).toEqual([
    { Code: 'None' },
    { Code: 'ConditionalCheckFailed', Message: expect.any(String), Item: key('taken') },
    { Code: 'ConditionalCheckFailed', Message: expect.any(String) },
  ]);
  expect(free.Item).toBeUndefined();
});

test('performs a transaction with the same token once, and refuses the token for another request', async () => {
  const service = await useService();
  const client = useClient(service.endpoint);
  const send = (...TransactItems: TransactWriteItem[]) =>
    client.transactWriteItems({ ClientRequestToken: 'token-1', TransactItems });

  await send(putNew('Log', 'a'));
  await send(putNew('Log', 'a'));
  const error = await failure(send(putNew('Log', 'b')));

  expect(error.name).toBe('IdempotentParameterMismatchException');
  expect(await allRecords(service)).toHaveLength(1);
});

test.each([
  [
    'the same item twice',
    [check('a'), putNew('Notes', 'a')],
    'Transaction request cannot include multiple operations on one item',
  ],
  [
    'two operations in one entry',
    [{ ...putNew('Notes', 'a'), ...check('b') }],
    'TransactItems can only contain one of',
  ],
  ['an entry without operation', [{}], 'TransactItems can only contain one of'],
  [
    'more than 100 entries',
    Array.from({ length: 101 }, (_, index) => putNew('Notes', `${index}`)),
    'less than or equal to 100',
  ],
])('refuses %s', async (_, TransactItems, message) => {
  const client = await useClientOf();
  const error = await failure(client.transactWriteItems({ TransactItems }));
  expect(error).toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining(message),
  });
});

test('refuses an empty token', async () => {
  const client = await useClientOf();
  const error = await failure(
    client.transactWriteItems({
      ClientRequestToken: '',
      TransactItems: [putNew('Notes', 'a')],
    }),
  );
  expect(error.name).toBe('ValidationException');
});
