/** Transactions in flight and callers at the same time, as DynamoDB tells of them under load. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Connection, Subscription } from '../../../../core/channel/ports';
import { DynamoSubscriptions } from '../../../../lambdas/shared/dynamodb/subscriptions';
import { cancelled, dynamoAnswer, dynamoError } from '../../../support/scripted-server';
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

test('a message that meets a subscription in the making is counted after it', async () => {
  const conflict = dynamoError('TransactionConflictException');
  const script = [conflict, dynamoAnswer({ Attributes: row({ tat: { N: '100' } }) })];

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.admitMessage('c=', 0, RATE)).toEqual({ connection });
    expect(operations(server)).toEqual(['UpdateItem', 'UpdateItem']);
  });
});

test('the last place of a burst goes to another message', async () => {
  const failed = (tat: string) =>
    dynamoError('ConditionalCheckFailedException', { Item: row({ tat: { N: tat } }) });
  const refused = row({ tat: { N: '200' }, refusals: { N: '7' } });
  const script = [failed('100'), failed('200'), dynamoAnswer({ Attributes: refused })];

  await withScript(script, async ({ client }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.admitMessage('c=', 0, RATE)).toEqual({ connection, wait: 0.1, refusals: 7 });
  });
});

test('a subscription that meets a message being counted is made after it', async () => {
  const script = [cancelled('TransactionConflict', 'None'), dynamoAnswer()];

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.subscribe(connection, photos, ANY)).toBe(true);
    const tokens = server.received.map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(new Set(tokens).size).toBe(2);
  });
});

test('a subscription that others change all the time is given up', async () => {
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

test('a key with more connections than a page has all of them', async () => {
  const id = (n: string) => ({ connection_id: { S: n } });
  const key = { shard: { S: 'key#key' }, ...id('1') };
  const script = [
    dynamoAnswer({ Items: [id('1')], LastEvaluatedKey: key }),
    dynamoAnswer({ Items: [id('2')] }),
  ];

  await withScript(script, async ({ client, server }) => {
    const port = new DynamoSubscriptions(client, 'subscriptions');

    expect(await port.connectionsOf('key')).toEqual(['1', '2']);
    const requests = server.received.map(({ body }) => JSON.parse(body));
    expect(requests.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true]);
    expect(requests[1].ExclusiveStartKey).toEqual(key);
  });
});
