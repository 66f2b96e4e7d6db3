/** The AWS calls of DynamoRates and DynamoSlots, and what they do when the item always changes. */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoRates } from '../../../adapters/dynamodb/rates';
import { DynamoSlots } from '../../../adapters/dynamodb/slots';
import type { TokenLeaseRequest } from '../../../core/access/ports';
import { useDynamoEngine } from '../../support/dynamo-engine';
import { newName } from '../../support/samples';
import { dynamoError, dynamoResponse } from '../../support/scripted-server';
import { createTables } from '../../support/tables';
import { watchCalls } from '../../support/watched-client';
import { operations, withScript } from './scripted-dynamo';

const NOW = Date.UTC(2026, 10, 20, 14, 20);
const HOUR = 3_600_000;
const REQUEST: TokenLeaseRequest = {
  ...{ rate: { rate: 10, burst: 5 }, maxTokens: 1, now: NOW, knownUntil: NOW },
  ...{ class: 'read', counts: { read: 1 } },
};

const engine = useDynamoEngine();
let client: DynamoDBClient;
let table: string;
let calls: string[] = [];

beforeAll(async () => {
  const { endpoint } = await engine();
  client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  table = (await createTables(client, 'test')).rates;
  watchCalls(client, (call, when) => {
    if (when === 'before') calls.push(call);
  });
});
afterAll(() => client.destroy());
beforeEach(() => {
  calls = [];
});

describe('AWS calls of a lease', () => {
  const lease = async (key: string, change: Partial<TokenLeaseRequest> = {}) => {
    calls = [];
    const found = await new DynamoRates(client, table).lease(key, { ...REQUEST, ...change });
    expect(new Set(calls)).toEqual(new Set(['UpdateItem']));
    const fullAt = 'fullAt' in found ? found.fullAt : undefined;
    return { ...found, fullAt, calls: calls.length };
  };

  test('are one when the item is as it was seen last, and one more when it is not', async () => {
    const key = newName();
    const first = await lease(key);
    expect(first).toMatchObject({ result: 'granted', calls: 2 });
    const { fullAt } = first;
    const second = await lease(key, { fullAt });
    expect(second).toMatchObject({ result: 'granted', calls: 1 });
    expect(await lease(key, { fullAt, counts: {} })).toMatchObject({ calls: 1 });
    expect(await lease(key, { fullAt: 0 })).toMatchObject({ result: 'granted', calls: 2 });
    expect(await lease(key, { now: NOW + 5000, fullAt: 0 })).toMatchObject({ calls: 1 });
  });

  test('are three for the first of an hour, which saves the counts of the hour before', async () => {
    const key = newName();
    const { fullAt } = await lease(key);
    const next = { now: NOW + HOUR, knownUntil: NOW + HOUR, fullAt };
    expect(await lease(key, next)).toMatchObject({ result: 'granted', calls: 3 });
    expect(await lease(key, { ...next, fullAt: 0 })).toMatchObject({ calls: 2 });
  });

  test('are one more for a bucket that is emptier than empty', async () => {
    const key = newName();
    const slow = { rate: { rate: 1, burst: 5 }, maxTokens: 5 };
    await lease(key, slow);
    expect(await lease(key)).toMatchObject({ result: 'refused', calls: 2 });
    expect(await lease(key)).toMatchObject({ result: 'refused', calls: 1 });
  });
});

test('a lease is unavailable when the item changed six times meanwhile', async () => {
  const Item = { full_read: { N: String((NOW + 100) * 1000) } };
  const script = [dynamoError('ConditionalCheckFailedException', { Item })];
  await withScript(script, async ({ client, server }) => {
    const lease = new DynamoRates(client, 'rates').lease('key', REQUEST);
    await expect(lease).rejects.toMatchObject({ code: 'unavailable' });
    expect(operations(server)).toEqual(Array(6).fill('UpdateItem'));
  });
});

test('a lease of the last of six attempts is granted', async () => {
  const Item = { full_read: { N: String((NOW + 100) * 1000) } };
  const failed = dynamoError('ConditionalCheckFailedException', { Item });
  const script = [...Array(5).fill(failed), dynamoResponse()];
  await withScript(script, async ({ client }) => {
    const lease = await new DynamoRates(client, 'rates').lease('key', REQUEST);
    expect(lease).toMatchObject({ result: 'granted', tokens: 1 });
  });
});

describe('AWS calls of a slot', () => {
  const take = (key: string, holder: string, change = {}) => {
    calls = [];
    const request = { limit: 2, holder, now: NOW, until: NOW + 100.5, ...change };
    return new DynamoSlots(client, table).take(key, 'wait', request);
  };

  test('are one, and one more for the first of a key or when all are taken', async () => {
    const key = newName();
    expect(await take(key, 'a')).toBe(true);
    expect(calls).toEqual(['UpdateItem', 'UpdateItem']);
    expect(await take(key, 'b')).toBe(true);
    expect(calls).toEqual(['UpdateItem']);
    expect(await take(key, 'c')).toBe(false);
    expect(calls).toEqual(['UpdateItem']);
    expect(await take(key, 'd', { now: NOW + 101 })).toBe(true);
    expect(calls).toEqual(['UpdateItem', 'UpdateItem']);
  });

  test('are one more for each 50 that have expired', async () => {
    const key = newName();
    const holders = Array.from({ length: 120 }, (_, n) => [`old ${n}`, { N: String(NOW) }]);
    const Item = { key_id: { S: `${key}#wait` }, holders: { M: Object.fromEntries(holders) } };
    await client.send(new PutItemCommand({ TableName: table, Item }));

    expect(await take(key, 'new', { limit: 1 })).toBe(true);

    expect(calls).toEqual(Array(4).fill('UpdateItem'));
    const slots = new DynamoSlots(client, table);
    expect(await slots.holders(key, 'wait')).toEqual(new Map([['new', NOW + 100.5]]));
  });

  test('the item of slots stays for a day after the last of them', async () => {
    const key = newName();
    await take(key, 'a');
    const Key = { key_id: { S: `${key}#wait` } };
    const { Item } = await client.send(new GetItemCommand({ TableName: table, Key }));
    expect(Item?.ttl).toEqual({ N: String(NOW / 1000 + 1 + 86_400) });
  });
});

test('a slot counts as taken when the item changed five times meanwhile', async () => {
  const Item = { holders: { M: {} } };
  const failed = dynamoError('ConditionalCheckFailedException', { Item });
  const script = [...Array(5).fill(failed), dynamoResponse()];
  await withScript(script, async ({ client, server }) => {
    const request = { limit: 1, holder: 'a', now: NOW, until: NOW + 1 };
    expect(await new DynamoSlots(client, 'rates').take('key', 'wait', request)).toBe(false);
    expect(server.received).toHaveLength(5);
  });
});
