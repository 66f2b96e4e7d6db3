/**
 * The functions' own parts on real engines: adapters, DynamoDB engine, local S3; each AWS call can
 * be watched.
 */
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { apiKeyItem } from '../../adapters/dynamodb/items/api-key-item';
import { systemClock, systemIds } from '../../adapters/system';
import type { ApiKeyRecord, Rates, Slots } from '../../core/access/ports';
import { BucketIds } from '../../core/buckets/bucket-ids';
import type { Subscriptions } from '../../core/channel/ports';
import { DEFAULT_RATES } from '../../core/limits';
import type { Links } from '../../core/links/ports';
import type { CopyObjectsDeps } from '../../core/maintenance/copy-objects';
import type { Clock, Log } from '../../core/system';
import type { TargetCursors } from '../../core/targets/ports';
import { allowAll } from '../../emulator/src/iam/allow-all';
import { startS3 } from '../../emulator/src/services/s3/s3';
import { createDynamoClient, createS3Client } from '../../lambdas/runtime/aws-clients';
import { ENV } from '../../lambdas/runtime/env';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  commits,
  consumers,
  links,
  objects,
  openStores,
  partCopies,
  pendingCopies,
  rates,
  serviceState,
  slots,
  subscriptions,
  targetCursors,
  uploads,
} from '../../lambdas/runtime/stores';
import type { ApiDeps } from '../../service/operations/deps';
import { startDynamoEngine } from './dynamo-engine';
import { FakeMeter } from './fakes/fake-meter';
import { createTables } from './tables';
import { temporaryFolder } from './temporary-folder';
import { type WatchCall, watchCalls } from './watched-client';

export const CONTENT_BUCKET = 'content';

export type ServiceDeps = ApiDeps &
  CopyObjectsDeps & {
    readonly rates: Rates;
    readonly slots: Slots;
    readonly subscriptions: Subscriptions;
    readonly links: Links;
    readonly targetCursors: TargetCursors;
  };

export interface Service {
  /** A new function instance: nothing remembered from an earlier one. */
  open(options?: { watch?: WatchCall; clock?: Clock; log?: Log }): ServiceDeps;
  /** As the operator writes it, beside all functions. */
  putKey(key: ApiKeyRecord): Promise<void>;
  /** S3 keys that S3 has reported, in order. */
  readonly reported: readonly string[];
  stop(): Promise<void>;
}

const silent: Log = { info: () => undefined, error: () => undefined };

export async function startService(): Promise<Service> {
  const data = temporaryFolder('service');
  const iam = allowAll();
  const region = 'us-east-1';
  const reported: string[] = [];
  const engine = await startDynamoEngine();
  const s3 = await startS3({
    buckets: [{ name: CONTENT_BUCKET }],
    dataDir: data.folder,
    iam,
    region,
    port: 0,
    emit: ({ key, eventName }) => {
      if (eventName.startsWith('ObjectCreated')) reported.push(key);
    },
  });
  const config = { region, credentials: iam.root, maxAttempts: 1 };
  const admin = new DynamoDBClient({ ...config, endpoint: engine.endpoint });
  const tables = await createTables(admin, 'test-');
  const env = {
    [ENV.bucketsTable]: tables.buckets,
    [ENV.objectsTable]: tables.objects,
    [ENV.changesTable]: tables.changes,
    [ENV.uploadsTable]: tables.uploads,
    [ENV.apiKeysTable]: tables.apiKeys,
    [ENV.ratesTable]: tables.rates,
    [ENV.subscriptionsTable]: tables.subscriptions,
    [ENV.linksTable]: tables.links,
    [ENV.targetCursorsTable]: tables.positions,
    [ENV.contentBucket]: CONTENT_BUCKET,
  };
  const factories = {
    apiKeys,
    blobs,
    buckets,
    changeLog,
    commits,
    consumers,
    links,
    objects,
    partCopies,
    pendingCopies,
    targetCursors,
    rates,
    serviceState,
    slots,
    subscriptions,
    uploads,
  };
  const clients: { destroy(): void }[] = [admin];

  const open: Service['open'] = ({ watch, clock = systemClock, log = silent } = {}) => {
    const dynamo = createDynamoClient({ ...config, endpoint: engine.endpoint });
    const content = createS3Client({ ...config, endpoint: s3.endpoint });
    clients.push(dynamo, content);
    if (watch) for (const client of [dynamo, content]) watchCalls(client, watch);
    const connection = { env, dynamo, s3: content, clock };
    const stores = openStores(connection, factories);
    return {
      ...stores,
      bucketIds: new BucketIds(stores.buckets),
      rateTiers: { default: DEFAULT_RATES },
      clock,
      ids: systemIds,
      backoff: async () => undefined,
      linksAndKeys: { ...stores, baseUrl: 'https://files.example/' },
      tickets: { subscriptions: stores.subscriptions, syncUrl: 'wss://sync.example/sync' },
      retentionSeconds: 7 * 86_400,
      responseMode: 'buffered',
      log,
      meter: new FakeMeter(),
    };
  };

  return {
    open,
    putKey: async (key) => {
      await admin.send(new PutItemCommand({ TableName: tables.apiKeys, Item: apiKeyItem(key) }));
    },
    reported,
    stop: async () => {
      for (const client of clients) client.destroy();
      await s3.stop();
      await engine.stop();
      data.remove();
    },
  };
}
