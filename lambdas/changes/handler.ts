/** The changes function: pages of changes, and requests that wait for one. */
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, parseRateTiers, requireEnv } from '../shared/env';
import { withMetrics } from '../shared/http/app';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { apiKeys, buckets, changeLog, openStores, rates, slots } from '../shared/stores';
import { systemClock, systemIds } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createChanges } from './app';

const meter = createMeter();
const responseMode = parseResponseMode(requireEnv(ENV.responseMode));
const stores = openStores(
  { env: process.env, dynamo: new HttpTables() },
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

export const handler = createHandler(withMetrics(meter, app), responseMode, { log, meter });
