/** The api function: every route of the storage API. */

import { jitteredBackoff, systemClock, systemIds } from '../../adapters/system';
import { BucketIds } from '../../core/buckets/bucket-ids';
import { createApi } from '../../service/storage-api';
import { createDynamoClient, createS3Client } from '../runtime/aws-clients';
import { ENV, parseRateTiers, requireEnv } from '../runtime/env';
import { createHandler, parseResponseMode } from '../runtime/http-handler';
import { withMetrics } from '../runtime/request-metrics';
import { ofEvents } from '../runtime/rest-event';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  commits,
  consumers,
  links,
  objects,
  openStores,
  pendingCopies,
  rates,
  serviceState,
  subscriptions,
  uploads,
} from '../runtime/stores';
import { createMeter } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: createDynamoClient(), s3: createS3Client() },
  {
    apiKeys,
    blobs,
    buckets,
    changeLog,
    commits,
    consumers,
    links,
    objects,
    pendingCopies,
    rates,
    serviceState,
    subscriptions,
    uploads,
  },
);

const app = createApi({
  ...stores,
  bucketIds: new BucketIds(stores.buckets),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  tickets: { subscriptions: stores.subscriptions, syncUrl: requireEnv(ENV.syncUrl) },
  linksAndKeys: { links: stores.links, apiKeys: stores.apiKeys, baseUrl: requireEnv(ENV.baseUrl) },
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  log,
  meter,
  responseMode,
});

export const handler = createHandler(ofEvents(withMetrics(meter, app)), responseMode, {
  log,
  meter,
});
