import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { StorageStack, WebAclStack } from '../lib';
import { needsWebAclStack, parseEnvironments } from './environments';

const root = path.join(__dirname, '..');

/**
 * Runs `read`. A wrong setting ends the process with one sentence, because the stack trace of the
 * check that found it says nothing to the deployer.
 */
function settings<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    console.error(message.startsWith(place) ? message : `${place}: ${message}`);
    if (process.env.STOWAGE_DEBUG !== undefined) console.error(error);
    process.exit(1);
  }
}

// The CDK command line passes the context of cdk.json and an output folder. `npm run synth` runs
// without the command line.
const cdkJson = settings('cdk.json', (): { context: Record<string, unknown> } =>
  JSON.parse(readFileSync(path.join(root, 'cdk.json'), 'utf8')),
);
const app = new App({
  context: cdkJson.context,
  outdir: process.env.CDK_OUTDIR ?? path.join(root, 'cdk.out'),
  // No usage-reporting resource, so that both produce the same template.
  analyticsReporting: false,
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));

const environments = settings('cdk.json', () =>
  parseEnvironments(app.node.tryGetContext('environments')),
);
for (const { name, props } of environments) {
  settings(
    `environment ${name}`,
    () =>
      new StorageStack(app, `stowage-${name}`, {
        description: `stowage object storage, ${name}`,
        ...props,
      }),
  );
  if (needsWebAclStack(props)) {
    new WebAclStack(app, `stowage-${name}-web-acl`, {
      description: `web ACL of stowage-${name}`,
      account: props.env?.account,
      allowedOrigins: props.storage?.allowedOrigins,
    });
  }
}

app.synth();
