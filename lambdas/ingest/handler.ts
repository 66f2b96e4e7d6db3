/** The composition root of ingest: environment in, handler out. No logic. */
import { createDynamoClient, createS3Client } from '../adapters/clients';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoCommits } from '../adapters/dynamo-commits';
import { DynamoObjects } from '../adapters/dynamo-objects';
import { DynamoUploads } from '../adapters/dynamo-uploads';
import { S3Blobs } from '../adapters/s3-blobs';
import { jitteredBackoff, systemClock, systemIds } from '../adapters/system';
import { ENV, optionalEnv, requireEnv } from '../env';
import { log } from '../http/log';
import { createMeter, reporting } from '../meter';
import { createIngest } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));
const s3 = createS3Client();
const tables = {
  objects: requireEnv(ENV.objectsTable),
  changes: requireEnv(ENV.changesTable),
  uploads: requireEnv(ENV.uploadsTable),
};
const ports = {
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  objects: new DynamoObjects(dynamo, tables.objects),
  changeLog: new DynamoChangeLog(dynamo, tables.changes),
  commits: new DynamoCommits(dynamo, tables),
  uploads: new DynamoUploads(dynamo, tables.uploads, systemClock),
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  log,
  meter,
};

const ingest = createIngest((bucketName) => ({
  ...ports,
  blobs: new S3Blobs(s3, bucketName),
}));

export const handler = reporting(meter, ingest);
