/** The local engines read consistently in any case, so these tests inspect the requests. */
import { DynamoApiKeys } from '../../../../lambdas/shared/dynamodb/api-keys';
import { DynamoBuckets } from '../../../../lambdas/shared/dynamodb/buckets';
import { DynamoChangeLog } from '../../../../lambdas/shared/dynamodb/change-log';
import { DynamoObjects } from '../../../../lambdas/shared/dynamodb/objects';
import { DynamoServiceState } from '../../../../lambdas/shared/dynamodb/service-state';
import { DynamoUploads } from '../../../../lambdas/shared/dynamodb/uploads';
import { AT } from '../../../support/samples';
import { dynamoResponse } from '../../../support/scripted-server';
import { operations, type ScriptedDynamo, withScript } from './scripted-dynamo';

type Client = ScriptedDynamo['client'];
const clock = { now: () => 0 };

test.each<[string, (client: Client) => Promise<unknown>, string[]]>([
  ['buckets.get', (c) => new DynamoBuckets(c, 't').get('a'), ['GetItem']],
  ['buckets.stats', (c) => new DynamoBuckets(c, 't').stats('a'), ['GetItem']],
  ['buckets.list', (c) => new DynamoBuckets(c, 't').list({ from: '' }, 9), ['Query']],
  ['buckets.deletedBuckets', (c) => new DynamoBuckets(c, 't').deletedBuckets(), ['Query']],
  ['objects.get', (c) => new DynamoObjects(c, 't').get('id', 'a'), ['GetItem']],
  ['objects.getMany', (c) => new DynamoObjects(c, 't').getMany('id', ['a']), ['BatchGetItem']],
  ['objects.list', (c) => new DynamoObjects(c, 't').list('id', { from: 'a' }, 9), ['Query']],
  [
    'objects.listShown',
    (c) => new DynamoObjects(c, 't').listShown('i', { from: 'a' }, 9),
    ['Query'],
  ],
  ['changeLog.get', (c) => new DynamoChangeLog(c, 't').get('id', 1), ['GetItem']],
  [
    'changeLog.read of 3',
    (c) => new DynamoChangeLog(c, 't').read('id', 5, 8),
    Array(3).fill('Query'),
  ],
  [
    'changeLog.read of 99',
    (c) => new DynamoChangeLog(c, 't').read('id', 1, 100),
    Array(8).fill('Query'),
  ],
  [
    'changeLog.readShown of 99',
    (c) => new DynamoChangeLog(c, 't').readShown('id', 1, 100),
    Array(8).fill('Query'),
  ],
  ['changeLog.read of none', (c) => new DynamoChangeLog(c, 't').read('id', 5, 5), []],
  ['uploads.get', (c) => new DynamoUploads(c, 't', clock).get('a'), ['GetItem']],
  [
    'uploads.getIdempotencyRecord',
    (c) => new DynamoUploads(c, 't', clock).getIdempotencyRecord('a', 0),
    ['GetItem'],
  ],
  ['uploads.expired', (c) => new DynamoUploads(c, 't', clock).expired(AT), ['Scan']],
  ['apiKeys.get', (c) => new DynamoApiKeys(c, 't').get('a'), ['GetItem']],
  ['serviceState.load', (c) => new DynamoServiceState(c, 't').load('a'), ['GetItem']],
])('%s makes the AWS calls of its comment, with consistent reads', async (_, read, expected) => {
  await withScript([dynamoResponse()], async ({ client, server }) => {
    await read(client);

    expect(operations(server)).toEqual(expected);
    for (const { body } of server.received) {
      const { RequestItems, ...request } = JSON.parse(body);
      expect((RequestItems?.t ?? request).ConsistentRead).toBe(true);
    }
  });
});
