/** The composition root of sync: environment in, handler out. No logic. */
import {
  createConnectionsClient,
  createDynamoClient,
  createSqsClient,
} from '../shared/aws-clients';
import { DynamoApiKeys } from '../shared/dynamodb/api-keys';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoRates } from '../shared/dynamodb/rates';
import { DynamoSubscriptions } from '../shared/dynamodb/subscriptions';
import { ENV, optionalEnv, parseAllowedOrigins, parseRateTiers, requireEnv } from '../shared/env';
import { SqsDeferredTasks } from '../shared/sqs/deferred-tasks';
import { systemClock } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { GatewayChannels } from '../shared/websocket/channels';
import { createChannel } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));

const app = createChannel({
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  apiKeys: new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable)),
  subscriptions: new DynamoSubscriptions(dynamo, requireEnv(ENV.subscriptionsTable)),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  deferredTasks: new SqsDeferredTasks(createSqsClient(), requireEnv(ENV.followUpsQueueUrl)),
  allowedOrigins: parseAllowedOrigins(requireEnv(ENV.allowedOrigins)),
  rates: new DynamoRates(dynamo, requireEnv(ENV.ratesTable)),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  clock: systemClock,
  log,
  meter,
});

export const handler = reporting(meter, app);
