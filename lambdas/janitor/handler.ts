/** The janitor function: scheduled maintenance. */

import { jitteredBackoff, systemClock, systemIds } from '../../adapters/system';
import { createDynamoClient, createS3Client } from '../runtime/aws-clients';
import { ENV, requireEnv } from '../runtime/env';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  commits,
  consumers,
  objects,
  openStores,
  partCopies,
  pendingCopies,
  serviceState,
  uploads,
} from '../runtime/stores';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createJanitor } from './app';

const meter = createMeter();

const stores = openStores(
  { env: process.env, dynamo: createDynamoClient(), s3: createS3Client() },
  {
    apiKeys,
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

/** S3 may be silent while it copies or completes. */
const COPY_TIMEOUTS = { request: 120_000, idle: 120_000 };

const janitor = createJanitor({
  ...stores,
  ...openStores({ env: process.env, s3: createS3Client({}, COPY_TIMEOUTS) }, { partCopies }),
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
  meter,
});

export const handler = reporting(meter, janitor);
