import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDb } from '../../src/services/dynamodb/dynamodb';
import type { StreamViewType } from '../../src/services/dynamodb/tables/table-definition';
import { compareSequences, type StreamRecord } from '../../src/services/events/stream-source';
import { failure } from '../support/failure';
import { until } from '../support/until';
import {
  allRecords,
  LOG,
  LOG_SHARD,
  LOG_STREAM,
  NOTES,
  REGION,
  useClient,
  useService,
} from './service';

const key = (id: string, n = 1) => ({ id: { S: id }, n: { N: `${n}` } });
const put = (Item: object, more: object = {}) =>
  new PutItemCommand({ TableName: 'Log', Item: Item as never, ...more });
const remove = (id: string) => new DeleteItemCommand({ TableName: 'Log', Key: key(id) });
const brief = (records: readonly StreamRecord[]) =>
  records.map(({ eventName, dynamodb }) => [eventName, dynamodb.Keys.id, dynamodb.NewImage]);

test('returns records in the form of Lambda', async () => {
  const service = await useService();
  const Item = { ...key('a'), text: { S: 'é' } };
  await useClient(service.endpoint).send(put(Item));

  const records = await allRecords(service);

  expect(records).toEqual([
    {
      eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: REGION,
      eventSourceARN: LOG_STREAM,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: key('a'),
        NewImage: Item,
        SequenceNumber: expect.stringMatching(/^\d{21}$/),
        // Keys: id a is 2+1, n 1 is 1+2. The image adds text é: 4+2.
        SizeBytes: 6 + 12,
        StreamViewType: 'NEW_IMAGE',
      },
    },
  ]);
});

test('distinguishes inserts, modifications and removals, and records no write without a change', async () => {
  const service = await useService();
  const client = useClient(service.endpoint);
  const update = new UpdateItemCommand({
    TableName: 'Log',
    Key: key('a'),
    UpdateExpression: 'SET size = :size'.replace('size', '#s'),
    ExpressionAttributeNames: { '#s': 'size' },
    ExpressionAttributeValues: { ':size': { N: '02.50' } },
  });

  await client.send(put({ ...key('a'), size: { N: '1' } }));
  await client.send(put({ ...key('a'), size: { N: '1.0' } }));
  await client.send(update);
  await client.send(update);
  await client.send(remove('absent'));
  await client.send(remove('a'));
  await failure(client.send(put(key('b'), { ConditionExpression: 'attribute_exists(id)' })));
  await client.send(
    put(key('b'), {
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': 'n' },
    }),
  );

  expect(brief(await allRecords(service))).toEqual([
    ['INSERT', { S: 'a' }, { ...key('a'), size: { N: '1' } }],
    ['MODIFY', { S: 'a' }, { ...key('a'), size: { N: '2.5' } }],
    ['REMOVE', { S: 'a' }, undefined],
    ['INSERT', { S: 'b' }, key('b')],
  ]);
});

test('has records of transactions and batches, but not of refused writes', async () => {
  const service = await useService();
  const client = useClient(service.endpoint);
  const insert = (id: string) => ({
    Put: { TableName: 'Log', Item: key(id), ConditionExpression: 'attribute_not_exists(id)' },
  });

  await client.batchWriteItem({
    RequestItems: {
      Log: ['a', 'b'].map((id) => ({ PutRequest: { Item: key(id) } })),
      Notes: [{ PutRequest: { Item: key('not in the stream') } }],
    },
  });
  await client.transactWriteItems({
    TransactItems: [
      insert('c'),
      { Delete: { TableName: 'Log', Key: key('a') } },
      {
        Update: {
          TableName: 'Log',
          Key: key('b'),
          UpdateExpression: 'ADD hits :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        },
      },
      {
        ConditionCheck: {
          TableName: 'Log',
          Key: key('d'),
          ConditionExpression: 'attribute_not_exists(id)',
        },
      },
    ],
  });
  await failure(client.transactWriteItems({ TransactItems: [insert('d'), insert('c')] }));
  await client.batchWriteItem({
    RequestItems: { Log: ['b', 'e'].map((id) => ({ DeleteRequest: { Key: key(id) } })) },
  });

  expect(brief(await allRecords(service))).toEqual([
    ['INSERT', { S: 'a' }, key('a')],
    ['INSERT', { S: 'b' }, key('b')],
    ['INSERT', { S: 'c' }, key('c')],
    ['REMOVE', { S: 'a' }, undefined],
    ['MODIFY', { S: 'b' }, { ...key('b'), hits: { N: '1' } }],
    ['REMOVE', { S: 'b' }, undefined],
  ]);
});

test.each<[StreamViewType, object, object]>([
  ['KEYS_ONLY', {}, {}],
  ['NEW_IMAGE', { NewImage: { ...key('a'), v: { S: '2' } } }, {}],
  ['OLD_IMAGE', { OldImage: key('a') }, { OldImage: { ...key('a'), v: { S: '2' } } }],
  [
    'NEW_AND_OLD_IMAGES',
    { NewImage: { ...key('a'), v: { S: '2' } }, OldImage: key('a') },
    { OldImage: { ...key('a'), v: { S: '2' } } },
  ],
])('%s: records hold these images', async (stream, modify, removal) => {
  const service = await useService({ tables: [{ ...LOG, stream }] });
  const client = useClient(service.endpoint);

  await client.send(put(key('a')));
  await client.send(put({ ...key('a'), v: { S: '2' } }));
  await client.send(remove('a'));
  const images = (await allRecords(service)).map(({ dynamodb: { NewImage, OldImage } }) => ({
    ...(NewImage && { NewImage }),
    ...(OldImage && { OldImage }),
  }));

  expect(images.slice(1)).toEqual([modify, removal]);
});

test('keeps the order of concurrent writes to an item', async () => {
  const service = await useService();
  const client = useClient(service.endpoint);
  const add = () =>
    client.updateItem({
      TableName: 'Log',
      Key: key('counter'),
      UpdateExpression: 'ADD hits :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    });
  const transact = () =>
    client.transactWriteItems({
      TransactItems: ['counter', 'other'].map((id) => ({
        Update: {
          TableName: 'Log',
          Key: key(id),
          UpdateExpression: 'ADD hits :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        },
      })),
    });

  await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? add() : transact())));

  const hits = (await allRecords(service))
    .filter(({ dynamodb }) => (dynamodb.Keys.id as { S: string }).S === 'counter')
    .map(({ dynamodb }) => Number((dynamodb.NewImage as { hits: { N: string } }).hits.N));
  expect(hits).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
});

test('returns pages of the stream and its newest record', async () => {
  const service = await useService();
  const client = useClient(service.endpoint);
  expect(await service.streams.latest(LOG_SHARD)).toBeUndefined();
  for (let n = 0; n < 7; n++) await client.send(put(key('a', n)));

  const pages: StreamRecord[][] = [];
  let after: string | undefined;
  for (;;) {
    const page: readonly StreamRecord[] = await service.streams.read(LOG_SHARD, after, 3);
    if (page.length === 0) break;
    pages.push([...page]);
    after = page.at(-1)?.dynamodb.SequenceNumber;
  }

  expect(pages.map((page) => page.map(({ dynamodb }) => dynamodb.Keys.n))).toEqual([
    [{ N: '0' }, { N: '1' }, { N: '2' }],
    [{ N: '3' }, { N: '4' }, { N: '5' }],
    [{ N: '6' }],
  ]);
  expect(await service.streams.latest(LOG_SHARD)).toBe(after);
});

test('repeats and interleaves records when configured, but keeps the order of each item', async () => {
  const service = await useService({
    streamDisorder: { seed: 7, repeat: 0.5, lateMilliseconds: 10 },
  });
  const client = useClient(service.endpoint);
  const ids = Array.from({ length: 8 }, (_, index) => `item-${index}`);
  for (let round = 1; round <= 5; round++) {
    await Promise.all(ids.map((id) => client.send(put({ ...key(id), round: { N: `${round}` } }))));
  }

  const seen = await follow(service, 40);

  const firstSights = new Map<string, number[]>();
  for (const { dynamodb } of new Set(seen.unique.values())) {
    const { id, round } = dynamodb.NewImage as { id: { S: string }; round: { N: string } };
    firstSights.set(id.S, [...(firstSights.get(id.S) ?? []), Number(round.N)]);
  }
  expect(seen.total).toBeGreaterThan(40);
  expect([...firstSights.values()]).toEqual(ids.map(() => [1, 2, 3, 4, 5]));
  // The order of at least one round differs from the order in which it was sent.
  const sent = [1, 2, 3, 4, 5].flatMap(() => ids);
  const order = [...seen.unique.values()].map(
    ({ dynamodb }) => (dynamodb.NewImage as { id: { S: string } }).id.S,
  );
  expect(order).not.toEqual(sent);
});

/** Reads small pages, as a consumer does, until it has `count` different records. */
async function follow(
  service: DynamoDb,
  count: number,
): Promise<{ unique: Map<string, StreamRecord>; total: number }> {
  const unique = new Map<string, StreamRecord>();
  let total = 0;
  let after: string | undefined;
  return until(async () => {
    const records = await service.streams.read(LOG_SHARD, after, 4);
    total += records.length;
    for (const record of records) {
      if (!unique.has(record.eventID)) unique.set(record.eventID, record);
    }
    const last = records.at(-1)?.dynamodb.SequenceNumber;
    if (last !== undefined) {
      expect(compareSequences(last, after ?? '0')).toBeGreaterThan(0);
      after = last;
    }
    return unique.size === count ? { unique, total } : undefined;
  });
}

test('has attributes with any name', async () => {
  const service = await useService();
  const Item = JSON.parse('{"id":{"S":"a"},"n":{"N":"1"},"__proto__":{"S":"x"},"S":{"N":"1"}}');
  await useClient(service.endpoint).send(put(Item));
  const [record] = await allRecords(service);
  expect(Object.keys(record?.dynamodb.NewImage ?? {}).sort()).toEqual([
    'S',
    '__proto__',
    'id',
    'n',
  ]);
});

test('has no stream for a table whose definition has none', async () => {
  const service = await useService();
  expect(() => service.streams.shards(LOG_STREAM.replace('Log', NOTES.name))).toThrow(
    'there is no stream',
  );
});
