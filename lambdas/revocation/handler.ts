/** The composition root of revocation: environment in, handler out. No logic. */
import { createConnectionsClient, createDynamoClient } from '../shared/aws-clients';
import { DynamoApiKeys } from '../shared/dynamodb/api-keys';
import { DynamoRates } from '../shared/dynamodb/rates';
import { DynamoSubscriptions } from '../shared/dynamodb/subscriptions';
import { ENV, requireEnv } from '../shared/env';
import { systemClock } from '../shared/system';
import { log } from '../shared/telemetry/log';
import { GatewayChannels } from '../shared/websocket/channels';
import { createRevocation } from './app';

const dynamo = createDynamoClient();

export const handler = createRevocation({
  apiKeys: new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable)),
  subscriptions: new DynamoSubscriptions(dynamo, requireEnv(ENV.subscriptionsTable)),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  rates: new DynamoRates(dynamo, requireEnv(ENV.ratesTable)),
  clock: systemClock,
  log,
});
