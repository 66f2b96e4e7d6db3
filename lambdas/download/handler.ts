/** The download function: GET and HEAD of an object, by API Gateway or past it. */
import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { BucketIds } from '../../core/objects/bucket-ids';
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, parseRateTiers, requireEnv } from '../shared/env';
import { withMetrics } from '../shared/http/app';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { connectS3 } from '../shared/s3/s3-connection';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  links,
  objects,
  openStores,
  rates,
} from '../shared/stores';
import { systemClock } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createDownload } from './app';
import { createDirectDownload, isDirect } from './direct';
import { createLinks, isLink } from './links';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: new HttpTables(), s3: connectS3() },
  { apiKeys, blobs, buckets, changeLog, links, objects, rates },
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

const download = createDownload(deps);
const app = withMetrics(meter, download);
const direct = createDirectDownload(deps, download);
const linksApp = withMetrics(
  meter,
  createLinks({ ...deps, contentOrigin: stores.blobs.origin }),
  () => 'openLink',
);

export const handler = createHandler(
  async (event: APIGatewayProxyEvent | LambdaFunctionURLEvent) => {
    if (isDirect(event)) return direct(event);
    return isLink(event) ? linksApp(event) : app(event);
  },
  responseMode,
  { log, meter },
);
