/** What the contract suites of the data ports run on: the fakes and the adapters, the latter on every engine there is. */
import { randomBytes } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Positions } from '../../core/deliver/ports';
import type { AuditLog, KeyStore } from '../../core/keys/ports';
import type {
  ApiKeyRecord,
  ApiKeys,
  Buckets,
  ChangeLog,
  Clock,
  Commits,
  Objects,
  Rates,
  ServiceState,
  Uploads,
} from '../../core/ports';
import type { Restoring } from '../../core/restore/ports';
import { apiKeyItem } from '../../lambdas/adapters/api-key-item';
import { DynamoApiKeys } from '../../lambdas/adapters/dynamo-api-keys';
import { DynamoAuditLog } from '../../lambdas/adapters/dynamo-audit-log';
import { DynamoBuckets } from '../../lambdas/adapters/dynamo-buckets';
import { DynamoChangeLog } from '../../lambdas/adapters/dynamo-change-log';
import { DynamoCommits } from '../../lambdas/adapters/dynamo-commits';
import { DynamoKeyStore } from '../../lambdas/adapters/dynamo-key-store';
import { DynamoObjects } from '../../lambdas/adapters/dynamo-objects';
import { DynamoPositions } from '../../lambdas/adapters/dynamo-positions';
import { DynamoRates } from '../../lambdas/adapters/dynamo-rates';
import { DynamoRestoring } from '../../lambdas/adapters/dynamo-restoring';
import { DynamoServiceState } from '../../lambdas/adapters/dynamo-service-state';
import { DynamoUploads } from '../../lambdas/adapters/dynamo-uploads';
import { startDynamoEngine } from '../support/dynamo-engine';
import { FakeClock } from '../support/fakes/clock';
import { createFakes } from '../support/fakes/fakes';
import { createTables, deleteTables } from '../support/tables';

export interface DataPorts {
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly uploads: Uploads;
  readonly commits: Commits;
  readonly apiKeys: ApiKeys;
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly rates: Rates;
  readonly positions: Positions;
  readonly serviceState: ServiceState;
  readonly restoring: Restoring;
  readonly clock: Clock;
  /** As an earlier version made it, without audit record. */
  addApiKey(record: ApiKeyRecord): Promise<void>;
  close(): Promise<void>;
}

// The engines share the machine with whatever else is tested at the time.
jest.setTimeout(30_000);

export type OpenData = () => Promise<DataPorts>;

const { DYNAMODB_CONTRACT_ENDPOINT } = process.env;

/** [name, open] of each. */
export const dataSubjects: readonly (readonly [string, OpenData])[] = [
  ['fake', openFakes],
  ['adapter on the default engine', openEngine],
  ...(DYNAMODB_CONTRACT_ENDPOINT
    ? [
        [
          'adapter on DYNAMODB_CONTRACT_ENDPOINT',
          () => openEndpoint(DYNAMODB_CONTRACT_ENDPOINT, async () => {}),
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

async function openEngine(): Promise<DataPorts> {
  const engine = await startDynamoEngine();
  return openEndpoint(engine.endpoint, engine.stop);
}

async function openEndpoint(endpoint: string, stop: () => Promise<void>): Promise<DataPorts> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'contract', secretAccessKey: 'contract' },
  });
  const tables = await createTables(client, `contract-${randomBytes(6).toString('hex')}`);
  const clock = new FakeClock();
  return {
    buckets: new DynamoBuckets(client, tables.buckets, tables.uploads),
    objects: new DynamoObjects(client, tables.objects),
    changeLog: new DynamoChangeLog(client, tables.changes),
    uploads: new DynamoUploads(client, tables.uploads, clock),
    commits: new DynamoCommits(client, tables),
    apiKeys: new DynamoApiKeys(client, tables.apiKeys),
    keys: new DynamoKeyStore(client, tables),
    audit: new DynamoAuditLog(client, tables.audit),
    rates: new DynamoRates(client, tables.rates),
    positions: new DynamoPositions(client, tables.positions),
    serviceState: new DynamoServiceState(client, tables.buckets),
    restoring: new DynamoRestoring(client, tables),
    clock,
    addApiKey: async (record) => {
      await client.send(
        new PutItemCommand({ TableName: tables.apiKeys, Item: apiKeyItem(record) }),
      );
    },
    close: async () => {
      await deleteTables(client, tables);
      client.destroy();
      await stop();
    },
  };
}
