/** The internal function: the storage API for principals of the account, by Invoke. */

import { jitteredBackoff, systemClock, systemIds } from '../../adapters/system';
import { BucketIds } from '../../core/buckets/bucket-ids';
import { createDynamoClient, createS3Client } from '../runtime/aws-clients';
import { ENV, requireEnv } from '../runtime/env';
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
} from '../runtime/stores';
import { createMeter } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createInternal } from './app';
import { parseGrants } from './grants';

const stores = openStores(
  { env: process.env, dynamo: createDynamoClient(), s3: createS3Client() },
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
