/** The composition root of ingest: environment in, handler out. No logic. */
import { createDynamoClient, createS3Client } from '../shared/aws-clients';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoCommits } from '../shared/dynamodb/commits';
import { DynamoObjects } from '../shared/dynamodb/objects';
import { DynamoUploads } from '../shared/dynamodb/uploads';
import { ENV, optionalEnv, requireEnv } from '../shared/env';
import { S3Blobs } from '../shared/s3/blobs';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
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
