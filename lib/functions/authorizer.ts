import { Duration } from 'aws-cdk-lib';
import { ApplicationLogLevel } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { type FunctionsProps, forRequests } from './functions-props';
import { ServiceFunction } from './service-function';

/** Checks API keys. Invoked by the REST API, which caches the result: gateway/rest-api.ts. */
export function createAuthorizerFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { tables } = props;
  const authorizer = new ServiceFunction(scope, 'Authorizer', {
    ...forRequests(props),
    bundle: 'authorizer',
    description: 'Checks API keys for the gateway',
    timeout: Duration.seconds(5),
    reserved: props.reservedConcurrency?.authorizer,
    // API Gateway needs an error for each refused key: lambdas/authorizer/app.ts.
    logLevel: ApplicationLogLevel.FATAL,
    environment: {
      [ENV.apiKeysTable]: tables.apiKeys.tableName,
      [ENV.bucketsTable]: tables.buckets.tableName,
    },
  });
  tables.grantAuthorize(authorizer);
  tables.grantCheckTemporaryKeys(authorizer);
  return authorizer;
}
