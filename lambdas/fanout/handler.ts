/** The fanout function: publishes changes to channels. */
import { createSqsClient } from '../shared/aws-clients';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, parseRateTiers, requireEnv } from '../shared/env';
import { connectS3 } from '../shared/s3/s3-connection';
import { SqsDeferredTasks } from '../shared/sqs/deferred-tasks';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  consumers,
  objects,
  openStores,
  rates,
  slots,
  subscriptions,
} from '../shared/stores';
import { systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { GatewayChannels } from '../shared/websocket/channels';
import { createConnectionsClient } from '../shared/websocket/connections-client';
import { createFanout } from './app';

const meter = createMeter();

const fanout = createFanout({
  ...openStores(
    { env: process.env, dynamo: new HttpTables(), s3: connectS3() },
    { apiKeys, blobs, buckets, changeLog, consumers, objects, rates, slots, subscriptions },
  ),
  channels: new GatewayChannels(createConnectionsClient(requireEnv(ENV.connectionsEndpoint))),
  deferredTasks: new SqsDeferredTasks(createSqsClient(), requireEnv(ENV.followUpsQueueUrl)),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  clock: systemClock,
  ids: systemIds,
  log,
  meter,
});

export const handler = reporting(meter, fanout);
