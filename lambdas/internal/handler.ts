/** The composition root of the internal function: environment in, handler out. No logic. */
import { BucketIds } from '../../core/objects/bucket-ids';
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
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createInternal } from './app';
import { parseGrants } from './grants';

const dynamo = createDynamoClient();
const tables = {
  buckets: requireEnv(ENV.bucketsTable),
  objects: requireEnv(ENV.objectsTable),
  changes: requireEnv(ENV.changesTable),
  uploads: requireEnv(ENV.uploadsTable),
};
const buckets = new DynamoBuckets(dynamo, tables.buckets, tables.uploads);

export const handler = createInternal(
  {
    buckets,
    bucketIds: new BucketIds(buckets),
    objects: new DynamoObjects(dynamo, tables.objects),
    changeLog: new DynamoChangeLog(dynamo, tables.changes),
    commits: new DynamoCommits(dynamo, tables),
    uploads: new DynamoUploads(dynamo, tables.uploads, systemClock),
    serviceState: new DynamoServiceState(dynamo, tables.buckets),
    blobs: new S3Blobs(createS3Client(), requireEnv(ENV.contentBucket)),
    clock: systemClock,
    ids: systemIds,
    backoff: jitteredBackoff,
    log,
    meter: createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics)),
    // An answer of Invoke is buffered.
    responseMode: 'buffered',
  },
  parseGrants(requireEnv(ENV.grants)),
);
