/** The internal function: the storage API for principals of the account, by Invoke. */
import { BucketIds } from '../../core/objects/bucket-ids';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, requireEnv } from '../shared/env';
import { connectS3 } from '../shared/s3/s3-connection';
import {
  blobs,
  buckets,
  changeLog,
  commits,
  consumers,
  objects,
  openStores,
  pendingCopies,
  serviceState,
  uploads,
} from '../shared/stores';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createInternal } from './app';
import { parseGrants } from './grants';

const stores = openStores(
  { env: process.env, dynamo: new HttpTables(), s3: connectS3() },
  {
    blobs,
    buckets,
    changeLog,
    commits,
    consumers,
    objects,
    pendingCopies,
    serviceState,
    uploads,
  },
);

export const handler = createInternal(
  {
    ...stores,
    bucketIds: new BucketIds(stores.buckets),
    clock: systemClock,
    ids: systemIds,
    backoff: jitteredBackoff,
    log,
    meter: createMeter(),
    // The response of Invoke is buffered.
    responseMode: 'buffered',
  },
  parseGrants(requireEnv(ENV.grants)),
);
