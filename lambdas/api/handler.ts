/** The composition root of the api function: environment in, handler out. No logic. */
import { BucketIds } from '../../core/objects/bucket-ids';
import { createDynamoClient, createS3Client } from '../shared/aws-clients';
import { DynamoApiKeys } from '../shared/dynamodb/api-keys';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoCommits } from '../shared/dynamodb/commits';
import { DynamoObjects } from '../shared/dynamodb/objects';
import { DynamoRates } from '../shared/dynamodb/rates';
import { DynamoServiceState } from '../shared/dynamodb/service-state';
import { DynamoSubscriptions } from '../shared/dynamodb/subscriptions';
import { DynamoUploads } from '../shared/dynamodb/uploads';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../shared/env';
import { createHandler, parseResponseMode } from '../shared/http/response-transport';
import { withMetrics } from '../shared/http/with-metrics';
import { S3Blobs } from '../shared/s3/blobs';
import { jitteredBackoff, systemClock, systemIds } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
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

export const handler = createHandler(withMetrics(meter, app), responseMode);
