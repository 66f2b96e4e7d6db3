/** The local service and its stores. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { parseEndpoint } from '../../../adapters/aws/environment';
import { DynamoApiKeys } from '../../../adapters/dynamodb/api-keys';
import { DynamoBuckets } from '../../../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../../../adapters/dynamodb/change-log';
import { DynamoConsumers } from '../../../adapters/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../adapters/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../../adapters/dynamodb/commits';
import { DynamoObjects } from '../../../adapters/dynamodb/objects';
import { DynamoPendingCopies } from '../../../adapters/dynamodb/pending-copies';
import { DynamoServiceState } from '../../../adapters/dynamodb/service-state';
import { DynamoSlots } from '../../../adapters/dynamodb/slots';
import { HttpTables } from '../../../adapters/dynamodb/tables/http-tables';
import { DynamoUploads } from '../../../adapters/dynamodb/uploads';
import { S3BlobReader } from '../../../adapters/s3/blob-reader';
import { ListedS3Blobs } from '../../../adapters/s3/listed-blobs';
import { S3PartCopies } from '../../../adapters/s3/part-copies';
import { connectS3 } from '../../../adapters/s3/s3-connection';
import { GatewayChannels } from '../../../adapters/websocket/channels';
import { createConnectionsClient } from '../../../adapters/websocket/connections-client';
import type { Credentials } from '../../../emulator/src/iam/iam';
import { systemIds } from '../../../lambdas/runtime/system';
import { FakeMeter } from '../../support/fakes/fake-meter';

export {
  newDataFolder,
  type Running,
  startLocalService,
} from '../../support/local-service/start-local-service';

/**
 * Opens the stores of the running service with the credentials of its operator, or of the role of a
 * function. Their clock is two days ahead, for the tasks that wait a day.
 */
export function openStores(folder: string, role?: Credentials) {
  const { endpoints, region, outputs, ...developer } = JSON.parse(
    readFileSync(path.join(folder, 'endpoints.json'), 'utf8'),
  );
  const credentials: Credentials = role ?? developer.credentials;
  const dynamo = new DynamoDBClient({ endpoint: endpoints.dynamodb, credentials, region });
  const opened = new HttpTables({
    endpoint: parseEndpoint(endpoints.dynamodb),
    credentials: () => credentials,
    region,
  });
  const s3 = new S3Client({ endpoint: endpoints.s3, credentials, region, forcePathStyle: true });
  const connections = createConnectionsClient(endpoints.connections, {
    credentials: () => credentials,
    region,
  });
  const tables = {
    buckets: outputs.BucketsTableName,
    objects: outputs.ObjectsTableName,
    changes: outputs.ChangesTableName,
    uploads: outputs.UploadsTableName,
  };
  const content = connectS3({
    endpoint: parseEndpoint(endpoints.s3),
    region,
    credentials: () => credentials,
  });
  const clock = { now: () => Date.now() + 2 * 86_400_000, sleep: async () => undefined };
  const errors: unknown[] = [];
  return {
    dynamo,
    keyTables: { apiKeys: outputs.ApiKeysTableName, audit: outputs.AuditTableName },
    buckets: new DynamoBuckets(opened, outputs.BucketsTableName, tables.uploads),
    objects: new DynamoObjects(opened, tables.objects),
    changeLog: new DynamoChangeLog(opened, tables.changes),
    commits: new DynamoCommits(opened, tables),
    consumers: new DynamoConsumers(opened, tables, clock),
    apiKeys: new DynamoApiKeys(opened, outputs.ApiKeysTableName),
    subscriptions: new DynamoSubscriptions(opened, outputs.SubscriptionsTableName),
    slots: new DynamoSlots(opened, outputs.RatesTableName),
    channels: new GatewayChannels(connections),
    uploads: new DynamoUploads(opened, tables.uploads, clock),
    pendingCopies: new DynamoPendingCopies(opened, tables, clock),
    partCopies: new S3PartCopies(content, outputs.ContentBucketName),
    serviceState: new DynamoServiceState(opened, outputs.BucketsTableName),
    blobs: new ListedS3Blobs(
      content,
      outputs.ContentBucketName,
      new S3BlobReader(s3, outputs.ContentBucketName),
    ),
    clock,
    ids: systemIds,
    backoff: async () => undefined,
    retentionSeconds: 30 * 86_400,
    log: {
      info: () => undefined,
      error: (event: string, fields: unknown) => errors.push([event, fields]),
    },
    meter: new FakeMeter(),
    errors,
    close: () => {
      dynamo.destroy();
      s3.destroy();
    },
  };
}
