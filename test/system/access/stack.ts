/** A stack whose own functions use the service without an API key, each with other grants. */
import path from 'node:path';
import { App, Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import cdkJson from '../../../cdk.json';
import { StorageStack } from '../../../lib';

/** Each function has the name of its grants. */
export const CALLERS = ['reader', 'writer', 'follower', 'stranger'] as const;
export type CallerName = (typeof CALLERS)[number];

/**
 * Synthesizes the stack into `outdir`, with the bundles of `npm run build`. `code` is a folder for
 * the code of its functions.
 */
export function synthesizeAccess(outdir: string, code: string): void {
  buildSync({
    entryPoints: [path.join(__dirname, 'caller', 'index.ts')],
    outfile: path.join(code, 'index.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  const app = new App({ outdir, context: cdkJson.context, builtinCloudFormationValidation: false });
  const stack = new StorageStack(app, 'access', {
    storage: { removalPolicy: RemovalPolicy.DESTROY },
  });
  const { storage } = stack;
  const caller = (functionName: CallerName) =>
    new lambda.Function(stack, functionName, {
      functionName,
      code: lambda.Code.fromAsset(code),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      timeout: Duration.minutes(1),
    });
  const [reader, writer, follower, stranger] = CALLERS.map(caller);
  if (!reader || !writer || !follower || !stranger) throw new Error('four callers');
  storage.grantRead(reader, { buckets: ['photos'] });
  storage.grantRead(writer);
  storage.grantWrite(writer);
  storage.grantManageBuckets(writer);
  storage.grantSync(follower, { buckets: ['photos'], prefix: 'public/' });
  for (const fn of [reader, writer, follower]) {
    fn.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(fn));
  }
  stranger.addEnvironment('STOWAGE_FUNCTION', storage.accessArn(writer));
  app.synth();
}
