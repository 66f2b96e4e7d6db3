import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App, CfnElement, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import cdkJson from '../../cdk.json';
import { ObjectStorage, type ObjectStorageProps } from '../../lib';
import { BUNDLE_NAMES, type FunctionName } from '../../lib/functions/service-function';
import { useTemporaryFolder } from '../support/temporary-folder';

/**
 * Creates a folder with a bundle per function, as `npm run build` does. It is removed after the
 * test file.
 */
export function useBundles(): string {
  const folder = useTemporaryFolder('bundles');
  for (const name of BUNDLE_NAMES) {
    mkdirSync(path.join(folder, name));
    writeFileSync(
      path.join(folder, name, 'index.js'),
      `exports.handler = async () => '${name}';\n`,
    );
  }
  return folder;
}

/**
 * Creates an app with the context of cdk.json. It writes into a folder of its own, which is removed
 * after the test file.
 */
export function useApp(): App {
  const outdir = useTemporaryFolder('cdk-out');
  return new App({
    outdir,
    // A trace of each construct takes a tenth of the time of a synthesis, and no test reads it.
    context: { ...cdkJson.context, 'aws:cdk:disable-creation-stack-traces': true },
    // cfn-lint and `npm run synth` check the schema, which takes seconds per template.
    builtinCloudFormationValidation: false,
    // Files and metadata beside the template, which no test reads.
    analyticsReporting: false,
    stackTraces: false,
    treeMetadata: false,
  });
}

export interface Synthesized {
  readonly stack: Stack;
  readonly storage: ObjectStorage;
  readonly template: Template;
}

/**
 * Creates a stack `test` with an ObjectStorage of those props, to which `use` may add constructs.
 * Call it at the top of a describe block.
 */
export function useStorage(
  props: ObjectStorageProps = {},
  use: (storage: ObjectStorage, stack: Stack) => void = () => undefined,
): Synthesized {
  const bundles = useBundles();
  const stack = new Stack(useApp(), 'test');
  const storage = new ObjectStorage(stack, 'Storage', { bundles, ...props });
  use(storage, stack);
  return { stack, storage, template: Template.fromStack(stack) };
}

/** The logical id of a construct's resource. */
export function logicalId(stack: Stack, construct: Construct): string {
  const resource = construct.node.defaultChild;
  if (!CfnElement.isCfnElement(resource)) throw new Error(`${construct.node.path} has no resource`);
  return stack.getLogicalId(resource);
}

/** Returns the properties of a function of the service, as the template has them. */
export function functionProperties({ stack, storage, template }: Synthesized, name: FunctionName) {
  return template.toJSON().Resources[logicalId(stack, storage.functions[name].function)].Properties;
}

/** Returns the properties of the only resource of a type. */
export function onlyOf(template: Template, type: string) {
  const [resource, ...others] = Object.values(template.findResources(type));
  if (resource === undefined || others.length > 0) throw new Error(`not one resource ${type}`);
  return resource.Properties;
}

/**
 * Findings of AwsSolutions and Serverless that are not acknowledged: the rule, and the paths that
 * it is about.
 */
export function violations(
  app: App,
): readonly (readonly [string, readonly (string | undefined)[]])[] {
  const packs = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];
  return packs
    .flatMap((pack) => pack.validateScope(app).violations)
    .map(({ ruleName, violatingResources }) => [
      ruleName,
      violatingResources.map((resource) => resource.constructPath),
    ]);
}
