/** The download function: GET and HEAD of an object, by API Gateway or past it. */
import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { BucketIds } from '../../core/objects/bucket-ids';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, parseRateTiers, requireEnv } from '../shared/env';
import { withMetrics } from '../shared/http/app';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { connectS3 } from '../shared/s3/s3-connection';
import { apiKeys, blobs, buckets, changeLog, objects, openStores, rates } from '../shared/stores';
import { systemClock } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createDownload } from './app';
import { createDirectDownload, isDirect } from './direct';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: new HttpTables(), s3: connectS3() },
  { apiKeys, blobs, buckets, changeLog, objects, rates },
);

const deps = {
  ...stores,
  bucketIds: new BucketIds(stores.buckets),
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  clock: systemClock,
  log,
  meter,
  responseMode,
};

const app = withMetrics(meter, createDownload(deps));
const direct = createDirectDownload(deps, app);

export const handler = createHandler(
  (event: APIGatewayProxyEvent | LambdaFunctionURLEvent) =>
    isDirect(event) ? direct(event) : app(event),
  responseMode,
  { log, meter },
);
