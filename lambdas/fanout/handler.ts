/** The composition root of fanout: environment in, handler out. No logic. */
import { createDynamoClient, createS3Client } from '../adapters/clients';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoObjects } from '../adapters/dynamo-objects';
import { S3Blobs } from '../adapters/s3-blobs';
import { systemClock } from '../adapters/system';
import { ENV, requireEnv } from '../env';
import { log } from '../http/log';
import { createFanout } from './app';

const dynamo = createDynamoClient();

export const handler = createFanout({
  buckets: new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable)),
  objects: new DynamoObjects(dynamo, requireEnv(ENV.objectsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  blobs: new S3Blobs(createS3Client(), requireEnv(ENV.contentBucket)),
  clock: systemClock,
  retentionSeconds: Number(requireEnv(ENV.retentionSeconds)),
  log,
});
