/** The api function: every route of the storage API. */
import { BucketIds } from '../../core/objects/bucket-ids';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, parseRateTiers, requireEnv } from '../shared/env';
import { withMetrics } from '../shared/http/app';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { connectS3 } from '../shared/s3/s3-connection';
import { createApi } from '../shared/storage-api';
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
} from '../shared/stores';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: new HttpTables(), s3: connectS3() },
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

export const handler = createHandler(withMetrics(meter, app), responseMode, { log, meter });
