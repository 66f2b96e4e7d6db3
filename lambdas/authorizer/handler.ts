/** The authorizer function: authenticates API keys for API Gateway. */
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { apiKeys, openStores, serviceState } from '../shared/stores';
import { systemClock } from '../shared/system';
import { log } from '../shared/telemetry/log';
import { createAuthorizer } from './app';

export const handler = createAuthorizer({
  ...openStores({ env: process.env, dynamo: new HttpTables() }, { apiKeys, serviceState }),
  clock: systemClock,
  log,
});
