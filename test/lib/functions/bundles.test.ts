import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ENV } from '../../../lambdas/shared/env';
import { ChangeTarget } from '../../../lib';
import { BUNDLE_NAMES as FUNCTIONS } from '../../../lib/functions/service-function';
import { useStorage } from '../synthesize';

const ROOT = path.join(__dirname, '../../..');
const BUNDLES = path.join(ROOT, 'dist/lambdas');

/**
 * Native code that the SDK looks for when asked for SigV4A, which signs for several regions; we
 * never ask.
 */
const OPTIONAL = '@aws-sdk/signature-v4-crt';

/** Nothing of the machine that the tests run on: its credentials, its settings. */
const environment = {
  PATH: process.env.PATH,
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'name',
  NODE_NO_WARNINGS: '1',
};

function load(bundle: string, variables: Readonly<Record<string, string>>) {
  const code = 'console.log(typeof require(process.argv[1]).handler)';
  const args = ['-e', code, path.join(BUNDLES, bundle)];
  const options = { env: { ...environment, ...variables }, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, args, options);
}

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'ignore' });
}, 60_000);

test('npm run build leaves the bundle of each function, and nothing else in its asset', () => {
  expect(readdirSync(BUNDLES).sort()).toEqual([...FUNCTIONS].sort());
  for (const name of FUNCTIONS) {
    const beside = name === 'site' ? ['public'] : [];
    expect(readdirSync(path.join(BUNDLES, name))).toEqual(['index.js', ...beside]);
    expect(statSync(path.join(BUNDLES, name, 'index.js')).size).toBeLessThan(1_000_000);
  }
});

test('the bundles need nothing but Node.js, and name no path of the machine that built them', () => {
  for (const name of FUNCTIONS) {
    const code = readFileSync(path.join(BUNDLES, name, 'index.js'), 'utf8');
    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(
      ([, module]) => module ?? '',
    );
    expect(required.length).toBeGreaterThan(0);
    expect(required.filter((module) => !isBuiltin(module) && module !== OPTIONAL)).toEqual([]);
    // Not toContain: half a megabyte of code would be the message.
    expect({ root: code.includes(ROOT), map: code.includes('sourceMappingURL') }).toEqual({
      root: false,
      map: false,
    });
  }
});

test('the source maps lie apart, beside the metafile that says which module weighs what', () => {
  for (const name of FUNCTIONS) {
    const file = path.join(ROOT, 'dist/lambdas-maps', name, 'index.js.map');
    expect(JSON.parse(readFileSync(file, 'utf8')).sources).toContain(
      `../../../lambdas/${name}/handler.ts`,
    );
  }
  const meta = JSON.parse(readFileSync(path.join(ROOT, 'dist/lambdas-meta.json'), 'utf8'));
  expect(Object.keys(meta.outputs)).toContain('dist/lambdas/api/index.js');
});

describe('with the variables of the stack', () => {
  const { template } = useStorage({ responseStreaming: false }, (made, stack) => {
    const fn = lambda.Function.fromFunctionName(stack, 'Told', 'told');
    made.onChange('Told', ChangeTarget.lambda(fn));
    made.grantRead(new iam.User(stack, 'Reader'));
  });
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));

  test.each(FUNCTIONS)('%s loads and exports its handler', (name) => {
    const construct = name === 'targets' ? 'DeliveryNotifier' : `(Functions|Access)${name}`;
    const id = new RegExp(`^Storage${construct}Function[0-9A-F]{8}$`, 'i');
    const given: object = functions.find(([found]) => id.test(found))?.[1].Properties.Environment
      .Variables;
    const variables = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : deployed(value),
      ]),
    );

    const { stdout, stderr } = load(name, variables);

    expect(stderr).toBe('');
    expect(stdout.trim()).toBe('function');
  });
});

/**
 * What CloudFormation would put in place of a token, as far as a handler looks at it before it is
 * called.
 */
function deployed(value: Readonly<Record<string, unknown>>): string {
  const [separator, parts] = (value['Fn::Join'] ?? ['', ['name']]) as [string, unknown[]];
  return parts
    .map((part) => (typeof part === 'string' ? part : 'https://example.com'))
    .join(separator);
}

test.each(FUNCTIONS)('%s refuses to load without them and says which is missing', (name) => {
  const { status, stderr } = load(name, {});
  expect(status).not.toBe(0);
  const missing = /environment variable (\w+) is not set/.exec(stderr)?.[1];
  expect(Object.values<string>(ENV)).toContain(missing);
});
