/** The composition root of the internal function: environment in, handler out. No logic. */
import { BucketIds } from '../../core/bucket-ids';
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
import { createMeter } from '../meter';
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
