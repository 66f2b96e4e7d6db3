/** The revocation function: closes the channels of revoked API keys. */
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, requireEnv } from '../shared/env';
import { apiKeys, openStores, rates, slots, subscriptions } from '../shared/stores';
import { systemClock } from '../shared/system';
import { log } from '../shared/telemetry/log';
import { GatewayChannels } from '../shared/websocket/channels';
import { createConnectionsClient } from '../shared/websocket/connections-client';
import { createRevocation } from './app';

export const handler = createRevocation({
  ...openStores(
    { env: process.env, dynamo: new HttpTables() },
    { apiKeys, rates, slots, subscriptions },
  ),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  clock: systemClock,
  log,
});
