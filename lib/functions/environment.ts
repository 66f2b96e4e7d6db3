/** Groups of environment variables that several functions get. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV, type EnvName } from '../../lambdas/runtime/env';
import type { Tables } from '../storage/tables';
import type { MetricsReporting } from './functions-options';
import type { FunctionsProps } from './functions-props';

export type Variables = Readonly<Partial<Record<EnvName, string>>>;

/** The tables of buckets, of current records and of the change log. */
export function logVariables(tables: Tables): Variables {
  return {
    [ENV.bucketsTable]: tables.buckets.tableName,
    [ENV.objectsTable]: tables.objects.tableName,
    [ENV.changesTable]: tables.changes.tableName,
  };
}

/** The variables for counting requests against the limits of their API key. */
export function limitVariables(
  scope: Construct,
  { tables, rateTiers }: Pick<FunctionsProps, 'tables' | 'rateTiers'>,
): Variables {
  return {
    [ENV.apiKeysTable]: tables.apiKeys.tableName,
    [ENV.ratesTable]: tables.rates.tableName,
    [ENV.rateTiers]: Stack.of(scope).toJsonString(rateTiers),
  };
}

/** Whether the function streams or buffers its response to API Gateway. */
export function responseVariables({
  responseStreaming,
}: Pick<FunctionsProps, 'responseStreaming'>): Variables {
  return { [ENV.responseMode]: responseStreaming ? 'stream' : 'buffered' };
}

/** Empty when the functions report no metrics. */
export function metricsVariables({ namespace, level }: MetricsReporting): Variables {
  return level === undefined ? {} : { [ENV.metricsNamespace]: namespace, [ENV.metrics]: level };
}
