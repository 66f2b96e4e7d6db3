import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { failure } from '../support/failure';
import { useClientOf } from './service';

const key = { id: { S: 'a' }, n: { N: '1' } };

test.each(['Notes', 'Log'])('refuses the requests that AWS refuses (%s)', async (TableName) => {
  const client = await useClientOf();
  const put = (item: object, more: object = {}) =>
    new PutItemCommand({ TableName, Item: { ...key, ...item }, ...more });
  const commands = {
    'an empty key': put({ id: { S: '' } }),
    'a missing key': new PutItemCommand({ TableName, Item: { id: { S: 'a' } } }),
    'a key of the wrong type': put({ n: { S: '1' } }),
    'a key over 2,048 bytes': put({ id: { S: 'x'.repeat(2049) } }),
    'an item over 400 KB': put({ text: { S: 'x'.repeat(400 * 1024) } }),
    'an empty set': put({ set: { SS: [] } }),
    'a set with a member twice': put({ set: { NS: ['1', '1.0'] } }),
    'a number of 39 digits': put({ number: { N: '1'.repeat(39) } }),
    'a name without use': put({}, { ExpressionAttributeNames: { '#x': 'x' } }),
    'a reserved word': put({}, { ConditionExpression: 'attribute_exists(name)' }),
    'ReturnValues that the operation has not': put({}, { ReturnValues: 'ALL_NEW' }),
    'ReturnValuesOnConditionCheckFailure that does not exist': put(
      {},
      { ReturnValuesOnConditionCheckFailure: 'ALL_NEW' },
    ),
    'legacy parameters': put({}, { Expected: { id: { Exists: false } } }),
    'a key with more than the schema': new GetItemCommand({
      TableName,
      Key: { ...key, extra: { S: 'x' } },
    }),
    'a delete with half a key': new DeleteItemCommand({ TableName, Key: { id: { S: 'a' } } }),
    'one item twice in a batch': new BatchWriteItemCommand({
      RequestItems: {
        [TableName]: [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: key } }],
      },
    }),
    'a batch entry with two requests': new BatchWriteItemCommand({
      RequestItems: {
        [TableName]: [{ PutRequest: { Item: key }, DeleteRequest: { Key: key } }],
      },
    }),
  };

  const names = await Promise.all(
    Object.entries(commands).map(async ([what, command]) => {
      // The commands differ only in their types.
      const error = await failure(client.send(command as GetItemCommand));
      return [what, error.name];
    }),
  );

  expect(Object.fromEntries(names)).toEqual(
    Object.fromEntries(Object.keys(commands).map((what) => [what, 'ValidationException'])),
  );
});

test('has only the tables of the template', async () => {
  const client = await useClientOf();
  const error = await failure(client.getItem({ TableName: 'Other', Key: { id: { S: 'a' } } }));
  expect(error.name).toBe('ResourceNotFoundException');
});

test('refuses an operation that is not emulated, by name', async () => {
  const client = await useClientOf();
  const error = await failure(client.updateTable({ TableName: 'Notes' }));
  expect(error).toMatchObject({
    name: 'UnknownOperationException',
    message: 'the emulator does not support DynamoDB_20120810.UpdateTable',
  });
});
