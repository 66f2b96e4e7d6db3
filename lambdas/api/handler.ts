/** The composition root of the api function: environment in, handler out. No logic. */
import { BucketIds } from '../../core/bucket-ids';
import { createDynamoClient, createS3Client } from '../adapters/clients';
import { DynamoApiKeys } from '../adapters/dynamo-api-keys';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoCommits } from '../adapters/dynamo-commits';
import { DynamoObjects } from '../adapters/dynamo-objects';
import { DynamoRates } from '../adapters/dynamo-rates';
import { DynamoServiceState } from '../adapters/dynamo-service-state';
import { DynamoSubscriptions } from '../adapters/dynamo-subscriptions';
import { DynamoUploads } from '../adapters/dynamo-uploads';
import { S3Blobs } from '../adapters/s3-blobs';
import { jitteredBackoff, systemClock, systemIds } from '../adapters/system';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../env';
import { createHandler, parseResponseMode } from '../http/carrier';
import { log } from '../http/log';
import { measured } from '../http/measured';
import { createMeter } from '../meter';
import { createApi } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));
const tables = {
  buckets: requireEnv(ENV.bucketsTable),
  objects: requireEnv(ENV.objectsTable),
  changes: requireEnv(ENV.changesTable),
  uploads: requireEnv(ENV.uploadsTable),
};
const buckets = new DynamoBuckets(dynamo, tables.buckets, tables.uploads);
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));

const app = createApi({
  buckets,
  bucketIds: new BucketIds(buckets),
  objects: new DynamoObjects(dynamo, tables.objects),
  changeLog: new DynamoChangeLog(dynamo, tables.changes),
  commits: new DynamoCommits(dynamo, tables),
  uploads: new DynamoUploads(dynamo, tables.uploads, systemClock),
  serviceState: new DynamoServiceState(dynamo, tables.buckets),
  blobs: new S3Blobs(createS3Client(), requireEnv(ENV.contentBucket)),
  apiKeys: new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable)),
  rates: new DynamoRates(dynamo, requireEnv(ENV.ratesTable)),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  clock: systemClock,
  ids: systemIds,
  backoff: jitteredBackoff,
  log,
  meter,
  responseMode,
  tickets: {
    subscriptions: new DynamoSubscriptions(dynamo, requireEnv(ENV.subscriptionsTable)),
    syncUrl: requireEnv(ENV.syncUrl),
  },
});

export const handler = createHandler(measured(meter, app), responseMode);
