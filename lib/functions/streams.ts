/** Event source mappings of the DynamoDB streams, each with the grants that Lambda needs for it. */
import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Queues } from '../storage/queues';
import type { Tables } from '../storage/tables';
import type { ServiceFunction } from './service-function';

/** The streams, and the queue for batches that keep failing. */
export interface StreamStores {
  readonly tables: Tables;
  readonly queues: Queues;
}

/**
 * Wakes the function for each new entry of a change log. A stream record is only a wake-up: the
 * function reads the log itself, and a scheduled sweep finds what no record announced. So Lambda
 * soon drops a batch that keeps failing, instead of blocking its shard for the 24 hours of a
 * stream.
 */
export function wakeByChanges(
  scope: Construct,
  id: string,
  fn: ServiceFunction,
  { tables, queues }: StreamStores,
): void {
  tables.grantReadChangesStream(fn);
  queues.grantReportFailures(fn);
  new lambda.EventSourceMapping(scope, id, {
    ...streamOptions(fn, queues),
    eventSourceArn: tables.changesStreamArn,
    // Each entry is removed once, by trimming, which needs no wake-up.
    filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.isEqual('INSERT') })],
    retryAttempts: 5,
    maxRecordAge: Duration.hours(1),
  });
}

/** Wakes the function for each change of an API key. */
export function wakeByApiKeys(
  scope: Construct,
  id: string,
  fn: ServiceFunction,
  { tables, queues }: StreamStores,
): void {
  tables.grantReadApiKeysStream(fn);
  queues.grantReportFailures(fn);
  new lambda.EventSourceMapping(scope, id, {
    ...streamOptions(fn, queues),
    eventSourceArn: tables.apiKeysStreamArn,
    retryAttempts: 10,
  });
}

function streamOptions(fn: ServiceFunction, queues: Queues) {
  return {
    target: fn.function,
    // LATEST may miss records that are written while the mapping is being created or changed.
    startingPosition: lambda.StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    onFailure: queues.onFailure,
  };
}
