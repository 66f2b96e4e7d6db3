/** The composition root of the download function: environment in, handler out. No logic. */
import { BucketIds } from '../../core/objects/bucket-ids';
import { createDynamoClient, createS3Client } from '../shared/aws-clients';
import { DynamoApiKeys } from '../shared/dynamodb/api-keys';
import { DynamoBuckets } from '../shared/dynamodb/buckets';
import { DynamoChangeLog } from '../shared/dynamodb/change-log';
import { DynamoObjects } from '../shared/dynamodb/objects';
import { DynamoRates } from '../shared/dynamodb/rates';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../shared/env';
import { createHandler, parseResponseMode } from '../shared/http/response-transport';
import { withMetrics } from '../shared/http/with-metrics';
import { S3Blobs } from '../shared/s3/blobs';
import { systemClock } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createDownload } from './app';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));

const app = createDownload({
  bucketIds: new BucketIds(new DynamoBuckets(dynamo, requireEnv(ENV.bucketsTable))),
  objects: new DynamoObjects(dynamo, requireEnv(ENV.objectsTable)),
  changeLog: new DynamoChangeLog(dynamo, requireEnv(ENV.changesTable)),
  blobs: new S3Blobs(createS3Client(), requireEnv(ENV.contentBucket)),
  apiKeys: new DynamoApiKeys(dynamo, requireEnv(ENV.apiKeysTable)),
  rates: new DynamoRates(dynamo, requireEnv(ENV.ratesTable)),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  clock: systemClock,
  log,
  meter,
  responseMode,
});

export const handler = createHandler(withMetrics(meter, app), responseMode);
