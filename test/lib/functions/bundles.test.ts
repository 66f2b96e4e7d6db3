import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ENV } from '../../../lambdas/runtime/env';
import { ChangeTarget } from '../../../lib';
import { BUNDLE_NAMES } from '../../../lib/functions/service-function';
import { useStorage } from '../synthesize';

const ROOT = path.join(__dirname, '../../..');
/** `npm test` has built them. */
const BUNDLES = path.join(ROOT, 'dist/lambdas');

/**
 * Native code that the SDK loads for SigV4A, which signs for several regions. The functions do not
 * use it.
 */
const OPTIONAL = '@aws-sdk/signature-v4-crt';

/** No credentials and settings of the machine that runs the tests. */
const environment = {
  PATH: process.env.PATH,
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'name',
  NODE_NO_WARNINGS: '1',
};

/** Loads the bundle as Lambda does at a cold start, and reports the variables that it reads. */
const LOADER = `
  const read = new Set();
  const get = (target, name) => { read.add(name); return target[name]; };
  process.env = new Proxy(process.env, { get });
  const { handler } = require(process.argv[1]);
  console.log(JSON.stringify({ handler: typeof handler, read: [...read] }));
`;

function load(bundle: string, variables: Readonly<Record<string, string>>) {
  const args = ['-e', LOADER, path.join(BUNDLES, bundle)];
  const options = { env: { ...environment, ...variables }, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, args, options);
}

test('npm run build creates one folder per function, with its bundle and nothing else', () => {
  expect(readdirSync(BUNDLES).sort()).toEqual([...BUNDLE_NAMES].sort());
  for (const name of BUNDLE_NAMES) {
    const assets = name === 'site' ? ['public'] : [];
    expect(readdirSync(path.join(BUNDLES, name))).toEqual(['index.js', ...assets]);
    expect(statSync(path.join(BUNDLES, name, 'index.js')).size).toBeLessThan(1_000_000);
  }
});

test('bundles require only modules of Node.js, and contain no path of the machine that built them', () => {
  for (const name of BUNDLE_NAMES) {
    const code = readFileSync(path.join(BUNDLES, name, 'index.js'), 'utf8');
    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(
      ([, module]) => module ?? '',
    );
    expect(required.length).toBeGreaterThan(0);
    expect(required.filter((module) => !isBuiltin(module) && module !== OPTIONAL)).toEqual([]);
    // Not toContain: its message would be half a megabyte of code.
    expect({ root: code.includes(ROOT), map: code.includes('sourceMappingURL') }).toEqual({
      root: false,
      map: false,
    });
  }
});

test('npm run build writes source maps and the metafile outside of the bundles', () => {
  for (const name of BUNDLE_NAMES) {
    const file = path.join(ROOT, 'dist/lambdas-maps', name, 'index.js.map');
    expect(JSON.parse(readFileSync(file, 'utf8')).sources).toContain(
      `../../../lambdas/${name}/handler.ts`,
    );
  }
  const meta = JSON.parse(readFileSync(path.join(ROOT, 'dist/lambdas-meta.json'), 'utf8'));
  expect(Object.keys(meta.outputs)).toContain('dist/lambdas/api/index.js');
});

/** The files in the bundle of a function, as the metafile names them. */
function inputsOf(name: string): readonly string[] {
  const meta = JSON.parse(readFileSync(path.join(ROOT, 'dist/lambdas-meta.json'), 'utf8'));
  return Object.keys(meta.outputs[`dist/lambdas/${name}/index.js`].inputs);
}

test.each(['api', 'download'])('the bundle of %s contains the packages of the SDK', (name) => {
  for (const needed of ['client-dynamodb', 'client-s3', 's3-request-presigner']) {
    expect(inputsOf(name)).toContainEqual(expect.stringContaining(`@aws-sdk/${needed}/`));
  }
});

test.each(BUNDLE_NAMES)('the bundle of %s contains no chain of credential providers', (name) => {
  const providers = inputsOf(name).filter((file) =>
    /@aws-sdk\/(credential-provider-(?!env)|token-providers|nested-clients)/.test(file),
  );
  expect(providers).toEqual([]);
});

describe('with the variables of the template', () => {
  const oidc = {
    issuer: 'https://login.example.com/',
    clientId: 'dashboard',
    claim: 'roles',
    value: 'admin',
    jwksUri: 'https://login.example.com/keys',
    audience: 'storage',
    signOutUrl: 'https://login.example.com/logout?to=',
  };
  const { template } = useStorage({ responseStreaming: false, oidc }, (made, stack) => {
    const fn = lambda.Function.fromFunctionName(stack, 'Target', 'target');
    made.onChange('Target', ChangeTarget.lambda(fn));
    made.grantRead(new iam.User(stack, 'Reader'));
  });
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));

  test.each(BUNDLE_NAMES)('%s loads, reads each of them, and exports its handler', (name) => {
    const construct = name === 'targets' ? 'TargetsNotifier' : `(Functions|Access)${name}`;
    const id = new RegExp(`^Storage${construct}Function[0-9A-F]{8}$`, 'i');
    const given: Readonly<Record<string, unknown>> =
      functions.find(([found]) => id.test(found))?.[1].Properties.Environment.Variables ?? {};
    const variables = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : deployed(value),
      ]),
    );

    const { stdout, stderr } = load(name, variables);

    expect(stderr).toBe('');
    const { handler, read } = JSON.parse(stdout);
    expect(handler).toBe('function');
    expect(Object.keys(variables)).not.toEqual([]);
    expect(Object.keys(variables).filter((variable) => !read.includes(variable))).toEqual([]);
  });

  test('an alarm counts only log events that a filtered function logs', () => {
    const filters = Object.values(template.findResources('AWS::Logs::MetricFilter'));
    const counted = new Map<string, string[]>();
    for (const { Properties } of filters) {
      const [, construct = ''] =
        /^Storage(\w+)Logs[0-9A-F]{8}$/.exec(Properties.LogGroupName.Ref) ?? [];
      const name = construct.replace(/^(Functions|Access|Targets)/, '').toLowerCase();
      const file = path.join(BUNDLES, name === 'notifier' ? 'targets' : name, 'index.js');
      for (const [, event = ''] of Properties.FilterPattern.matchAll(/\$\.event = "(\w+)"/g))
        counted.set(event, [...(counted.get(event) ?? []), readFileSync(file, 'utf8')]);
    }
    const events = ['blob_missing', 'notification_expired', 'notification_late', 'records_missing'];
    expect([...counted.keys()].sort()).toEqual(events);
    for (const [event, bundles] of counted)
      expect([event, bundles.some((code) => code.includes(`"${event}"`))]).toEqual([event, true]);
  });
});

/** A value that CloudFormation could put in place of a token. */
function deployed(value: unknown): string {
  const { 'Fn::Join': join } = value as { 'Fn::Join'?: [string, unknown[]] };
  const [separator, parts] = join ?? ['', ['name']];
  return parts
    .map((part) => (typeof part === 'string' ? part : 'https://example.com'))
    .join(separator);
}

test.each(BUNDLE_NAMES)('%s throws at load without variables, and names one', (name) => {
  const { status, stderr } = load(name, {});
  expect(status).not.toBe(0);
  const missing = /environment variable (\w+) is not set/.exec(stderr)?.[1];
  expect(Object.values<string>(ENV)).toContain(missing);
});
