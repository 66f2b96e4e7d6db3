/**
 * The subjects of the data ports' contract suites: the fakes, the SQLite adapters, and the DynamoDB
 * adapters on the default engine and on the one at DYNAMODB_CONTRACT_ENDPOINT.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoApiKeys } from '../../../adapters/dynamodb/api-keys';
import { DynamoAuditLog } from '../../../adapters/dynamodb/audit-log';
import { DynamoBuckets } from '../../../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../../../adapters/dynamodb/change-log';
import { DynamoConsumers } from '../../../adapters/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
import { apiKeyItem } from '../../../adapters/dynamodb/items/api-key-item';
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
import { MemorySlots } from '../../../adapters/memory/slots';
import { MemorySubscriptions } from '../../../adapters/memory/subscriptions';
import { SqliteAuditLog, SqliteKeyStore } from '../../../adapters/sqlite/api-keys';
import { SqliteBuckets } from '../../../adapters/sqlite/buckets';
import { SqliteChangeLog } from '../../../adapters/sqlite/change-log';
import { SqliteCommits } from '../../../adapters/sqlite/commits';
import { SqliteConsumers } from '../../../adapters/sqlite/consumers';
import { Database } from '../../../adapters/sqlite/database';
import { SqliteLinks } from '../../../adapters/sqlite/links';
import { SqliteObjects } from '../../../adapters/sqlite/objects';
import { SqliteRates } from '../../../adapters/sqlite/rates';
import { SqliteRestoring } from '../../../adapters/sqlite/restoring';
import { SqliteServiceState } from '../../../adapters/sqlite/service-state';
import { SqliteTargetCursors } from '../../../adapters/sqlite/target-cursors';
import { SqlitePendingCopies, SqliteUploads } from '../../../adapters/sqlite/uploads';
import type {
  ApiKeyRecord,
  ApiKeys,
  AuditLog,
  KeyStore,
  Rates,
  Slots,
} from '../../../core/access/ports';
import type { Subscriptions } from '../../../core/channel/ports';
import type { Consumers } from '../../../core/consumers/ports';
import type { Links } from '../../../core/links/ports';
import type { ChangeLog, Commits } from '../../../core/log/ports';
import type { Restoring } from '../../../core/maintenance/recovery/ports';
import type { ServiceState } from '../../../core/service-state';
import type { Buckets } from '../../../core/store/buckets';
import type { PendingCopies } from '../../../core/store/copies';
import type { Objects } from '../../../core/store/objects';
import type { Uploads } from '../../../core/store/uploads';
import type { Clock } from '../../../core/system';
import type { TargetCursors } from '../../../core/targets/ports';
import { createDynamoClient } from '../../../lambdas/runtime/aws-clients';
import { useDynamoEngine } from '../../support/dynamo-engine';
import { FakeClock } from '../../support/fakes/clock';
import { createFakes } from '../../support/fakes/fakes';
import { createTables, deleteTables } from '../../support/tables';
import { temporaryFolder } from '../../support/temporary-folder';

export interface DataPorts {
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly uploads: Uploads;
  readonly pendingCopies: PendingCopies;
  readonly commits: Commits;
  readonly apiKeys: ApiKeys;
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly rates: Rates;
  readonly slots: Slots;
  readonly targetCursors: TargetCursors;
  readonly serviceState: ServiceState;
  readonly restoring: Restoring;
  readonly subscriptions: Subscriptions;
  readonly consumers: Consumers;
  readonly links: Links;
  readonly clock: Clock;
  /** Stores a key as an earlier version did, without an audit record. */
  addApiKey(record: ApiKeyRecord): Promise<void>;
  close(): Promise<void>;
}

export type OpenData = () => Promise<DataPorts>;

const { DYNAMODB_CONTRACT_ENDPOINT } = process.env;

const CONFIG = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'contract', secretAccessKey: 'contract' },
};

const engine = useDynamoEngine();

/** Pairs of a name and a function that opens the subject. */
export const dataSubjects: readonly (readonly [string, OpenData])[] = [
  ['fake', openFakes],
  ['adapter on a SQLite file', openSqlite],
  ['adapter on the default engine', openEngine],
  ...(DYNAMODB_CONTRACT_ENDPOINT
    ? [
        [
          'adapter on DYNAMODB_CONTRACT_ENDPOINT',
          () => openEndpoint(DYNAMODB_CONTRACT_ENDPOINT, deleteTables),
        ] as const,
      ]
    : []),
];

async function openFakes(): Promise<DataPorts> {
  const fakes = createFakes();
  const addApiKey = async (record: ApiKeyRecord) => {
    fakes.state.apiKeys.set(record.id, record);
  };
  return { ...fakes, addApiKey, close: async () => {} };
}

async function openSqlite(): Promise<DataPorts> {
  const folder = temporaryFolder('sqlite');
  const database = new Database({ file: path.join(folder.folder, 'stowage.db') });
  const clock = new FakeClock();
  const keys = new SqliteKeyStore(database);
  return {
    buckets: new SqliteBuckets(database),
    objects: new SqliteObjects(database),
    changeLog: new SqliteChangeLog(database),
    uploads: new SqliteUploads(database, clock),
    pendingCopies: new SqlitePendingCopies(database, clock),
    commits: new SqliteCommits(database),
    apiKeys: keys,
    keys,
    audit: new SqliteAuditLog(database),
    rates: new SqliteRates(database),
    slots: new MemorySlots(),
    targetCursors: new SqliteTargetCursors(database),
    serviceState: new SqliteServiceState(database),
    restoring: new SqliteRestoring(database),
    subscriptions: new MemorySubscriptions(clock),
    consumers: new SqliteConsumers(database, clock),
    links: new SqliteLinks(database, clock),
    clock,
    addApiKey: async (record) => {
      const { id, revision = 0 } = record;
      await database.write((tx) =>
        tx.run('INSERT OR REPLACE INTO api_keys VALUES (?, NULL, NULL, ?, ?)', [
          ...[id, revision, JSON.stringify(record)],
        ]),
      );
    },
    close: async () => {
      database.close();
      folder.remove();
    },
  };
}

async function openEngine(): Promise<DataPorts> {
  const { endpoint } = await engine();
  // Its tables end with it.
  return openEndpoint(endpoint, async () => undefined);
}

async function openEndpoint(endpoint: string, end: typeof deleteTables): Promise<DataPorts> {
  const client = createDynamoClient({
    ...CONFIG,
    endpoint,
    // A suite may send a thousand calls at once, and a busy engine accepts connections slowly.
    requestHandler: { connectionTimeout: 10_000, httpAgent: { maxSockets: 64 } },
  });
  const tables = await createTables(client, `contract-${randomBytes(6).toString('hex')}`);
  const clock = new FakeClock();
  return {
    buckets: new DynamoBuckets(client, tables.buckets, tables.uploads),
    objects: new DynamoObjects(client, tables.objects),
    changeLog: new DynamoChangeLog(client, tables.changes),
    uploads: new DynamoUploads(client, tables.uploads, clock),
    pendingCopies: new DynamoPendingCopies(client, tables, clock),
    commits: new DynamoCommits(client, tables),
    apiKeys: new DynamoApiKeys(client, tables.apiKeys),
    keys: new DynamoKeyStore(client, tables),
    audit: new DynamoAuditLog(client, tables),
    rates: new DynamoRates(client, tables.rates),
    slots: new DynamoSlots(client, tables.rates),
    targetCursors: new DynamoTargetCursors(client, tables.positions),
    serviceState: new DynamoServiceState(client, tables.buckets),
    restoring: new DynamoRestoring(client, tables),
    subscriptions: new DynamoSubscriptions(client, tables.subscriptions),
    consumers: new DynamoConsumers(client, tables, clock),
    links: new DynamoLinks(client, tables, clock),
    clock,
    addApiKey: async (record) => {
      const Item = apiKeyItem(record);
      await client.send(new PutItemCommand({ TableName: tables.apiKeys, Item }));
    },
    close: async () => {
      await end(client, tables);
      client.destroy();
    },
  };
}
