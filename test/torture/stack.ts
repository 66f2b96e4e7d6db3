/** A stack with a target of changes, and rates above what one machine does. */
import { App, RemovalPolicy } from 'aws-cdk-lib';
import cdkJson from '../../cdk.json';
import { ChangeTarget } from '../../lib';
import { StorageStack } from '../../lib/storage-stack';
import { notifiedFunction } from '../system/targets/stack';

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
  const notified = notifiedFunction(stack, received);
  stack.storage.onChange('Function', ChangeTarget.lambda(notified), { buckets: ['*'] });
  app.synth();
}
