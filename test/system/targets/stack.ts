/** A stack that imports the construct and tells a function and a queue of its own of changes. */
import path from 'node:path';
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import cdkJson from '../../../cdk.json';
import { ChangeTarget, ObjectStorage } from '../../../lib';

/** Synthesizes it into `outdir`, with the bundles of `npm run build`. `received`: the file in which the function notes what it is told. */
export function synthesizeTargets(outdir: string, received: string): void {
  const app = new App({ outdir, context: cdkJson.context, builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'targets');
  const storage = new ObjectStorage(stack, 'Storage', { removalPolicy: RemovalPolicy.DESTROY });
  const told = new lambda.Function(stack, 'Told', {
    code: lambda.Code.fromAsset(path.join(__dirname, 'told')),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    timeout: Duration.seconds(5),
    environment: { RECEIVED: received },
  });
  const queue = new sqs.Queue(stack, 'Queue', { visibilityTimeout: Duration.minutes(5) });
  storage.onChange('Function', ChangeTarget.lambda(told), { buckets: ['told-*'] });
  storage.onChange('Queue', ChangeTarget.queue(queue), { buckets: ['told-*'] });
  new CfnOutput(stack, 'QueueUrl', { value: queue.queueUrl });
  app.synth();
}
