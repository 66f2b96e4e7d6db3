/** The composition root of the janitor: environment in, handler out. No logic. */
import { createDynamoClient, createS3Client } from '../adapters/clients';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoCommits } from '../adapters/dynamo-commits';
import { DynamoObjects } from '../adapters/dynamo-objects';
import { DynamoServiceState } from '../adapters/dynamo-service-state';
import { DynamoUploads } from '../adapters/dynamo-uploads';
import { S3Blobs } from '../adapters/s3-blobs';
import { jitteredBackoff, systemClock, systemIds } from '../adapters/system';
import { ENV, optionalEnv, requireEnv } from '../env';
import { log } from '../http/log';
import { createMeter, reporting } from '../meter';
import { createJanitor } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));
const tables = {
  buckets: requireEnv(ENV.bucketsTable),
  objects: requireEnv(ENV.objectsTable),
  changes: requireEnv(ENV.changesTable),
  uploads: requireEnv(ENV.uploadsTable),
};

const app = createJanitor({
  buckets: new DynamoBuckets(dynamo, tables.buckets, tables.uploads),
  objects: new DynamoObjects(dynamo, tables.objects),
  changeLog: new DynamoChangeLog(dynamo, tables.changes),
  commits: new DynamoCommits(dynamo, tables),
  uploads: new DynamoUploads(dynamo, tables.uploads, systemClock),
  serviceState: new DynamoServiceState(dynamo, tables.buckets),
  blobs: new S3Blobs(createS3Client(), requireEnv(ENV.contentBucket)),
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
  meter,
});

export const handler = reporting(meter, app);
