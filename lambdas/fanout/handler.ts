/** The composition root of fanout: environment in, handler out. No logic. */
import {
  createConnectionsClient,
  createDynamoClient,
  createS3Client,
  createSqsClient,
} from '../shared/aws-clients';
import { DynamoApiKeys } from '../shared/dynamodb/api-keys';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoObjects } from '../shared/dynamodb/objects';
import { DynamoSubscriptions } from '../shared/dynamodb/subscriptions';
import { ENV, optionalEnv, requireEnv } from '../shared/env';
import { S3Blobs } from '../shared/s3/blobs';
import { SqsDeferredTasks } from '../shared/sqs/deferred-tasks';
import { systemClock } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { GatewayChannels } from '../shared/websocket/channels';
import { createFanout } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));

const app = createFanout({
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  objects: new DynamoObjects(dynamo, requireEnv(ENV.objectsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  blobs: new S3Blobs(createS3Client(), requireEnv(ENV.contentBucket)),
  clock: systemClock,
  apiKeys: new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable)),
  subscriptions: new DynamoSubscriptions(dynamo, requireEnv(ENV.subscriptionsTable)),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  deferredTasks: new SqsDeferredTasks(createSqsClient(), requireEnv(ENV.followUpsQueueUrl)),
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
  meter,
});

export const handler = reporting(meter, app);
