import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoApiKeys } from '../../../adapters/dynamodb/api-keys';
import { DynamoAuditLog } from '../../../adapters/dynamodb/audit-log';
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
import { S3Blobs } from '../../../adapters/s3/blobs';
import { S3PartCopies } from '../../../adapters/s3/part-copies';
import * as stores from '../../../lambdas/runtime/stores';

const { openStores, ...OPENERS } = stores;

/** The class of each store, and the variables without which it does not open. */
const STORES: Readonly<
  Record<keyof typeof OPENERS, readonly [new (...args: never[]) => object, ...string[]]>
> = {
  buckets: [DynamoBuckets, 'BUCKETS_TABLE'],
  consumers: [DynamoConsumers, 'BUCKETS_TABLE'],
  objects: [DynamoObjects, 'OBJECTS_TABLE'],
  changeLog: [DynamoChangeLog, 'CHANGES_TABLE'],
  commits: [DynamoCommits, 'BUCKETS_TABLE', 'CHANGES_TABLE', 'OBJECTS_TABLE', 'UPLOADS_TABLE'],
  uploads: [DynamoUploads, 'UPLOADS_TABLE'],
  pendingCopies: [DynamoPendingCopies, 'BUCKETS_TABLE', 'UPLOADS_TABLE'],
  serviceState: [DynamoServiceState, 'BUCKETS_TABLE'],
  restoring: [DynamoRestoring, 'BUCKETS_TABLE', 'CHANGES_TABLE'],
  apiKeys: [DynamoApiKeys, 'API_KEYS_TABLE'],
  keys: [DynamoKeyStore, 'API_KEYS_TABLE', 'AUDIT_TABLE'],
  audit: [DynamoAuditLog, 'AUDIT_TABLE', 'BUCKETS_TABLE'],
  rates: [DynamoRates, 'RATES_TABLE'],
  slots: [DynamoSlots, 'RATES_TABLE'],
  subscriptions: [DynamoSubscriptions, 'SUBSCRIPTIONS_TABLE'],
  links: [DynamoLinks, 'LINKS_TABLE'],
  targetCursors: [DynamoTargetCursors, 'POSITIONS_TABLE'],
  blobs: [S3Blobs, 'CONTENT_BUCKET'],
  partCopies: [S3PartCopies, 'CONTENT_BUCKET'],
};
const NAMES = [...new Set(Object.values(STORES).flatMap(([, ...names]) => names))];

const region = 'eu-west-1';
const connection = { dynamo: new DynamoDBClient({ region }), s3: new S3Client({ region }) };

/** The environment with the variables, each with a value of its own. */
const envOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `name-of-${name}`]));

test('every store opens under its name', () => {
  const opened = openStores({ ...connection, env: envOf(NAMES) }, OPENERS);
  const classes = Object.entries(STORES).map(([name, [Class]]) => [name, Class]);
  const openedAs = Object.entries(opened).map(([name, store]) => [name, store.constructor]);
  expect(Object.fromEntries(openedAs)).toEqual(Object.fromEntries(classes));
});

test.each(Object.entries(STORES))(
  '%s needs only its own variables, and each of them',
  (name, [, ...needed]) => {
    const opener = { [name]: OPENERS[name as keyof typeof OPENERS] };
    const open = (names: readonly string[]) =>
      openStores({ ...connection, env: envOf(names) }, opener);
    expect(Object.keys(open(needed))).toEqual([name]);
    for (const missing of needed) {
      expect(() => open(needed.filter((one) => one !== missing))).toThrow(missing);
    }
  },
);
