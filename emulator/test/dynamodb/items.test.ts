import { failure } from '../support/failure';
import { useClientOf } from './service';

const key = (id: string, n = 1) => ({ id: { S: id }, n: { N: `${n}` } });

test('stores, reads and deletes an item', async () => {
  const client = await useClientOf();
  const Item = { ...key('a'), text: { S: 'naïve 😀' }, deep: { M: { list: { L: [{ N: '1' }] } } } };

  await client.putItem({ TableName: 'Notes', Item });
  const read = await client.getItem({ TableName: 'Notes', Key: key('a') });
  await client.deleteItem({ TableName: 'Notes', Key: key('a') });
  const deleted = await client.getItem({ TableName: 'Notes', Key: key('a') });

  expect(read.Item).toEqual(Item);
  expect(deleted.Item).toBeUndefined();
});

test.each(['Notes', 'Log'])(
  'returns the item that violates a condition (%s)',
  async (TableName) => {
    const client = await useClientOf();
    const Item = { ...key('a'), text: { S: 'old' } };
    await client.putItem({ TableName, Item });

    const error = await failure(
      client.putItem({
        TableName,
        Item: { ...key('a'), text: { S: 'new' } },
        ConditionExpression: 'attribute_not_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );

    expect(error).toMatchObject({ name: 'ConditionalCheckFailedException', Item });
  },
);

test.each(['Notes', 'Log'])(
  'increments a number and returns the new value in one call (%s)',
  async (TableName) => {
    const client = await useClientOf();
    const add = () =>
      client.updateItem({
        TableName,
        Key: key('counter'),
        UpdateExpression: 'ADD #c :one',
        ExpressionAttributeNames: { '#c': 'count' },
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues: 'UPDATED_NEW',
      });

    const responses = await Promise.all(Array.from({ length: 20 }, add));

    const counts = responses
      .map((response) => Number(response.Attributes?.count?.N))
      .sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  },
);

test('writes and reads batches, queries and scans them', async () => {
  const client = await useClientOf();
  const items = Array.from({ length: 25 }, (_, n) => key('batch', n));
  await client.batchWriteItem({
    RequestItems: {
      Notes: items.map((Item) => ({ PutRequest: { Item } })).slice(0, 20),
      Log: items.map((Item) => ({ PutRequest: { Item } })).slice(20),
    },
  });

  const batch = await client.batchGetItem({
    RequestItems: { Notes: { Keys: items }, Log: { Keys: items } },
  });
  const query = await client.query({
    TableName: 'Notes',
    KeyConditionExpression: 'id = :id AND n BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':id': { S: 'batch' }, ':from': { N: '5' }, ':to': { N: '7' } },
    ConsistentRead: true,
  });
  const scan = await client.scan({ TableName: 'Log', Limit: 3 });

  expect(batch.Responses?.Notes).toHaveLength(20);
  expect(batch.Responses?.Log).toHaveLength(5);
  expect(query.Items).toEqual([5, 6, 7].map((n) => key('batch', n)));
  expect(scan).toMatchObject({ Count: 3, LastEvaluatedKey: expect.anything() });
});
