/** The local engines read consistently in any case, so these tests inspect the requests. */
import { DynamoApiKeys } from '../../../adapters/dynamodb/api-keys';
import { DynamoAuditLog } from '../../../adapters/dynamodb/audit-log';
import { DynamoBuckets } from '../../../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../../../adapters/dynamodb/change-log';
import { DynamoConsumers } from '../../../adapters/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import { DynamoKeyStore } from '../../../adapters/dynamodb/key-store';
import { DynamoLinks } from '../../../adapters/dynamodb/links';
import { DynamoObjects } from '../../../adapters/dynamodb/objects';
import { DynamoPendingCopies } from '../../../adapters/dynamodb/pending-copies';
import { DynamoRates } from '../../../adapters/dynamodb/rates';
import { DynamoRestoring } from '../../../adapters/dynamodb/restoring';
import { DynamoServiceState } from '../../../adapters/dynamodb/service-state';
import { DynamoSlots } from '../../../adapters/dynamodb/slots';
import { DynamoTargetCursors } from '../../../adapters/dynamodb/target-cursors';
import { DynamoUploads } from '../../../adapters/dynamodb/uploads';
import { AT } from '../../support/samples';
import { dynamoResponse } from '../../support/scripted-server';
import { operations, type ScriptedDynamo, withScript } from './scripted-dynamo';

type Client = ScriptedDynamo['client'];
const clock = { now: () => 0 };
const tables = { buckets: 't', changes: 't', uploads: 't', links: 't', apiKeys: 't', audit: 't' };
const none = { items: [], more: false };
const eight = Array(8).fill('Query');

const buckets = (c: Client) => new DynamoBuckets(c, 't');
const objects = (c: Client) => new DynamoObjects(c, 't');
const changeLog = (c: Client) => new DynamoChangeLog(c, 't');
const uploads = (c: Client) => new DynamoUploads(c, 't', clock);
const keys = (c: Client) => new DynamoKeyStore(c, tables);
const links = (c: Client) => new DynamoLinks(c, tables, clock);
const consumers = (c: Client) => new DynamoConsumers(c, tables, clock);
const subscriptions = (c: Client) => new DynamoSubscriptions(c, 't');
const cursors = (c: Client) => new DynamoTargetCursors(c, 't');

/** The read, its calls, and what it returns when DynamoDB has nothing. */
const READS: readonly [string, (client: Client) => Promise<unknown>, string[], unknown][] = [
  ['buckets.get', (c) => buckets(c).get('a'), ['GetItem'], undefined],
  ['buckets.stats', (c) => buckets(c).stats('a'), ['GetItem'], undefined],
  ['buckets.list', (c) => buckets(c).list({ from: '' }, 9), ['Query'], none],
  ['buckets.list of no name', (c) => buckets(c).list({ from: 'b', before: 'b' }, 9), [], none],
  ['buckets.deletedBuckets', (c) => buckets(c).deletedBuckets(), ['Query'], []],
  ['buckets.lifecycle', (c) => buckets(c).lifecycle('a'), ['GetItem'], []],
  ['buckets.nextWithLifecycle', (c) => buckets(c).nextWithLifecycle(''), ['Query'], undefined],
  ['objects.get', (c) => objects(c).get('id', 'a'), ['GetItem'], undefined],
  ['objects.getMany', (c) => objects(c).getMany('id', ['a']), ['BatchGetItem'], []],
  ['objects.list', (c) => objects(c).list('id', { from: 'a' }, 9), ['Query'], none],
  ['objects.listShown', (c) => objects(c).listShown('i', { from: 'a' }, 9), ['Query'], none],
  ['objects.list of no key', (c) => objects(c).list('i', { from: 'b', before: 'a' }, 9), [], none],
  ['changeLog.get', (c) => changeLog(c).get('id', 1), ['GetItem'], undefined],
  ['changeLog.read of 3', (c) => changeLog(c).read('id', 5, 8), Array(3).fill('Query'), []],
  ['changeLog.read of 99', (c) => changeLog(c).read('id', 1, 100), eight, []],
  ['changeLog.readShown of 99', (c) => changeLog(c).readShown('id', 1, 100), eight, []],
  ['changeLog.read of none', (c) => changeLog(c).read('id', 5, 5), [], []],
  ['uploads.get', (c) => uploads(c).get('a'), ['GetItem'], undefined],
  [
    'uploads.getIdempotencyRecord',
    (c) => uploads(c).getIdempotencyRecord('a', 0),
    ['GetItem'],
    undefined,
  ],
  ['apiKeys.get', (c) => new DynamoApiKeys(c, 't').get('a'), ['GetItem'], undefined],
  ['keys.list', (c) => keys(c).list(9), ['Scan'], { keys: [] }],
  ['keys.sessionsOf', (c) => keys(c).sessionsOf('a'), ['Scan'], []],
  [
    'audit.list',
    (c) => new DynamoAuditLog(c, tables).list(9),
    ['Query', 'Query'],
    { records: [], more: false },
  ],
  ['links.get', (c) => links(c).get({ bucketId: 'a', hash: 'b' }), ['GetItem'], undefined],
  ['links.list', (c) => links(c).list('a', 9), ['Query'], { items: [], more: false }],
  ['consumers.get', (c) => consumers(c).get({ bucketId: 'a', name: 'b' }), ['GetItem'], undefined],
  ['consumers.list', (c) => consumers(c).list('a', 9), ['Query'], none],
  ['consumers.all', (c) => consumers(c).all(), ['Query'], []],
  ['consumers.removeAll', (c) => consumers(c).removeAll('a'), ['Query'], undefined],
  ['subscriptions.get', (c) => subscriptions(c).get('a'), ['GetItem'], undefined],
  ['subscriptions.connectionsOf', (c) => subscriptions(c).connectionsOf('a'), ['Query'], []],
  [
    'subscriptions.subscribers',
    (c) => subscriptions(c).subscribers('a'),
    Array(4).fill('Query'),
    [],
  ],
  ['subscriptions.ticket', (c) => subscriptions(c).ticket('a', 0), ['GetItem'], undefined],
  ['targetCursors.get', (c) => cursors(c).get('a', 'b'), ['GetItem'], undefined],
  ['targetCursors.list', (c) => cursors(c).list('a'), ['Query'], []],
  ['pendingCopies.list', (c) => new DynamoPendingCopies(c, tables, clock).list(), ['Query'], []],
  ['restoring.dropEntries', (c) => new DynamoRestoring(c, tables).dropEntries('id', 9), eight, 0],
  ['rates.uses', (c) => new DynamoRates(c, 't').uses(['a']), ['BatchGetItem'], new Map()],
  ['rates.uses of none', (c) => new DynamoRates(c, 't').uses([]), [], new Map()],
  ['rates.usage', (c) => new DynamoRates(c, 't').usage('a', [AT]), ['BatchGetItem'], []],
  ['slots.holders', (c) => new DynamoSlots(c, 't').holders('a', 'wait'), ['GetItem'], new Map()],
  ['serviceState.load', (c) => new DynamoServiceState(c, 't').load('a'), ['GetItem'], undefined],
];

test.each(READS)(
  '%s makes the AWS calls of its comment, with consistent reads',
  async (_, read, expected, nothing) => {
    await withScript([dynamoResponse()], async ({ client, server }) => {
      expect(await read(client)).toStrictEqual(nothing);

      expect(operations(server)).toEqual(expected);
      for (const { body } of server.received) {
        const { RequestItems, ...request } = JSON.parse(body);
        expect((RequestItems?.t ?? request).ConsistentRead).toBe(true);
      }
    });
  },
);
