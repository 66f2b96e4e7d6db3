/** The janitor function: scheduled maintenance. */

import { HttpTables } from '../../adapters/dynamodb/tables/http-tables';
import { connectS3 } from '../../adapters/s3/s3-connection';
import { createS3Client } from '../runtime/aws-clients';
import { ENV, requireEnv } from '../runtime/env';
import {
  apiKeys,
  buckets,
  changeLog,
  commits,
  consumers,
  listedBlobs,
  objects,
  openStores,
  partCopies,
  pendingCopies,
  serviceState,
  uploads,
} from '../runtime/stores';
import { jitteredBackoff, systemClock, systemIds } from '../runtime/system';
import { createMeter, reporting } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createJanitor } from './app';

const meter = createMeter();

const { listedBlobs: blobs, ...stores } = openStores(
  {
    env: process.env,
    dynamo: new HttpTables(),
    s3: connectS3(),
    s3Client: createS3Client(),
  },
  {
    apiKeys,
    buckets,
    changeLog,
    commits,
    consumers,
    listedBlobs,
    objects,
    pendingCopies,
    serviceState,
    uploads,
  },
);

/** S3 may be silent while it copies or completes. */
const COPY_TIMEOUT_MS = 120_000;

const janitor = createJanitor({
  ...stores,
  ...openStores(
    { env: process.env, s3: connectS3({ requestTimeout: COPY_TIMEOUT_MS }) },
    { partCopies },
  ),
  blobs,
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
  meter,
});

export const handler = reporting(meter, janitor);
