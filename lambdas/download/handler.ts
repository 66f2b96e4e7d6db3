/** The composition root of the download function: environment in, handler out. No logic. */
import { BucketIds } from '../../core/bucket-ids';
import { createDynamoClient, createS3Client } from '../adapters/clients';
import { DynamoApiKeys } from '../adapters/dynamo-api-keys';
import { DynamoBuckets } from '../adapters/dynamo-buckets';
import { DynamoChangeLog } from '../adapters/dynamo-change-log';
import { DynamoObjects } from '../adapters/dynamo-objects';
import { DynamoRates } from '../adapters/dynamo-rates';
import { S3Blobs } from '../adapters/s3-blobs';
import { systemClock } from '../adapters/system';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../env';
import { createHandler, parseResponseMode } from '../http/carrier';
import { log } from '../http/log';
import { measured } from '../http/measured';
import { createMeter } from '../meter';
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

export const handler = createHandler(measured(meter, app), responseMode);
