import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { DynamoApiKeys } from '../../adapters/dynamodb/api-keys';
import { DynamoAuditLog } from '../../adapters/dynamodb/audit-log';
import { DynamoBuckets } from '../../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../../adapters/dynamodb/change-log';
import { DynamoConsumers } from '../../adapters/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../adapters/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../adapters/dynamodb/commits';
import { DynamoKeyStore } from '../../adapters/dynamodb/key-store';
import { DynamoLinks } from '../../adapters/dynamodb/links';
import { DynamoObjects } from '../../adapters/dynamodb/objects';
import { DynamoPendingCopies } from '../../adapters/dynamodb/pending-copies';
import { DynamoRates } from '../../adapters/dynamodb/rates';
import { DynamoRestoring } from '../../adapters/dynamodb/restoring';
import { DynamoServiceState } from '../../adapters/dynamodb/service-state';
import { DynamoSlots } from '../../adapters/dynamodb/slots';
import { DynamoTargetCursors } from '../../adapters/dynamodb/target-cursors';
import { DynamoUploads } from '../../adapters/dynamodb/uploads';
import { S3Blobs } from '../../adapters/s3/blobs';
import { S3PartCopies } from '../../adapters/s3/part-copies';
import { systemClock } from '../../adapters/system';
import type { Clock } from '../../core/system';
import { ENV, type Environment, requireEnv } from './env';

/**
 * The stores of a deployment, opened by the names in its environment. A function passes the
 * factories of the stores that it uses: its bundle holds no other store, and no SDK client but
 * theirs.
 *
 *   const connection = { env: process.env, dynamo: createDynamoClient() };
 *   const stores = openStores(connection, { buckets, rates });
 */

interface TablesConnection {
  /** Holds the names of the tables, as `ENV` in env.ts calls them. */
  readonly env: Environment;
  readonly dynamo: DynamoDBClient;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, 'now'>;
}

interface ContentConnection {
  /** Holds the name of the content bucket. */
  readonly env: Environment;
  readonly s3: S3Client;
}

/**
 * Returns the store of each factory, under the factory's name. Throws when the environment lacks
 * the name of a table or bucket.
 */
export function openStores<
  Connection,
  Factories extends Readonly<Record<string, (connection: Connection) => unknown>>,
>(
  connection: Connection,
  factories: Factories,
): { readonly [Name in keyof Factories]: ReturnType<Factories[Name]> } {
  const stores = Object.entries(factories).map(([name, open]) => [name, open(connection)]);
  return Object.fromEntries(stores);
}

/** Creates and removes buckets only where the environment names the Uploads table, too. */
export const buckets = ({ dynamo, env }: TablesConnection) =>
  new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable, env), env[ENV.uploadsTable]);

/** Creates and removes consumers only where the environment names the Uploads table, too. */
export const consumers = ({ dynamo, env, clock = systemClock }: TablesConnection) =>
  new DynamoConsumers(
    dynamo,
    { buckets: requireEnv(ENV.bucketsTable, env), uploads: env[ENV.uploadsTable] },
    clock,
  );

export const objects = ({ dynamo, env }: TablesConnection) =>
  new DynamoObjects(dynamo, requireEnv(ENV.objectsTable, env));

export const changeLog = ({ dynamo, env }: TablesConnection) =>
  new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable, env));

export const commits = ({ dynamo, env }: TablesConnection) =>
  new DynamoCommits(dynamo, {
    buckets: requireEnv(ENV.bucketsTable, env),
    changes: requireEnv(ENV.changesTable, env),
    objects: requireEnv(ENV.objectsTable, env),
    uploads: requireEnv(ENV.uploadsTable, env),
  });

export const uploads = ({ dynamo, env, clock = systemClock }: TablesConnection) =>
  new DynamoUploads(dynamo, requireEnv(ENV.uploadsTable, env), clock);

export const pendingCopies = ({ dynamo, env, clock = systemClock }: TablesConnection) =>
  new DynamoPendingCopies(
    dynamo,
    { buckets: requireEnv(ENV.bucketsTable, env), uploads: requireEnv(ENV.uploadsTable, env) },
    clock,
  );

export const serviceState = ({ dynamo, env }: TablesConnection) =>
  new DynamoServiceState(dynamo, requireEnv(ENV.bucketsTable, env));

export const restoring = ({ dynamo, env }: TablesConnection) =>
  new DynamoRestoring(dynamo, {
    buckets: requireEnv(ENV.bucketsTable, env),
    changes: requireEnv(ENV.changesTable, env),
  });

export const apiKeys = ({ dynamo, env }: TablesConnection) =>
  new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable, env));

/** The administration's access to API keys. */
export const keys = ({ dynamo, env }: TablesConnection) =>
  new DynamoKeyStore(dynamo, {
    apiKeys: requireEnv(ENV.apiKeysTable, env),
    audit: requireEnv(ENV.auditTable, env),
  });

export const audit = ({ dynamo, env }: TablesConnection) =>
  new DynamoAuditLog(dynamo, {
    audit: requireEnv(ENV.auditTable, env),
    buckets: requireEnv(ENV.bucketsTable, env),
  });

export const rates = ({ dynamo, env }: TablesConnection) =>
  new DynamoRates(dynamo, requireEnv(ENV.ratesTable, env));

export const slots = ({ dynamo, env }: TablesConnection) =>
  new DynamoSlots(dynamo, requireEnv(ENV.ratesTable, env));

export const subscriptions = ({ dynamo, env }: TablesConnection) =>
  new DynamoSubscriptions(dynamo, requireEnv(ENV.subscriptionsTable, env));

/** Creates and removes links only where the environment names the Uploads table, too. */
export const links = ({ dynamo, env, clock = systemClock }: TablesConnection) =>
  new DynamoLinks(
    dynamo,
    { links: requireEnv(ENV.linksTable, env), uploads: env[ENV.uploadsTable] },
    clock,
  );

export const targetCursors = ({ dynamo, env }: TablesConnection) =>
  new DynamoTargetCursors(dynamo, requireEnv(ENV.targetCursorsTable, env));

export const blobs = ({ s3, env }: ContentConnection) =>
  new S3Blobs(s3, requireEnv(ENV.contentBucket, env));

export const partCopies = ({ s3, env }: ContentConnection) =>
  new S3PartCopies(s3, requireEnv(ENV.contentBucket, env));
