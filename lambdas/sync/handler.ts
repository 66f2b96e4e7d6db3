/** The composition root of sync: environment in, handler out. No logic. */
import { createConnectionsClient, createDynamoClient, createSqsClient } from '../adapters/clients';
import { DynamoApiKeys } from '../adapters/dynamo-api-keys';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoRates } from '../adapters/dynamo-rates';
import { DynamoSubscriptions } from '../adapters/dynamo-subscriptions';
import { GatewayChannels } from '../adapters/gateway-channels';
import { SqsFollowUps } from '../adapters/sqs-follow-ups';
import { systemClock } from '../adapters/system';
import { ENV, optionalEnv, parseAllowedOrigins, parseRateTiers, requireEnv } from '../env';
import { log } from '../http/log';
import { createMeter, reporting } from '../meter';
import { createSync } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));

const app = createSync({
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  apiKeys: new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable)),
  subscriptions: new DynamoSubscriptions(dynamo, requireEnv(ENV.subscriptionsTable)),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  followUps: new SqsFollowUps(createSqsClient(), requireEnv(ENV.followUpsQueueUrl)),
  allowedOrigins: parseAllowedOrigins(requireEnv(ENV.allowedOrigins)),
  rates: new DynamoRates(dynamo, requireEnv(ENV.ratesTable)),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  clock: systemClock,
  log,
  meter,
});

export const handler = reporting(meter, app);
