/** Transactions in flight and concurrent callers, as DynamoDB reports them under load. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import type { Connection, Subscription } from '../../../core/channel/ports';
import { cancelled, dynamoError, dynamoResponse } from '../../support/scripted-server';
import { operations, withScript } from './scripted-dynamo';

const RATE = { interval: 100, burst: 2 };
const ANY = { limit: 50 };

const row = (fields: Record<string, AttributeValue> = {}) => ({
  connection_id: { S: 'c=' },
  key_id: { S: 'key' },
  connected_at: { N: '0' },
  subscriptions: { M: {} },
  ...fields,
});
const connection: Connection = {
  id: 'c=',
  keyId: 'key',
  connectedAt: 0,
  subscriptions: new Map(),
};
const photos: Subscription = { bucket: 'photos', bucketId: 'id', prefix: '' };

test('admitMessage repeats its update when a subscription is written concurrently', async () => {
  const conflict = dynamoError('TransactionConflictException');
  const script = [conflict, dynamoResponse({ Attributes: row({ tat: { N: '100' } }) })];

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.admitMessage('c=', 0, RATE)).toEqual({ connection });
    expect(operations(server)).toEqual(['UpdateItem', 'UpdateItem']);
  });
});

test('admitMessage refuses a message when a concurrent one takes the last place of the burst', async () => {
  const failed = (tat: string) =>
    dynamoError('ConditionalCheckFailedException', { Item: row({ tat: { N: tat } }) });
  const refused = row({ tat: { N: '200' }, refusals: { N: '7' } });
  const script = [failed('100'), failed('200'), dynamoResponse({ Attributes: refused })];

  await withScript(script, async ({ client }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.admitMessage('c=', 0, RATE)).toEqual({ connection, wait: 0.1, refusals: 7 });
  });
});

test.each([
  ['exists', [undefined]],
  ['exists after it was counted', [row({ tat: { N: '500' } }), undefined]],
  ['is open', [row({ tat: { N: '500' }, closing: { N: '1' } })]],
])('admitMessage returns undefined when no connection %s', async (_, items) => {
  const script = items.map((Item) => dynamoError('ConditionalCheckFailedException', { Item }));
  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.admitMessage('c=', 0, RATE)).toBeUndefined();
    expect(server.received).toHaveLength(items.length);
  });
});

test('subscribe repeats its transaction when a message is counted concurrently', async () => {
  const script = [cancelled('TransactionConflict', 'None'), dynamoResponse()];

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.subscribe(connection, photos, ANY)).toBe(true);
    const tokens = server.received.map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(new Set(tokens).size).toBe(2);
  });
});

test('subscribe throws when another caller changes the subscription before each of five attempts', async () => {
  const reason = (prefix: string) => ({
    Code: 'ConditionalCheckFailed',
    Item: row({
      subscriptions: { M: { photos: { M: { bucket_id: { S: 'id' }, prefix: { S: prefix } } } } },
    }),
  });
  const script = ['a', 'b', 'a', 'b', 'a'].map((prefix) => cancelled(reason(prefix), 'None'));

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    await expect(port.subscribe(connection, photos, ANY)).rejects.toThrow('another message');
    expect(server.received).toHaveLength(5);
  });
});

test('connectionsOf returns the connections of every page', async () => {
  const id = (n: string) => ({ connection_id: { S: n } });
  const key = { shard: { S: 'key#key' }, ...id('1') };
  const script = [
    dynamoResponse({ Items: [id('1')], LastEvaluatedKey: key }),
    dynamoResponse({ Items: [id('2')] }),
  ];

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.connectionsOf('key')).toEqual(['1', '2']);
    const requests = server.received.map(({ body }) => JSON.parse(body));
    expect(requests.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true]);
    expect(requests[1].ExclusiveStartKey).toEqual(key);
  });
});
