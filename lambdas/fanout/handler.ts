/** The composition root of fanout: environment in, handler out. No logic. */
import {
  createConnectionsClient,
  createDynamoClient,
  createS3Client,
  createSqsClient,
} from '../adapters/clients';
import { DynamoApiKeys } from '../adapters/dynamo-api-keys';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoObjects } from '../adapters/dynamo-objects';
import { DynamoSubscriptions } from '../adapters/dynamo-subscriptions';
import { GatewayChannels } from '../adapters/gateway-channels';
import { S3Blobs } from '../adapters/s3-blobs';
import { SqsFollowUps } from '../adapters/sqs-follow-ups';
import { systemClock } from '../adapters/system';
import { ENV, optionalEnv, requireEnv } from '../env';
import { log } from '../http/log';
import { createMeter, reporting } from '../meter';
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
  followUps: new SqsFollowUps(createSqsClient(), requireEnv(ENV.followUpsQueueUrl)),
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
  meter,
});

export const handler = reporting(meter, app);
