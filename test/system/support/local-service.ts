/** The local service and its stores. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
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
import { DynamoUploads } from '../../../adapters/dynamodb/uploads';
import { S3Blobs } from '../../../adapters/s3/blobs';
import { S3PartCopies } from '../../../adapters/s3/part-copies';
import { systemIds } from '../../../adapters/system';
import { GatewayChannels } from '../../../adapters/websocket/channels';
import type { Credentials } from '../../../emulator/src/iam/iam';
import { createConnectionsClient, createS3Client } from '../../../lambdas/runtime/aws-clients';
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
  const s3 = createS3Client({ endpoint: endpoints.s3, credentials, region });
  const connections = createConnectionsClient(endpoints.connections, { credentials, region });
  const tables = {
    buckets: outputs.BucketsTableName,
    objects: outputs.ObjectsTableName,
    changes: outputs.ChangesTableName,
    uploads: outputs.UploadsTableName,
  };
  const clock = { now: () => Date.now() + 2 * 86_400_000, sleep: async () => undefined };
  const errors: unknown[] = [];
  return {
    dynamo,
    keyTables: { apiKeys: outputs.ApiKeysTableName, audit: outputs.AuditTableName },
    buckets: new DynamoBuckets(dynamo, outputs.BucketsTableName, tables.uploads),
    objects: new DynamoObjects(dynamo, tables.objects),
    changeLog: new DynamoChangeLog(dynamo, tables.changes),
    commits: new DynamoCommits(dynamo, tables),
    consumers: new DynamoConsumers(dynamo, tables, clock),
    apiKeys: new DynamoApiKeys(dynamo, outputs.ApiKeysTableName),
    subscriptions: new DynamoSubscriptions(dynamo, outputs.SubscriptionsTableName),
    slots: new DynamoSlots(dynamo, outputs.RatesTableName),
    channels: new GatewayChannels(connections),
    uploads: new DynamoUploads(dynamo, tables.uploads, clock),
    pendingCopies: new DynamoPendingCopies(dynamo, tables, clock),
    partCopies: new S3PartCopies(s3, outputs.ContentBucketName),
    serviceState: new DynamoServiceState(dynamo, outputs.BucketsTableName),
    blobs: new S3Blobs(s3, outputs.ContentBucketName),
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
      connections.destroy();
    },
  };
}
