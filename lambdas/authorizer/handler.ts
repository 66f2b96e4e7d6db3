/** The authorizer function: authenticates API keys for API Gateway. */

import { systemClock } from '../../adapters/system';
import { createDynamoClient } from '../runtime/aws-clients';
import { apiKeys, openStores, serviceState } from '../runtime/stores';
import { log } from '../runtime/telemetry/log';
import { createAuthorizer } from './app';

export const handler = createAuthorizer({
  ...openStores({ env: process.env, dynamo: createDynamoClient() }, { apiKeys, serviceState }),
  clock: systemClock,
  log,
});
