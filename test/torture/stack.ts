/** A stack with a target of changes, and rates above what one machine does. */
import path from 'node:path';
import { App, Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import cdkJson from '../../cdk.json';
import { ChangeTarget } from '../../lib';
import { StorageStack } from '../../lib/storage-stack';

const UNLIMITED = { rate: 5_000, burst: 5_000 };

/**
 * Synthesizes the stack into `outdir`, with the bundles of `npm run build`. The target appends the
 * notifications that it receives to the file `received`.
 */
export function synthesize(outdir: string, received: string): void {
  const app = new App({ outdir, context: cdkJson.context, builtinCloudFormationValidation: false });
  const stack = new StorageStack(app, 'torture', {
    storage: {
      removalPolicy: RemovalPolicy.DESTROY,
      rateTiers: { default: { read: UNLIMITED, write: UNLIMITED, list: UNLIMITED } },
    },
  });
  const notified = new lambda.Function(stack, 'Notified', {
    code: lambda.Code.fromAsset(path.join(__dirname, '../system/targets/notified-function')),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    timeout: Duration.seconds(5),
    environment: { RECEIVED: received },
  });
  stack.storage.onChange('Function', ChangeTarget.lambda(notified), { buckets: ['*'] });
  app.synth();
}
