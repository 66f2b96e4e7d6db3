/** The composition root of the authorizer: environment in, handler out. No logic. */
import { createDynamoClient } from '../adapters/clients';
import { DynamoApiKeys } from '../adapters/dynamo-api-keys';
import { systemClock } from '../adapters/system';
import { ENV, requireEnv } from '../env';
import { log } from '../http/log';
import { createAuthorizer } from './app';

export const handler = createAuthorizer({
  apiKeys: new DynamoApiKeys(createDynamoClient(), requireEnv(ENV.apiKeysTable)),
  clock: systemClock,
  log,
});
