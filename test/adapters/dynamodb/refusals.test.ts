/**
 * What each write returns when a condition fails, and that it throws what DynamoDB refuses for any
 * other reason, such as a missing grant, after one call.
 */

import { DynamoBuckets } from '../../../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../../../adapters/dynamodb/change-log';
import { DynamoConsumers } from '../../../adapters/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
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
import type { AuditRecord, TokenLeaseRequest } from '../../../core/access/ports';
import type { Connection } from '../../../core/channel/ports';
import type { ChangeEntry } from '../../../core/log/ports';
import {
  AT,
  change,
  liveObject,
  newBucket,
  newIdempotencyRecord,
  newKey,
  newUpload,
} from '../../support/samples';
import {
  cancelled,
  dynamoError,
  dynamoResponse,
  type ScriptedResponse,
} from '../../support/scripted-server';
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
const rules = { name: bucket.name, rules: [] };
const upload = newUpload();
const replay = newIdempotencyRecord();
const deleted = { ...bucket, trimmed: 1, deletedAt: AT };
const step = { from: 0, to: 1, objects: 0, bytes: 0 };
const lease = { holder: 'a', until: 2, now: 1, published: 0 };
const id = { bucketId: 'id', hash: 'h', name: 'n' };
const link = {
  ...{ ...id, bucket: 'photos', key: 'a', uses: 0, createdBy: 'k', createdAt: AT, expiresAt: AT },
};
const consumer = { ...id, prefix: '', cursor: 1, updatedAt: AT };
const photos = { bucket: 'photos', bucketId: 'id', prefix: '' };
const connection: Connection = { id: 'c', keyId: 'k', connectedAt: 0, subscriptions: new Map() };
const gap: Extract<ChangeEntry, { type: 'noop' }> = {
  ...{ type: 'noop', bucket: 'photos', cursor: 5, at: AT },
};
const audit: AuditRecord = {
  ...{ id: 'a', at: AT, actor: 'a', actorId: 'a', keyId: 'k', details: {} },
  action: 'change',
};
const request: TokenLeaseRequest = {
  ...{ rate: { rate: 1, burst: 1 }, maxTokens: 1, now: 0, knownUntil: 0, counts: {} },
  class: 'read',
};
const rate = { interval: 1, burst: 1 };

/** The call throws the error of DynamoDB. */
const THROWS = Symbol('throws');

/** The write has no condition. */
const NONE = Symbol('none');

type Write = readonly [string, (client: Client) => Promise<unknown>, unknown];

/** Writes of one item, and what they return when the condition fails. */
const SINGLE: readonly Write[] = [
  ['buckets.close', (c) => buckets(c).close(bucket, AT), undefined],
  ['buckets.reopen', (c) => buckets(c).reopen(bucket), undefined],
  ['buckets.movePublished', (c) => buckets(c).movePublished(bucket, step), false],
  ['buckets.acquirePushLease', (c) => buckets(c).acquirePushLease(bucket, lease), false],
  ['buckets.extendPushLease', (c) => buckets(c).extendPushLease(bucket, lease), false],
  ['buckets.raiseOldest', (c) => buckets(c).raiseOldest(bucket, 1), undefined],
  ['commits.allocate', (c) => new DynamoCommits(c, tables).allocate(bucket), undefined],
  ['changeLog.fill', (c) => new DynamoChangeLog(c, 'c').fill('id', gap), THROWS],
  [
    'objects.removeTombstone',
    (c) => new DynamoObjects(c, 'o').removeTombstone('id', 'a', 1),
    undefined,
  ],
  ['uploads.create', (c) => uploads(c).create(upload), THROWS],
  ['uploads.renew', (c) => uploads(c).renew(upload), false],
  [
    'uploads.stage',
    (c) =>
      uploads(c).stage('a', { size: 1, etag: '', contentType: '', headers: {}, metadata: {} }, AT),
    false,
  ],
  ['uploads.saveIdempotencyRecord', (c) => uploads(c).saveIdempotencyRecord(replay, 0), false],
  ['links.create', (c) => links(c).create(link), THROWS],
  ['links.remove', (c) => links(c).remove(id), 'absent'],
  ['links.use', (c) => links(c).use(id, 0), false],
  ['links.attempt', (c) => links(c).attempt(id, 0, { burst: 1, intervalMs: 1 }), false],
  ['consumers.put over one', (c) => consumers(c).put(consumer, 0), 'changed'],
  ['consumers.advance', (c) => consumers(c).advance(consumer, 2, { now: 0, notAfter: 0 }), false],
  ['pendingCopies.claim', (c) => copies(c).claim({ id: 'a', until: 0 }, 1), undefined],
  ['targetCursors.register', (c) => cursors(c).register('t', 0), THROWS],
  ['targetCursors.completeRegistration', (c) => cursors(c).completeRegistration('t'), undefined],
  ['targetCursors.initialize', (c) => cursors(c).initialize('t', bucket, 0), undefined],
  ['targetCursors.acquireLease', (c) => cursors(c).acquireLease('t', bucket, lease), undefined],
  ['targetCursors.advance', (c) => cursors(c).advance('t', 'id', { ...step, holder: 'a' }), false],
  ['targetCursors.backOff', (c) => cursors(c).backOff('t', 'id', lease), undefined],
  ['subscriptions.admitMessage', (c) => subscriptions(c).admitMessage('c', 0, rate), undefined],
  ['subscriptions.redeemTicket', (c) => subscriptions(c).redeemTicket('a'), false],
  ['subscriptions.setKeyExpiry', (c) => subscriptions(c).setKeyExpiry('id', 'c'), undefined],
  ['slots.release', (c) => new DynamoSlots(c, 'r').release('k', 'wait', 'a'), undefined],
  ['rates.markChanged', (c) => new DynamoRates(c, 'r').markChanged('k', 1), undefined],
];

test.each(SINGLE)(
  '%s returns that its condition failed, or throws it',
  async (_, write, result) => {
    await withScript([dynamoError('ConditionalCheckFailedException')], async ({ client }) => {
      const name = 'ConditionalCheckFailedException';
      if (result === THROWS) await expect(write(client)).rejects.toMatchObject({ name });
      else expect(await write(client)).toBe(result);
    });
  },
);

/** Writes whose conditions have results of other kinds. */
const OTHERS: readonly Write[] = [
  ['rates.lease', (c) => new DynamoRates(c, 'r').lease('k', request), THROWS],
  [
    'slots.take',
    (c) => new DynamoSlots(c, 'r').take('k', 'wait', { limit: 1, holder: 'a', now: 0, until: 1 }),
    THROWS,
  ],
  ['uploads.refuse', (c) => uploads(c).refuse('a', 'too late'), THROWS],
  ['buckets.correct', (c) => buckets(c).correct(bucket, { asOf: 1, objects: 1, bytes: 1 }), THROWS],
  ['buckets.purge', (c) => buckets(c).purge('id'), THROWS],
  ['pendingCopies.remove', (c) => copies(c).remove('a'), THROWS],
];

test.each([...SINGLE, ...OTHERS])('%s throws another error after one call', async (_, write) => {
  await withScript([dynamoError('AccessDeniedException')], async ({ client, server }) => {
    await expect(write(client)).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(server.received).toHaveLength(1);
  });
});

/** The transactions of 1 to 4 writes, and the result for each of them whose condition fails. */
const TRANSACTIONS: readonly [string, (client: Client) => Promise<unknown>, unknown[]][] = [
  ['buckets.create', (c) => buckets(c).create(bucket, replay), ['exists', NONE, NONE, 'duplicate']],
  ['buckets.remove', (c) => buckets(c).remove(deleted), [false]],
  [
    'buckets.setLifecycle',
    (c) => buckets(c).setLifecycle(rules, AT, replay),
    ['missing', 'duplicate'],
  ],
  ['uploads.create', (c) => uploads(c).create(upload, replay), [THROWS, 'duplicate']],
  ['keys.save', (c) => new DynamoKeyStore(c, tables).save(newKey(), audit), [false, THROWS]],
  ['links.remove', (c) => links(c).remove(id, replay), ['absent', 'duplicate']],
  [
    'consumers.put',
    (c) => consumers(c).put(consumer, undefined, replay),
    ['changed', 'full', 'duplicate'],
  ],
  [
    'consumers.put over one',
    (c) => consumers(c).put(consumer, 0, replay),
    ['changed', 'duplicate'],
  ],
  ['consumers.remove', (c) => consumers(c).remove(id, replay), ['absent', 'absent', 'duplicate']],
  ['pendingCopies.begin', (c) => copies(c).begin(upload, replay), [THROWS, THROWS, 'duplicate']],
  [
    'subscriptions.subscribe',
    (c) => subscriptions(c).subscribe(connection, photos, { limit: 1 }),
    [false, THROWS],
  ],
  ['subscriptions.unsubscribe', (c) => subscriptions(c).unsubscribe('c', photos), [undefined]],
];

const POSITIONS = TRANSACTIONS.flatMap(([name, write, results]) =>
  results.flatMap((result, position) =>
    result === NONE ? [] : [{ name, write, position, result }],
  ),
);

test.each(POSITIONS)(
  '$name returns that the condition of write $position failed, or throws it',
  async ({ write, position, result }) => {
    const reasons = [...Array(position).fill('None'), 'ConditionalCheckFailed'];
    await withScript([cancelled(...reasons)], async ({ client, server }) => {
      const name = 'TransactionCanceledException';
      if (result === THROWS) await expect(write(client)).rejects.toMatchObject({ name });
      else expect(await write(client)).toBe(result);
      expect(server.received).toHaveLength(1);
    });
  },
);

test.each(
  [...TRANSACTIONS, ['restoring.skip', skip] as const].flatMap(([name, write]) =>
    [cancelled('ValidationError', 'None'), dynamoError('AccessDeniedException')].map(
      (response) => ({ name, write, response }),
    ),
  ),
)('$name throws when DynamoDB refuses it for another reason', async ({ write, response }) => {
  const script = write === skip ? [dynamoResponse(), dynamoResponse(), response] : [response];
  await withScript(script, async ({ client, server }) => {
    await expect(write(client)).rejects.toThrow(/AccessDenied|TransactionCanceled/);
    expect(server.received).toHaveLength(script.length);
  });
});

function skip(client: Client): Promise<boolean> {
  return new DynamoRestoring(client, tables).skip(bucket, 9);
}

test('restoring.skip returns false when the condition of its first write fails', async () => {
  const failed = cancelled('ConditionalCheckFailed');
  const script: ScriptedResponse[] = [dynamoResponse(), dynamoResponse(), failed];
  await withScript(script, async ({ client }) => expect(await skip(client)).toBe(false));
});

test('links.create throws when the hash is in use, and knows a repeated request', async () => {
  const create = (client: Client) => links(client).create(link, replay);
  const used = [cancelled('ConditionalCheckFailed')];
  await withScript(used, ({ client }) => expect(create(client)).rejects.toThrow('in use'));
  const repeated = [cancelled('None', 'ConditionalCheckFailed')];
  await withScript(repeated, async ({ client }) => expect(await create(client)).toBe('duplicate'));
});

describe('serviceState.once', () => {
  const once = (client: Client) => new DynamoServiceState(client, 'b').once('a', 'mine');
  const failed = (fields: object) => dynamoError('ConditionalCheckFailedException', fields);

  test('returns what another caller stored meanwhile', async () => {
    const Item = { value: { S: 'theirs' } };
    const script = [dynamoResponse(), failed({ Item })];
    await withScript(script, async ({ client }) => expect(await once(client)).toBe('theirs'));
  });

  test.each([
    ['has no value', failed({ Item: {} })],
    ['is not returned', failed({})],
    ['could not be written', dynamoError('AccessDeniedException', { Item: { value: { S: 'a' } } })],
  ])('throws when the item %s', async (_, response) => {
    const script = [dynamoResponse(), response];
    await withScript(script, ({ client }) => expect(once(client)).rejects.toThrow('Exception'));
  });
});

test('a change is refused without its entry, and a commit throws another error', async () => {
  const commit = (client: Client) =>
    new DynamoCommits(client, tables).commit(change('id', liveObject()));
  await withScript([cancelled('None', 'ConditionalCheckFailed')], async ({ client }) => {
    expect(await commit(client)).toStrictEqual({
      ...{ result: 'refused', changed: true, settled: false, isDuplicate: false },
    });
  });
  await withScript([dynamoError('AccessDeniedException')], ({ client }) =>
    expect(commit(client)).rejects.toMatchObject({ name: 'AccessDeniedException' }),
  );
});
