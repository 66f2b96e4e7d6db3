/** The authorizer function: authenticates API keys for API Gateway. */

import { createDynamoClient } from '../runtime/aws-clients';
import { apiKeys, openStores, serviceState } from '../runtime/stores';
import { systemClock } from '../runtime/system';
import { log } from '../runtime/telemetry/log';
import { createAuthorizer } from './app';

export const handler = createAuthorizer({
  ...openStores({ env: process.env, dynamo: createDynamoClient() }, { apiKeys, serviceState }),
  clock: systemClock,
  log,
});
