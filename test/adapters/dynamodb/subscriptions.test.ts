/**
 * The AWS calls of DynamoSubscriptions, and the rows that a crash or a concurrent caller leaves.
 */
import {
  type AttributeValue,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import type { Connection, Subscription } from '../../../core/channel/ports';
import { useDynamoEngine } from '../../support/dynamo-engine';
import { newName } from '../../support/samples';
import { createTables } from '../../support/tables';
import { type WatchCall, watchCalls } from '../../support/watched-client';

const CONNECTED_AT = Date.UTC(2026, 0, 1) + 1;
const RATE = { interval: 100, burst: 2 };
const ANY = { limit: 50 };
/** Stops the caller at one of its calls, as when its function is killed. */
class Killed extends Error {}

const engine = useDynamoEngine();
let config: DynamoDBClientConfig;
const clients: DynamoDBClient[] = [];
let table: string;
let plain: DynamoDBClient;

beforeAll(async () => {
  const { endpoint } = await engine();
  config = {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  plain = new DynamoDBClient(config);
  clients.push(plain);
  table = (await createTables(plain, 'test')).subscriptions;
});
afterAll(() => {
  for (const client of clients) client.destroy();
});

/** With a client of its own. */
function open(watch: WatchCall = () => {}): DynamoSubscriptions {
  const client = new DynamoDBClient(config);
  clients.push(client);
  return new DynamoSubscriptions(watchCalls(client, watch), table);
}

async function rowsOf(connectionId: string): Promise<Record<string, AttributeValue>[]> {
  const { Items = [] } = await plain.send(
    new ScanCommand({
      TableName: table,
      ConsistentRead: true,
      FilterExpression: 'connection_id = :id',
      ExpressionAttributeValues: { ':id': { S: connectionId } },
    }),
  );
  return Items;
}

const newFollowed = (): Subscription => ({ bucket: newName(), bucketId: newName(), prefix: 'a/' });

async function newConnection(...followed: readonly Subscription[]): Promise<Connection> {
  const port = open();
  const id = `${newName()}=`;
  await port.open({ id, keyId: newName(), connectedAt: CONNECTED_AT });
  return follow(id, followed);
}

async function follow(id: string, followed: readonly Subscription[]): Promise<Connection> {
  const port = open();
  let connection = await port.get(id);
  for (const each of followed) {
    if (connection === undefined) break;
    await port.subscribe(connection, each, ANY);
    connection = await port.get(id);
  }
  if (connection === undefined) throw new Error('no connection');
  return connection;
}

describe('AWS calls', () => {
  let calls: string[] = [];
  const watched = () => {
    calls = [];
    return open((call, when) => {
      if (when === 'before') calls.push(call);
    });
  };

  test('a connection makes the documented calls from its opening to its end', async () => {
    const port = watched();
    const cost = async (act: Promise<unknown>) => {
      await act;
      return calls.splice(0);
    };
    const id = `${newName()}=`;
    const keyId = newName();
    const photos = newFollowed();
    const again = { ...photos, bucketId: newName() };

    expect(await cost(port.open({ id, keyId, connectedAt: CONNECTED_AT }))).toEqual([
      'PutItem',
      'PutItem',
    ]);
    expect(await cost(port.get(id))).toEqual(['GetItem']);
    const connection = await follow(id, []);
    expect(await cost(port.subscribe(connection, photos, ANY))).toEqual(['TransactWriteItems']);
    const following = await follow(id, []);
    expect(await cost(port.subscribe(following, again, ANY))).toEqual(['TransactWriteItems']);
    expect(await cost(port.subscribers(again.bucketId))).toEqual(Array(4).fill('Query'));
    expect(await cost(port.connectionsOf(keyId))).toEqual(['Query']);
    expect(await cost(port.unsubscribe(id, again))).toEqual(['TransactWriteItems']);
    expect(await cost(port.removeSubscriber(again.bucketId, id))).toEqual(['DeleteItem']);
    const end = ['UpdateItem', 'BatchWriteItem', 'DeleteItem'];
    expect(await cost(port.close(id))).toEqual(end);
    expect(await cost(port.close(id))).toEqual(['UpdateItem']);
  });

  test.each([
    ['the first message', [0], 1],
    ['a message after the interval', [0, 101], 1],
    ['a message within a burst', [0, 0], 2],
    ['a refused message', [0, 0, 0], 2],
  ])('%s makes the documented number of UpdateItem calls', async (_, times, expected) => {
    const { id } = await newConnection();
    const port = watched();

    for (const time of times) {
      calls = [];
      await port.admitMessage(id, CONNECTED_AT + time, RATE);
    }

    expect(calls).toEqual(Array(expected).fill('UpdateItem'));
  });

  test('a ticket costs one PutItem, then a GetItem and a DeleteItem; an unknown one a GetItem', async () => {
    const port = watched();
    const ticket = { keyId: 'k', bucket: 'photos', prefix: '', expiresAt: CONNECTED_AT };

    await port.addTicket('a', ticket);
    await port.ticket('a', 0);
    await port.redeemTicket('a');
    expect(calls).toEqual(['PutItem', 'GetItem', 'DeleteItem']);

    calls = [];
    for (const id of ['a', 'unknown']) await port.ticket(id, 0);
    expect(calls).toEqual(['GetItem', 'GetItem']);
  });
});

test('every row of a connection expires ten minutes after the longest possible connection', async () => {
  const { id } = await newConnection(newFollowed());

  const times = (await rowsOf(id)).map(({ ttl }) => ttl?.N);

  const end = Math.ceil(CONNECTED_AT / 1000) + 2 * 3600 + 600;
  expect(times).toEqual([String(end), String(end), String(end)]);
});

test('the row of a ticket expires with the ticket', async () => {
  const id = newName('ticket');
  const ticket = { keyId: 'k', bucket: 'photos', prefix: '', expiresAt: CONNECTED_AT };
  await open().addTicket(id, ticket);

  const rows = await rowsOf('-');

  const row = rows.find(({ shard }) => shard?.S === `ticket#${id}`);
  expect(row?.ttl?.N).toBe(String(Math.ceil(CONNECTED_AT / 1000)));
});

describe('a caller killed in the middle', () => {
  /** Where the caller is killed: before or after its first, second or third call. */
  const POINTS = [1, 2, 3].flatMap((at) => [['before', at] as const, ['after', at] as const]);

  function killedAt(at: number, when: 'before' | 'after') {
    let calls = 0;
    return open((_, moment) => {
      if (moment === 'before') calls += 1;
      if (calls === at && moment === when) throw new Killed();
    });
  }

  test('of open leaves no connection of the key without its record', async () => {
    const { id, keyId } = { id: `${newName()}=`, keyId: newName() };
    let calls = 0;
    const port = open((_, when) => {
      if (when === 'before') calls += 1;
      else throw new Killed();
    });
    await expect(port.open({ id, keyId, connectedAt: CONNECTED_AT })).rejects.toThrow(Killed);
    expect(calls).toBe(1);
    expect(await open().get(id)).toBeDefined();
    expect(await open().connectionsOf(keyId)).toEqual([]);
  });

  test.each(POINTS)('of close, %s call %d: the next close finishes it', async (when, at) => {
    const [photos, videos] = [newFollowed(), newFollowed()];
    const connection = await newConnection(photos, videos);
    expect(await rowsOf(connection.id)).toHaveLength(4);

    await expect(killedAt(at, when).close(connection.id)).rejects.toThrow(Killed);
    await open().close(connection.id);

    expect(await rowsOf(connection.id)).toEqual([]);
  });

  test.each(POINTS.slice(1))(
    'of close, %s call %d: the connection cannot be used any more',
    async (when, at) => {
      const connection = await newConnection(newFollowed());
      await expect(killedAt(at, when).close(connection.id)).rejects.toThrow(Killed);

      const port = open();

      expect(await port.get(connection.id)).toBeUndefined();
      expect(await port.admitMessage(connection.id, CONNECTED_AT, RATE)).toBeUndefined();
      expect(await port.subscribe(connection, newFollowed(), ANY)).toBe(false);
    },
  );

  test.each(POINTS.slice(0, 2))(
    'of subscribe, %s call %d: both rows are written or none',
    async (when, at) => {
      const before = newFollowed();
      const after = { ...before, bucketId: newName(), prefix: 'b/' };
      const connection = await newConnection(before);

      await expect(killedAt(at, when).subscribe(connection, after, ANY)).rejects.toThrow(Killed);

      const expected = when === 'after' ? after : before;
      const port = open();
      const { subscriptions } = await follow(connection.id, []);
      expect([...subscriptions.values()]).toEqual([expected]);
      expect(await port.subscribers(before.bucketId)).toHaveLength(when === 'after' ? 0 : 1);
      expect(await port.subscribers(after.bucketId)).toHaveLength(when === 'after' ? 1 : 0);
    },
  );
});

test.each([
  ['before', 'UpdateItem'],
  ['after', 'UpdateItem'],
  ['before', 'BatchWriteItem'],
  ['after', 'BatchWriteItem'],
  ['before', 'DeleteItem'],
  ['after', 'DeleteItem'],
])('a subscription written %s the %s of a close leaves no rows', async (when, at) => {
  const photos = newFollowed();
  const connection = await newConnection(photos);
  const other = open();
  const closer = open(async (call, moment) => {
    if (call !== at || moment !== when) return;
    await other.subscribe(connection, { ...photos, prefix: 'b/' }, ANY);
    await other.subscribe(connection, newFollowed(), ANY);
    await other.admitMessage(connection.id, CONNECTED_AT, RATE);
  });

  await closer.close(connection.id);

  expect(await rowsOf(connection.id)).toEqual([]);
});
