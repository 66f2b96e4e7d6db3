import { Tokenization } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { DEFAULT_MAX_WAITING } from './concurrency';
import { limitVariables, metricsVariables, responseVariables } from './environment';
import { type FunctionsProps, forBackground } from './functions-props';
import { ServiceFunction } from './service-function';

/**
 * Serves pages of changes, for which a request may wait. A function of its own, so that requests
 * that wait occupy no instance of another one. It has the memory of a background function: Lambda
 * bills the memory for as long as a request waits. Invoked by the REST API: gateway/rest-api.ts.
 */
export function createChangesFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { tables, maxWaiting = DEFAULT_MAX_WAITING } = props;
  const changes = new ServiceFunction(scope, 'Changes', {
    ...forBackground(props),
    bundle: 'changes',
    description: 'Serves pages of changes, and requests that wait for a change',
    timeout: props.apiTimeout,
    reserved: props.reservedConcurrency?.changes,
    environment: {
      [ENV.bucketsTable]: tables.buckets.tableName,
      [ENV.changesTable]: tables.changes.tableName,
      ...limitVariables(scope, props),
      [ENV.maxWaiting]: Tokenization.stringifyNumber(maxWaiting),
      ...responseVariables(props),
      ...metricsVariables(props.reporting),
    },
  });
  tables.grantLimit(changes);
  tables.grantFollowLog(changes);
  return changes;
}
