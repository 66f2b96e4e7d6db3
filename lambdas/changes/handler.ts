/** The changes function: pages of changes, and requests that wait for one. */

import { systemClock, systemIds } from '../../adapters/system';
import { createChanges } from '../../service/changes-api';
import { createDynamoClient } from '../runtime/aws-clients';
import { ENV, parseRateTiers, requireEnv } from '../runtime/env';
import { createHandler, parseResponseMode } from '../runtime/http-handler';
import { withMetrics } from '../runtime/request-metrics';
import { ofEvents } from '../runtime/rest-event';
import { apiKeys, buckets, changeLog, openStores, rates, slots } from '../runtime/stores';
import { createMeter } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: createDynamoClient() },
  { apiKeys, buckets, changeLog, rates, slots },
);

const app = createChanges({
  ...stores,
  rateTiers: parseRateTiers(requireEnv(ENV.rateTiers)),
  maxWaiting: Number(requireEnv(ENV.maxWaiting)),
  clock: systemClock,
  ids: systemIds,
  log,
  meter,
});

export const handler = createHandler(ofEvents(withMetrics(meter, app)), responseMode, {
  log,
  meter,
});
