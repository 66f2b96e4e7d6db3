/** The fanout function: publishes changes to channels. */

import { SqsDeferredTasks } from '../../adapters/sqs/deferred-tasks';
import { systemClock, systemIds } from '../../adapters/system';
import { GatewayChannels } from '../../adapters/websocket/channels';
import {
  createConnectionsClient,
  createDynamoClient,
  createS3Client,
  createSqsClient,
} from '../runtime/aws-clients';
import { ENV, parseRateTiers, requireEnv } from '../runtime/env';
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
} from '../runtime/stores';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createFanout } from './app';

const meter = createMeter();

const fanout = createFanout({
  ...openStores(
    { env: process.env, dynamo: createDynamoClient(), s3: createS3Client() },
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
