/** The revocation function: closes the channels of revoked API keys. */

import { systemClock } from '../../adapters/system';
import { GatewayChannels } from '../../adapters/websocket/channels';
import { createConnectionsClient, createDynamoClient } from '../runtime/aws-clients';
import { ENV, requireEnv } from '../runtime/env';
import { apiKeys, openStores, rates, slots, subscriptions } from '../runtime/stores';
import { log } from '../runtime/telemetry/log';
import { createRevocation } from './app';

export const handler = createRevocation({
  ...openStores(
    { env: process.env, dynamo: createDynamoClient() },
    { apiKeys, rates, slots, subscriptions },
  ),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  clock: systemClock,
  log,
});
