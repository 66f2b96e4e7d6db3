/** The composition root of revocation: environment in, handler out. No logic. */
import { createConnectionsClient, createDynamoClient } from '../adapters/clients';
import { DynamoApiKeys } from '../adapters/dynamo-api-keys';
import { DynamoRates } from '../adapters/dynamo-rates';
import { DynamoSubscriptions } from '../adapters/dynamo-subscriptions';
import { GatewayChannels } from '../adapters/gateway-channels';
import { systemClock } from '../adapters/system';
import { ENV, requireEnv } from '../env';
import { log } from '../http/log';
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
