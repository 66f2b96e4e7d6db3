/** The janitor function: scheduled maintenance. */
import { createS3Client } from '../shared/aws-clients';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, requireEnv } from '../shared/env';
import { connectS3 } from '../shared/s3/s3-connection';
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
} from '../shared/stores';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
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
