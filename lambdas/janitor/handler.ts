/** The composition root of the janitor: environment in, handler out. No logic. */
import { createDynamoClient, createS3Client } from '../shared/aws-clients';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoCommits } from '../shared/dynamodb/commits';
import { DynamoObjects } from '../shared/dynamodb/objects';
import { DynamoServiceState } from '../shared/dynamodb/service-state';
import { DynamoUploads } from '../shared/dynamodb/uploads';
import { ENV, optionalEnv, requireEnv } from '../shared/env';
import { S3Blobs } from '../shared/s3/blobs';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter, reporting } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
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
