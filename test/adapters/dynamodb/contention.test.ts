/**
 * Transactions in flight and unprocessed keys: DynamoDB reports them under load, the local engines
 * never do.
 */

import { DynamoBuckets } from '../../../adapters/dynamodb/buckets';
import { changeItem, DynamoChangeLog } from '../../../adapters/dynamodb/change-log';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
import {
  bucketRecord,
  newStatsItem,
  recordItem,
} from '../../../adapters/dynamodb/items/bucket-item';
import { DynamoObjects } from '../../../adapters/dynamodb/objects';
import { AT, newBucket, newIdempotencyRecord } from '../../support/samples';
import { cancelled, dynamoError, dynamoResponse } from '../../support/scripted-server';
import { operations, withScript } from './scripted-dynamo';

const CONFLICT = dynamoError('TransactionConflictException');
const TABLES = { buckets: 'buckets', changes: 'changes', objects: 'objects', uploads: 'uploads' };
const GAP = { type: 'noop', bucket: 'photos', cursor: 5, at: AT } as const;

afterEach(() => jest.restoreAllMocks());

/** Sets the jitter of every wait. Returns the milliseconds since then. */
function jitterOf(share: number): () => number {
  jest.spyOn(Math, 'random').mockReturnValue(share);
  const start = performance.now();
  return () => performance.now() - start;
}

describe('a write that meets a transaction in flight', () => {
  test('is repeated until the transaction has ended', async () => {
    const counted = dynamoResponse({ Attributes: { cursor: { N: '7' } } });

    await withScript([CONFLICT, CONFLICT, counted], async ({ client, server }) => {
      const commits = new DynamoCommits(client, TABLES);

      expect(await commits.allocate({ name: 'photos', id: 'id' })).toBe(7);
      expect(operations(server)).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem']);
    });
  });

  test('sees the writes of the transaction', async () => {
    const put = { ...GAP, at: '2026-01-01T00:00:01.000Z' };
    const failed = dynamoError('ConditionalCheckFailedException', { Item: changeItem('id', put) });

    await withScript([CONFLICT, failed], async ({ client }) => {
      const log = new DynamoChangeLog(client, 'changes');

      expect(await log.fill('id', GAP)).toEqual(put);
    });
  });

  test('throws after seven attempts, with waits that double', async () => {
    await withScript([CONFLICT], async ({ client, server }) => {
      const log = new DynamoChangeLog(client, 'changes');
      const waited = jitterOf(0.8);

      await expect(log.fill('id', GAP)).rejects.toThrow('TransactionConflictException');
      expect(server.received).toHaveLength(7);
      expect(waited()).toBeGreaterThan(990);
    });
  });

  test('is repeated under a new token when it is a transaction itself', async () => {
    const script = [cancelled('TransactionConflict', 'None'), dynamoResponse()];

    await withScript(script, async ({ client, server }) => {
      const buckets = new DynamoBuckets(client, 'buckets', 'uploads');

      expect(await buckets.create(newBucket(), newIdempotencyRecord())).toBe('created');
      const tokens = server.received.map(({ body }) => JSON.parse(body).ClientRequestToken);
      expect(new Set(tokens).size).toBe(2);
    });
  });

  test.each([
    [['ConditionalCheckFailed', 'TransactionConflict', 'None', 'None'], 'exists'],
    [['TransactionConflict', 'None', 'None', 'ConditionalCheckFailed'], 'duplicate'],
    [['ConditionalCheckFailed', 'None', 'None', 'ConditionalCheckFailed'], 'duplicate'],
  ])('is not repeated when a condition failed, too: %j returns %s', async (reasons, expected) => {
    await withScript([cancelled(...reasons)], async ({ client, server }) => {
      const buckets = new DynamoBuckets(client, 'buckets', 'uploads');

      expect(await buckets.create(newBucket(), newIdempotencyRecord())).toBe(expected);
      expect(server.received).toHaveLength(1);
    });
  });
});

describe('the part of a batch that DynamoDB leaves unprocessed', () => {
  const key = (name: string) => ({ bucket_id: { S: 'id' }, key: { S: name } });
  const item = (name: string) => ({
    ...key(name),
    state: { S: 'deleted' },
    bucket: { S: 'photos' },
    version: { N: '1' },
    cursor: { N: '1' },
    deleted_at: { S: AT },
    ancestors: { L: [] },
  });

  test('is read again without the rest', async () => {
    const script = [
      dynamoResponse({
        Responses: { objects: [item('a')] },
        UnprocessedKeys: { objects: { Keys: [key('b')], ConsistentRead: true } },
      }),
      dynamoResponse({ Responses: { objects: [item('b')] } }),
    ];

    await withScript(script, async ({ client, server }) => {
      const found = await new DynamoObjects(client, 'objects').getMany('id', ['a', 'b']);

      expect(found.map((record) => record.key)).toEqual(['a', 'b']);
      const asked = server.received.map(({ body }) => JSON.parse(body).RequestItems.objects);
      expect(asked).toEqual([
        { Keys: [key('a'), key('b')], ConsistentRead: true },
        { Keys: [key('b')], ConsistentRead: true },
      ]);
    });
  });

  test('is deleted again without the rest', async () => {
    const left = { shard: { S: 'id#2' }, cursor: { N: '2' } };
    const script = [
      dynamoResponse({ UnprocessedItems: { changes: [{ DeleteRequest: { Key: left } }] } }),
      dynamoResponse(),
    ];

    await withScript(script, async ({ client, server }) => {
      await new DynamoChangeLog(client, 'changes').remove('id', [1, 2]);

      const [, second] = server.received.map(({ body }) => JSON.parse(body).RequestItems.changes);
      expect(second).toEqual([{ DeleteRequest: { Key: left } }]);
    });
  });

  test('causes an error after eight calls, with waits that double', async () => {
    const left = { objects: { Keys: [key('a')] } };

    await withScript([dynamoResponse({ UnprocessedKeys: left })], async ({ client, server }) => {
      const objects = new DynamoObjects(client, 'objects');
      const waited = jitterOf(0.2);

      await expect(objects.getMany('id', ['a'])).rejects.toThrow('unprocessed');
      expect(server.received).toHaveLength(8);
      expect(waited()).toBeGreaterThan(1000);
    });
  });
});

describe('a list of buckets', () => {
  const entry = (name: string) => ({ name: { S: '#directory' }, entry: { S: name } });
  const read = (...buckets: readonly object[]) => dynamoResponse({ Responses: { buckets } });
  const record = newBucket({ name: 'b' });
  const found = read(recordItem(record), newStatsItem('b', record.id));

  test('continues when every bucket of a page was deleted between the two reads', async () => {
    const script = [
      dynamoResponse({ Items: [entry('a')], LastEvaluatedKey: entry('a') }),
      read(),
      dynamoResponse({ Items: [entry('b')], LastEvaluatedKey: entry('b') }),
      found,
    ];

    await withScript(script, async ({ client, server }) => {
      const page = await new DynamoBuckets(client, 'buckets').list({ from: '' }, 1);

      expect(page.items.map((each) => each.record)).toEqual([bucketRecord(recordItem(record))]);
      expect(page.more).toBe(true);
      const [, , third] = server.received.map(({ body }) => JSON.parse(body));
      expect(third.ExclusiveStartKey).toEqual(entry('a'));
    });
  });

  test.each([
    ['was created again', [recordItem(newBucket({ name: 'a' })), newStatsItem('a', 'other')]],
    ['has no stats any more', [recordItem(newBucket({ name: 'a' }))]],
    ['has no record any more', [newStatsItem('a', 'id')]],
  ])('omits a bucket that %s between the two reads', async (_, items) => {
    const both = read(...items, recordItem(record), newStatsItem('b', record.id));
    const script = [dynamoResponse({ Items: [entry('a'), entry('b')] }), both];

    await withScript(script, async ({ client }) => {
      const page = await new DynamoBuckets(client, 'buckets').list({ from: '' }, 9);

      expect(page.items.map((each) => each.record.name)).toEqual(['b']);
    });
  });
});
