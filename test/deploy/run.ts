/**
 * Deploys two environments to MiniStack with the real `cdk bootstrap` and `cdk deploy`, runs a
 * smoke test and the acceptance suite against stowage-dev, updates it, checks that the update keeps
 * what is stored, and runs `cdk destroy`. Exits non-zero when any of it fails.
 *
 *   pip install ministack     in a virtual environment
 *   npm run build
 *   npx tsx test/deploy/run.ts [path of the ministack command]
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Edge, startEdge } from './edge';
import { type Deployment, expectApart, expectKept, store } from './kept';
import { type MiniStack, startMiniStack } from './ministack';
import { type Environment, run, stopAll } from './processes';

const ROOT = path.join(__dirname, '../..');
const STACK = 'stowage-dev';
const SECOND = 'stowage-second';

/** Capabilities of the acceptance suite that MiniStack lacks; ministack.md has the reasons. */
const LACKING = [
  'no-streaming',
  'no-edge',
  'no-pages',
  'no-raw-query',
  'no-channel-gateway',
  'no-channel-address',
];

async function main(executable: string, folder: string): Promise<void> {
  const ministack = await startMiniStack(executable, folder);
  await cdk(ministack.environment, folder, {
    args: ['bootstrap', 'aws://000000000000/us-east-1'],
    seconds: 120,
  });
  const outputs = await deploy(ministack, folder, STACK);
  const createKey = createKeyFor(outputs);
  const makeKey = (command = createKey) =>
    execFileSync('node', command, { env: ministack.environment, encoding: 'utf8' }).trim();

  const edge = await edgeOf(ministack, outputs);
  try {
    const environment = {
      ...ministack.environment,
      STOWAGE_URL: edge.url,
      STOWAGE_KEY: makeKey(),
      MAKE_KEY: ['node', ...createKey].join(' '),
      CAPABILITIES: LACKING.join(','),
    };
    await run(['npx', 'tsx', 'test/deploy/smoke.ts'], environment, 120);
    const inside = {
      // channel.ts revokes this key.
      STOWAGE_KEY: makeKey(),
      API_KEYS_TABLE: required(outputs, 'ApiKeysTableName'),
      BUCKETS_TABLE: required(outputs, 'BucketsTableName'),
      UNDELIVERED_QUEUE_URL: required(outputs, 'UndeliveredQueueUrl'),
    };
    await run(['npx', 'tsx', 'test/deploy/channel.ts'], { ...environment, ...inside }, 300);
    const gaps = {
      ...environment,
      GATEWAY_URL: ministack.endpoint + stagePath(required(outputs, 'ApiUrl')),
      CONTENT_BUCKET: required(outputs, 'ContentBucketName'),
    };
    await run(['npx', 'tsx', 'test/deploy/gaps.ts'], gaps, 120);
    await run(['npx', 'tsx', 'test/acceptance/run.ts'], environment, 900);

    const dev: Deployment = { url: edge.url, key: makeKey() };
    await store(dev);
    const secondOutputs = await deploy(ministack, folder, SECOND);
    const second = await edgeOf(ministack, secondOutputs);
    try {
      await expectApart(dev, { url: second.url, key: makeKey(createKeyFor(secondOutputs)) });
    } finally {
      second.stop();
    }
    const changed = { retentionHours: 48 };
    assert.deepEqual(await deploy(ministack, folder, STACK, changed), outputs);
    await expectKept(dev);

    const strict = { responseStreaming: true, throttlingRateLimit: 1, throttlingBurstLimit: 5 };
    await deploy(ministack, folder, STACK, { ...changed, ...strict });
    await run(['npx', 'tsx', 'test/deploy/gaps.ts'], { ...gaps, STRICT: 'true' }, 60);
  } finally {
    edge.stop();
  }
  await expectNoDenial(folder);
  await cdk(ministack.environment, folder, {
    args: ['destroy', STACK, SECOND, '--force'],
    seconds: 240,
  });
}

function createKeyFor(outputs: Environment): string[] {
  return [
    'dist/cli/stowage.js',
    'create-key',
    '--table',
    required(outputs, 'ApiKeysTableName'),
    '--audit-table',
    required(outputs, 'AuditTableName'),
  ];
}

function edgeOf(ministack: MiniStack, outputs: Environment): Promise<Edge> {
  return startEdge(ministack, {
    rest: stagePath(required(outputs, 'ApiUrl')),
    sync: stagePath(required(outputs, 'SyncUrl')),
  });
}

/**
 * Throws when MiniStack denied a call of a function. A function may log such a failure and
 * continue, for example in a background task, so that no request fails.
 */
async function expectNoDenial(folder: string): Promise<void> {
  const log = await readFile(path.join(folder, 'ministack.log'), 'utf8');
  const denials = log.match(/[^/"]+ is not authorized to perform: [\w:-]+/g) ?? [];
  if (denials.length > 0) throw new Error(`missing grants: ${[...new Set(denials)].join('; ')}`);
}

/** Deploys the stack and returns its outputs. `settings` change the environment in cdk.json. */
async function deploy(
  { environment }: MiniStack,
  folder: string,
  stack: string,
  settings: object = {},
): Promise<Environment> {
  const outputs = path.join(folder, 'outputs.json');
  const options = ['--require-approval', 'never', '--outputs-file', outputs];
  await cdk(environment, folder, {
    args: ['deploy', stack, ...options],
    seconds: 300,
    changes: settings,
  });
  const parsed: Record<string, Environment> = JSON.parse(await readFile(outputs, 'utf8'));
  return parsed[stack] ?? {};
}

interface CdkCommand {
  readonly args: readonly string[];
  /** The time limit. */
  readonly seconds: number;
  /** Changes of the environment's settings in cdk.json. */
  readonly changes?: object;
}

/**
 * Runs the CDK command line with two environments, both the dev environment of cdk.json with
 * buffered responses and without the edge, which edge.ts replaces.
 */
async function cdk(
  env: Environment,
  folder: string,
  { args, seconds, changes = {} }: CdkCommand,
): Promise<void> {
  const { context } = JSON.parse(await readFile(path.join(ROOT, 'cdk.json'), 'utf8'));
  const settings = { responseStreaming: false, edge: false, alarms: true, ...changes };
  const dev = { ...context.environments.dev, ...settings };
  // An account has one role for API Gateway's logs: the first environment creates it.
  const environments = { dev, second: { ...dev, apiGatewayLogRole: false } };
  const command = ['npx', 'cdk', ...args, '--no-notices', '--progress', 'events'];
  // `npm run synth` applies the CDK's schema rules, which take most of each synthesis.
  const fast = { ...env, CDK_VALIDATION: 'false' };
  const options = ['-c', `environments=${JSON.stringify(environments)}`];
  await run([...command, ...options, '--output', path.join(folder, 'cdk.out')], fast, seconds);
}

/** Returns the path below MiniStack's endpoint of `https://{api}.execute-api.…/{stage}/`. */
function stagePath(apiUrl: string): string {
  const { hostname, pathname } = new URL(apiUrl);
  return `/_aws/execute-api/${hostname.split('.')[0]}${pathname.replace(/\/$/, '')}`;
}

function required(outputs: Environment, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`the stack has no output ${name}`);
  return value;
}

async function cleanUp(folder: string): Promise<void> {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}

async function start(): Promise<void> {
  process.chdir(ROOT);
  const folder = await mkdtemp(path.join(tmpdir(), 'stowage-deploy-'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => void cleanUp(folder).finally(() => process.exit(1)));
  }
  try {
    await main(process.argv[2] ?? 'ministack', folder);
  } catch (error) {
    console.error(error);
    const log = await readFile(path.join(folder, 'ministack.log'), 'utf8').catch(() => '');
    console.error(`the end of MiniStack's log:\n${log.slice(-4_000)}`);
    process.exitCode = 1;
  } finally {
    await cleanUp(folder);
  }
}

void start();
