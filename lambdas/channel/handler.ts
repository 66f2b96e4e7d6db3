/** The channel function: the WebSocket API's routes. */
import { createSqsClient } from '../shared/aws-clients';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import {
  ENV,
  optionalEnv,
  parseAllowedOrigins,
  parseRateTiers,
  parseTexts,
  requireEnv,
} from '../shared/env';
import { SqsDeferredTasks } from '../shared/sqs/deferred-tasks';
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
} from '../shared/stores';
import { systemClock } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { GatewayChannels } from '../shared/websocket/channels';
import { createConnectionsClient } from '../shared/websocket/connections-client';
import { createChannel } from './app';
import { fromEdge } from './from-edge';

const meter = createMeter();

const channel = createChannel({
  ...openStores(
    { env: process.env, dynamo: new HttpTables() },
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
