import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { type FunctionsProps, forRequests } from './functions-props';
import { ServiceFunction } from './service-function';
import { wakeByApiKeys } from './streams';

/**
 * Closes the channels of revoked API keys and narrows those of changed ones. Invoked for each
 * change of an API key, because any may end what its channels may follow. Processor time comes with
 * memory, and a key's thousand channels must be closed within seconds.
 */
export function createRevocationFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { tables, channelApi } = props;
  const revocation = new ServiceFunction(scope, 'Revocation', {
    ...forRequests(props),
    bundle: 'revocation',
    description: 'Closes and narrows the channels of revoked and changed API keys',
    timeout: Duration.minutes(1),
    reserved: props.reservedConcurrency?.revocation,
    environment: {
      [ENV.apiKeysTable]: tables.apiKeys.tableName,
      [ENV.ratesTable]: tables.rates.tableName,
      [ENV.subscriptionsTable]: tables.subscriptions.tableName,
      [ENV.connectionsEndpoint]: channelApi.connectionsEndpoint,
    },
  });
  tables.grantAuthorize(revocation);
  tables.grantMarkKeyChanged(revocation);
  tables.grantRevoke(revocation);
  channelApi.grantPost(revocation);
  channelApi.grantDisconnect(revocation);
  wakeByApiKeys(props.service, 'ApiKeysToRevocation', revocation, props);
  return revocation;
}
