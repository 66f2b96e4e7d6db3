/** The download function: GET and HEAD of an object, by API Gateway or past it. */
import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { systemClock } from '../../adapters/system';
import { BucketIds } from '../../core/buckets/bucket-ids';
import { createDownload } from '../../service/download-api';
import { createLinks, isLink } from '../../service/links/links';
import { createDynamoClient, createS3Client } from '../runtime/aws-clients';
import { ENV, parseRateTiers, requireEnv } from '../runtime/env';
import { createHandler, parseResponseMode } from '../runtime/http-handler';
import { withMetrics } from '../runtime/request-metrics';
import { requestOf } from '../runtime/rest-event';
import {
  apiKeys,
  blobs,
  buckets,
  changeLog,
  links,
  objects,
  openStores,
  rates,
} from '../runtime/stores';
import { createMeter } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { createDirectDownload, isDirect } from './direct';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: createDynamoClient(), s3: createS3Client() },
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
  async (request) => createLinks({ ...deps, contentOrigin: await stores.blobs.origin() })(request),
  { route: () => 'openLink' },
);

export const handler = createHandler(
  async (event: APIGatewayProxyEvent | LambdaFunctionURLEvent) => {
    if (isDirect(event)) return direct(event);
    const request = requestOf(event);
    return isLink(request) ? linksApp(request) : app(request);
  },
  responseMode,
  { log, meter },
);
