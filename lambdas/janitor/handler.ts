/** The janitor function: scheduled maintenance. */
import { createS3Client } from '../shared/aws-clients';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, requireEnv } from '../shared/env';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  commits,
  objects,
  openStores,
  serviceState,
  uploads,
} from '../shared/stores';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createJanitor } from './app';

const meter = createMeter();

const janitor = createJanitor({
  ...openStores(
    { env: process.env, dynamo: new HttpTables(), s3: createS3Client() },
    { apiKeys, blobs, buckets, changeLog, commits, objects, serviceState, uploads },
  ),
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
  meter,
});

export const handler = reporting(meter, janitor);
