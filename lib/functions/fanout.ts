import { Validations } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ENV } from '../../lambdas/runtime/env';
import { limitVariables, logVariables, metricsVariables } from './environment';
import { type FunctionsProps, forBackground } from './functions-props';
import { ServiceFunction } from './service-function';
import { wakeByChanges } from './streams';

/**
 * Publishes changes to channels, counts and trims the change log. Lambda invokes it for batches of
 * the stream of the Changes table and for deferred tasks. A record of the stream only says which
 * bucket has new entries; fanout reads them from the log. A batch that keeps failing is dropped
 * soon: the janitor publishes what it announced.
 */
export function createFanoutFunction(scope: Construct, props: FunctionsProps): ServiceFunction {
  const { content, tables, queues, channelApi } = props;
  const fanout = new ServiceFunction(scope, 'Fanout', {
    ...forBackground(props),
    bundle: 'fanout',
    description: 'Publishes, counts and trims the change log',
    timeout: props.fanoutTimeout,
    // A deferred task for a gap queues the next one while entries are unpublished: a chain that
    // Lambda would take for a loop after 16 tasks and end in the dead-letter queue. Fanout bounds
    // it itself: MAX_LOOKS in lambdas/fanout/app.ts.
    recursiveLoop: lambda.RecursiveLoop.ALLOW,
    environment: {
      ...logVariables(tables),
      ...limitVariables(scope, props),
      [ENV.subscriptionsTable]: tables.subscriptions.tableName,
      [ENV.contentBucket]: content.bucket.bucketName,
      [ENV.retentionSeconds]: props.retention.toSeconds().toString(),
      [ENV.followUpsQueueUrl]: queues.deferredTasks.queueUrl,
      [ENV.connectionsEndpoint]: channelApi.connectionsEndpoint,
      ...metricsVariables(props.reporting),
    },
  });
  tables.grantLimit(fanout);
  tables.grantReadSlots(fanout);
  tables.grantMaintainLog(fanout);
  tables.grantSubscribe(fanout);
  tables.grantConsumers(fanout, 'GetItem');
  tables.grantFindSubscribers(fanout);
  content.grantDelete(fanout);
  queues.grantDefer(fanout);
  channelApi.grantPost(fanout);
  channelApi.grantCheck(fanout);
  channelApi.grantDisconnect(fanout);
  wakeByChanges(props.service, 'ChangesToFanout', fanout, props);
  wakeByDeferredTasks(fanout, props);
  return fanout;
}

function wakeByDeferredTasks(fanout: ServiceFunction, { service, queues }: FunctionsProps): void {
  queues.grantConsumeDeferredTasks(fanout);
  const mapping = new lambda.EventSourceMapping(service, 'FollowUpsToFanout', {
    target: fanout.function,
    eventSourceArn: queues.deferredTasks.queueArn,
    batchSize: 10,
    reportBatchItemFailures: true,
  });
  Validations.of(mapping).acknowledge({
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason:
      'The mapping of a queue has no such destination: the redrive policy of the queue moves a message that failed five times to the dead-letter queue.',
  });
}
