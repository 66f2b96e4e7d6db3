/** The composition root of the authorizer: environment in, handler out. No logic. */
import { createDynamoClient } from '../shared/aws-clients';
import { DynamoApiKeys } from '../shared/dynamodb/api-keys';
import { ENV, requireEnv } from '../shared/env';
import { systemClock } from '../shared/system';
import { log } from '../shared/telemetry/log';
import { createAuthorizer } from './app';

export const handler = createAuthorizer({
  apiKeys: new DynamoApiKeys(createDynamoClient(), requireEnv(ENV.apiKeysTable)),
  clock: systemClock,
  log,
});
