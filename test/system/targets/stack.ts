/**
 * A stack that imports the construct and has four targets of changes: a function, two queues and an
 * event bus.
 */
import path from 'node:path';
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as eventTargets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import cdkJson from '../../../cdk.json';
import { ChangeTarget, ObjectStorage } from '../../../lib';

/** A function that appends the notifications that it receives to the file `received`. */
export function notifiedFunction(stack: Stack, received: string): lambda.Function {
  return new lambda.Function(stack, 'Notified', {
    code: lambda.Code.fromAsset(path.join(__dirname, 'notified-function')),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    timeout: Duration.seconds(5),
    environment: { RECEIVED: received },
  });
}

/**
 * Synthesizes the stack into `outdir`, with the bundles of `npm run build`. The function appends
 * the notifications it receives to the file `received`.
 */
export function synthesizeTargets(outdir: string, received: string): void {
  const app = new App({ outdir, context: cdkJson.context, builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'targets');
  const storage = new ObjectStorage(stack, 'Storage', { removalPolicy: RemovalPolicy.DESTROY });
  const notified = notifiedFunction(stack, received);
  const visibilityTimeout = Duration.minutes(5);
  const queue = new sqs.Queue(stack, 'Queue', { visibilityTimeout });
  const fifo = new sqs.Queue(stack, 'Fifo', { visibilityTimeout, fifo: true });
  const bus = new events.EventBus(stack, 'Bus');
  const caught = new sqs.Queue(stack, 'Caught', { visibilityTimeout });
  new events.Rule(stack, 'Catch', {
    eventBus: bus,
    eventPattern: { source: ['stowage'], detail: { bucket: [{ prefix: 'notified-' }] } },
    targets: [new eventTargets.SqsQueue(caught)],
  });
  const options = { buckets: ['notified-*'] };
  storage.onChange('Function', ChangeTarget.lambda(notified), options);
  storage.onChange('Queue', ChangeTarget.queue(queue), options);
  storage.onChange('Fifo', ChangeTarget.queue(fifo), options);
  storage.onChange('Bus', ChangeTarget.eventBus(bus), options);
  const outputs = {
    QueueUrl: queue.queueUrl,
    FifoUrl: fifo.queueUrl,
    CaughtUrl: caught.queueUrl,
    BucketsTableName: storage.tables.buckets.tableName,
    ChangesTableName: storage.tables.changes.tableName,
    CursorsTableName: storage.changeTargets?.cursors.tableName ?? '',
  };
  for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
  app.synth();
}
