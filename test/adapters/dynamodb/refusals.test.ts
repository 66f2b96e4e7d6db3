/**
 * Writes throw what DynamoDB refuses for another reason than their condition, such as a missing
 * grant. The contract suites show what they return when the condition fails.
 */

import { DynamoBuckets } from '../../../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../../../adapters/dynamodb/change-log';
import { DynamoConsumers } from '../../../adapters/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
import { DynamoLinks } from '../../../adapters/dynamodb/links';
import { DynamoObjects } from '../../../adapters/dynamodb/objects';
import { DynamoPendingCopies } from '../../../adapters/dynamodb/pending-copies';
import { DynamoRates } from '../../../adapters/dynamodb/rates';
import { DynamoSlots } from '../../../adapters/dynamodb/slots';
import { DynamoTargetCursors } from '../../../adapters/dynamodb/target-cursors';
import { DynamoUploads } from '../../../adapters/dynamodb/uploads';
import type { TokenLeaseRequest } from '../../../core/access/ports';
import type { ChangeEntry } from '../../../core/log/ports';
import { AT, newBucket, newIdempotencyRecord, newUpload } from '../../support/samples';
import { dynamoError } from '../../support/scripted-server';
import { type ScriptedDynamo, withScript } from './scripted-dynamo';

type Client = ScriptedDynamo['client'];

const clock = { now: () => 0 };
const tables = {
  ...{ buckets: 'b', changes: 'c', objects: 'o', uploads: 'u', links: 'l' },
  ...{ apiKeys: 'k', audit: 'a' },
};
const buckets = (c: Client) => new DynamoBuckets(c, 'b', 'u');
const uploads = (c: Client) => new DynamoUploads(c, 'u', clock);
const links = (c: Client) => new DynamoLinks(c, tables, clock);
const consumers = (c: Client) => new DynamoConsumers(c, tables, clock);
const copies = (c: Client) => new DynamoPendingCopies(c, tables, clock);
const subscriptions = (c: Client) => new DynamoSubscriptions(c, 's');
const cursors = (c: Client) => new DynamoTargetCursors(c, 'p');

const bucket = newBucket();
const upload = newUpload();
const replay = newIdempotencyRecord();
const step = { from: 0, to: 1, objects: 0, bytes: 0 };
const lease = { holder: 'a', until: 2, now: 1, published: 0 };
const id = { bucketId: 'id', hash: 'h', name: 'n' };
const link = {
  ...{ ...id, bucket: 'photos', key: 'a', uses: 0, createdBy: 'k', createdAt: AT, expiresAt: AT },
};
const consumer = { ...id, prefix: '', cursor: 1, updatedAt: AT };
const gap: Extract<ChangeEntry, { type: 'noop' }> = {
  ...{ type: 'noop', bucket: 'photos', cursor: 5, at: AT },
};
const request: TokenLeaseRequest = {
  ...{ rate: { rate: 1, burst: 1 }, maxTokens: 1, now: 0, knownUntil: 0, counts: {} },
  class: 'read',
};
const rate = { interval: 1, burst: 1 };

type Write = readonly [string, (client: Client) => Promise<unknown>];

/** Writes of one item under a condition. */
const WRITES: readonly Write[] = [
  ['buckets.close', (c) => buckets(c).close(bucket, AT)],
  ['buckets.reopen', (c) => buckets(c).reopen(bucket)],
  ['buckets.movePublished', (c) => buckets(c).movePublished(bucket, step)],
  ['buckets.acquirePushLease', (c) => buckets(c).acquirePushLease(bucket, lease)],
  ['buckets.extendPushLease', (c) => buckets(c).extendPushLease(bucket, lease)],
  ['buckets.raiseOldest', (c) => buckets(c).raiseOldest(bucket, 1)],
  ['commits.allocate', (c) => new DynamoCommits(c, tables).allocate(bucket)],
  ['changeLog.fill', (c) => new DynamoChangeLog(c, 'c').fill('id', gap)],
  ['objects.removeTombstone', (c) => new DynamoObjects(c, 'o').removeTombstone('id', 'a', 1)],
  ['uploads.create', (c) => uploads(c).create(upload)],
  ['uploads.renew', (c) => uploads(c).renew(upload)],
  [
    'uploads.stage',
    (c) =>
      uploads(c).stage('a', { size: 1, etag: '', contentType: '', headers: {}, metadata: {} }, AT),
  ],
  ['uploads.saveIdempotencyRecord', (c) => uploads(c).saveIdempotencyRecord(replay, 0)],
  ['links.create', (c) => links(c).create(link)],
  ['links.remove', (c) => links(c).remove(id)],
  ['links.use', (c) => links(c).use(id, 0)],
  ['links.attempt', (c) => links(c).attempt(id, 0, { burst: 1, intervalMs: 1 })],
  ['consumers.put over one', (c) => consumers(c).put(consumer, 0)],
  ['consumers.advance', (c) => consumers(c).advance(consumer, 2, { now: 0, notAfter: 0 })],
  ['pendingCopies.claim', (c) => copies(c).claim({ id: 'a', until: 0 }, 1)],
  ['targetCursors.register', (c) => cursors(c).register('t', 0)],
  ['targetCursors.completeRegistration', (c) => cursors(c).completeRegistration('t')],
  ['targetCursors.initialize', (c) => cursors(c).initialize('t', bucket, 0)],
  ['targetCursors.acquireLease', (c) => cursors(c).acquireLease('t', bucket, lease)],
  ['targetCursors.advance', (c) => cursors(c).advance('t', 'id', { ...step, holder: 'a' })],
  ['targetCursors.backOff', (c) => cursors(c).backOff('t', 'id', lease)],
  ['subscriptions.admitMessage', (c) => subscriptions(c).admitMessage('c', 0, rate)],
  ['subscriptions.redeemTicket', (c) => subscriptions(c).redeemTicket('a')],
  ['subscriptions.setKeyExpiry', (c) => subscriptions(c).setKeyExpiry('id', 'c')],
  ['slots.release', (c) => new DynamoSlots(c, 'r').release('k', 'wait', 'a')],
  ['rates.markChanged', (c) => new DynamoRates(c, 'r').markChanged('k', 1)],
  ['rates.lease', (c) => new DynamoRates(c, 'r').lease('k', request)],
  [
    'slots.take',
    (c) => new DynamoSlots(c, 'r').take('k', 'wait', { limit: 1, holder: 'a', now: 0, until: 1 }),
  ],
  ['uploads.refuse', (c) => uploads(c).refuse('a', 'too late')],
  ['buckets.correct', (c) => buckets(c).correct(bucket, { asOf: 1, objects: 1, bytes: 1 })],
  ['buckets.purge', (c) => buckets(c).purge('id')],
  ['pendingCopies.remove', (c) => copies(c).remove('a')],
];

test.each(WRITES)(
  '%s throws an error other than a failed condition after one call',
  async (_, write) => {
    await withScript([dynamoError('AccessDeniedException')], async ({ client, server }) => {
      await expect(write(client)).rejects.toMatchObject({ name: 'AccessDeniedException' });
      expect(server.received).toHaveLength(1);
    });
  },
);
