/** The channel function: the WebSocket API's routes. */

import { SqsDeferredTasks } from '../../adapters/sqs/deferred-tasks';
import { systemClock } from '../../adapters/system';
import { GatewayChannels } from '../../adapters/websocket/channels';
import {
  createConnectionsClient,
  createDynamoClient,
  createSqsClient,
} from '../runtime/aws-clients';
import {
  ENV,
  optionalEnv,
  parseAllowedOrigins,
  parseRateTiers,
  parseTexts,
  requireEnv,
} from '../runtime/env';
import {
  apiKeys,
  buckets,
  changeLog,
  consumers,
  openStores,
  rates,
  serviceState,
  slots,
  subscriptions,
} from '../runtime/stores';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createChannel } from './app';
import { fromEdge } from './from-edge';

const meter = createMeter();

const channel = createChannel({
  ...openStores(
    { env: process.env, dynamo: createDynamoClient() },
    { apiKeys, buckets, changeLog, consumers, rates, serviceState, slots, subscriptions },
  ),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  deferredTasks: new SqsDeferredTasks(createSqsClient(), requireEnv(ENV.followUpsQueueUrl)),
  allowedOrigins: parseAllowedOrigins(requireEnv(ENV.allowedOrigins)),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  clock: systemClock,
  log,
  meter,
});

const secrets = optionalEnv(ENV.originSecrets);
const parsed = secrets === undefined ? undefined : parseTexts(ENV.originSecrets, secrets);

export const handler = reporting(meter, fromEdge(parsed, channel));
