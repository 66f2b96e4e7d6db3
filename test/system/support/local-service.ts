/** The local service and its stores. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { Credentials } from '../../../emulator/src/iam/iam';
import { parseEndpoint } from '../../../lambdas/shared/aws/environment';
import { DynamoApiKeys } from '../../../lambdas/shared/dynamodb/api-keys';
import { DynamoBuckets } from '../../../lambdas/shared/dynamodb/buckets';
import { DynamoChangeLog } from '../../../lambdas/shared/dynamodb/change-log';
import { DynamoConsumers } from '../../../lambdas/shared/dynamodb/channel/consumers';
import { DynamoSubscriptions } from '../../../lambdas/shared/dynamodb/channel/subscriptions';
import { DynamoCommits } from '../../../lambdas/shared/dynamodb/commits';
import { DynamoPendingCopies } from '../../../lambdas/shared/dynamodb/copies/pending-copies';
import { DynamoObjects } from '../../../lambdas/shared/dynamodb/objects';
import { DynamoServiceState } from '../../../lambdas/shared/dynamodb/service-state';
import { DynamoSlots } from '../../../lambdas/shared/dynamodb/slots';
import { HttpTables } from '../../../lambdas/shared/dynamodb/tables/http-tables';
import { DynamoUploads } from '../../../lambdas/shared/dynamodb/uploads';
import { S3BlobReader } from '../../../lambdas/shared/s3/blob-reader';
import { ListedS3Blobs } from '../../../lambdas/shared/s3/listed-blobs';
import { S3PartCopies } from '../../../lambdas/shared/s3/part-copies';
import { connectS3 } from '../../../lambdas/shared/s3/s3-connection';
import { systemIds } from '../../../lambdas/shared/system';
import { GatewayChannels } from '../../../lambdas/shared/websocket/channels';
import { createConnectionsClient } from '../../../lambdas/shared/websocket/connections-client';
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
