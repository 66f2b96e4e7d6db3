import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { StorageStack } from '../lib';
import { parseEnvironments } from './environments';

const root = path.join(__dirname, '..');

// The CDK command line passes the context of cdk.json and an output folder. `npm run synth` runs
// without the command line.
const cdkJson: { context: Record<string, unknown> } = JSON.parse(
  readFileSync(path.join(root, 'cdk.json'), 'utf8'),
);
const app = new App({
  context: cdkJson.context,
  outdir: process.env.CDK_OUTDIR ?? path.join(root, 'cdk.out'),
  // No usage-reporting resource, so that both produce the same template.
  analyticsReporting: false,
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));

for (const { name, props } of parseEnvironments(app.node.tryGetContext('environments'))) {
  new StorageStack(app, `stowage-${name}`, {
    description: `stowage object storage, ${name}`,
    ...props,
  });
}

app.synth();
