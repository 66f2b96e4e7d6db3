/**
 * Reads the folder that `cdk synth` writes. https://github.com/aws/aws-cdk (cloud-assembly-schema)
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors/user-error';
import { isRecord, type Json } from '../values/json';

export interface SynthesizedStack {
  readonly stackName: string;
  readonly template: Json;
  /** undefined: the stack is not bound to a region. */
  readonly region?: string;
  readonly accountId?: string;
  /** Absolute path of an asset by its S3 key. Throws UserError when the stack has no such asset. */
  readonly assetPath: (s3Key: string) => string;
}

/**
 * Loads one stack of a cloud assembly. `stackName` is optional when there is only one. Throws
 * UserError when the folder is not an assembly or the choice is ambiguous.
 */
export function loadStack(cdkOut: string, stackName?: string): SynthesizedStack {
  const stacks = findStacks(cdkOut);
  const names = stacks.map((stack) => stack.name).join(', ');
  const chosen = stackName === undefined ? stacks : stacks.filter((s) => s.name === stackName);
  const [stack, ...others] = chosen;
  if (stack === undefined) {
    throw new UserError(`${cdkOut} has no stack ${stackName ?? ''}: it has ${names || 'none'}`);
  }
  if (others.length > 0) {
    throw new UserError(`${cdkOut} has several stacks, choose one with --stack: ${names}`);
  }
  const { properties, folder } = stack;
  const assets = readAssets(folder, properties);
  const [, accountId, region] = /^aws:\/\/([^/]+)\/(.+)$/.exec(stack.environment) ?? [];
  return {
    stackName: stack.name,
    template: readJson(join(folder, String(properties.templateFile))),
    region: region === 'unknown-region' ? undefined : region,
    accountId: accountId === 'unknown-account' ? undefined : accountId,
    assetPath: (s3Key) => {
      const path = assets.get(s3Key);
      if (path === undefined) throw new UserError(`${folder} has no asset ${s3Key}`);
      return path;
    },
  };
}

interface StackArtifact {
  readonly name: string;
  readonly folder: string;
  readonly environment: string;
  readonly properties: Json;
}

/** Includes the stacks of nested assemblies (stages). */
function findStacks(folder: string): readonly StackArtifact[] {
  const { artifacts } = readJson(join(folder, 'manifest.json'));
  return Object.entries(isRecord(artifacts) ? artifacts : {}).flatMap(([id, artifact]) => {
    if (!isRecord(artifact) || !isRecord(artifact.properties)) return [];
    const { type, properties, environment } = artifact;
    if (type === 'cdk:cloud-assembly') {
      return findStacks(join(folder, String(properties.directoryName)));
    }
    if (type !== 'aws:cloudformation:stack') return [];
    const name = typeof properties.stackName === 'string' ? properties.stackName : id;
    return [{ name, folder, environment: String(environment), properties }];
  });
}

/** Returns the paths by S3 key, from the asset manifest of the template. */
function readAssets(folder: string, properties: Json): ReadonlyMap<string, string> {
  const file = join(
    folder,
    String(properties.templateFile).replace('.template.json', '.assets.json'),
  );
  const assets = new Map<string, string>();
  if (!existsSync(file)) return assets;
  const { files } = readJson(file);
  for (const asset of Object.values(isRecord(files) ? files : {})) {
    if (!isRecord(asset) || !isRecord(asset.source) || !isRecord(asset.destinations)) continue;
    for (const destination of Object.values(asset.destinations)) {
      if (isRecord(destination)) {
        assets.set(String(destination.objectKey), join(folder, String(asset.source.path)));
      }
    }
  }
  return assets;
}

function readJson(path: string): Json {
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new UserError(`there is no ${path}: run cdk synth first`);
  }
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isRecord(value)) throw new UserError(`${path} is not a JSON object`);
  return value;
}
