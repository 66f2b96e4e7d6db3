/**
 * The first deployment: the real `cdk bootstrap` and `cdk deploy` of two environments into
 * MiniStack, a smoke test and the acceptance suite against stowage-dev, an update of it that must
 * keep what is stored, `cdk destroy`. Exits non-zero when any of it fails.
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

/**
 * What MiniStack lacks of what the acceptance suite can ask for; the reasons are in ministack.md.
 */
const LACKING = ['no-streaming', 'no-edge', 'no-channel-gateway', 'no-channel-address'];

async function main(executable: string, folder: string): Promise<void> {
  const ministack = await startMiniStack(executable, folder);
  await cdk(ministack.environment, folder, ['bootstrap', 'aws://000000000000/us-east-1'], 120);
  const outputs = await deploy(ministack, folder, STACK);
  const createKey = createKeyFor(outputs);
  const makeKey = (command = createKey) =>
    execFileSync('node', command, { env: ministack.environment, encoding: 'utf8' }).trim();

  const edge = await edgeOf(ministack, outputs);
  try {
    const environment = {
      ...ministack.environment,
      BASE_URL: edge.url,
      API_KEY: makeKey(),
      MAKE_KEY: ['node', ...createKey].join(' '),
      CAPABILITIES: LACKING.join(','),
    };
    await run(['npx', 'tsx', 'test/deploy/smoke.ts'], environment, 120);
    const inside = {
      // Revoked in the end.
      API_KEY: makeKey(),
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
    const besides = await deploy(ministack, folder, SECOND);
    const second = await edgeOf(ministack, besides);
    try {
      await expectApart(dev, { url: second.url, key: makeKey(createKeyFor(besides)) });
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
  await cdk(ministack.environment, folder, ['destroy', STACK, SECOND, '--force'], 240);
}

function createKeyFor(outputs: Environment): string[] {
  return [
    'dist/cli/create-key.js',
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
 * What a function logs and goes on from, such as a task of the background, fails no request: a
 * missing grant must.
 */
async function expectNoDenial(folder: string): Promise<void> {
  const log = await readFile(path.join(folder, 'ministack.log'), 'utf8');
  const denials = log.match(/[^/"]+ is not authorized to perform: [\w:-]+/g) ?? [];
  if (denials.length > 0) throw new Error(`missing grants: ${[...new Set(denials)].join('; ')}`);
}

/** Answers the outputs. `settings` are changes of the environment. */
async function deploy(
  { environment }: MiniStack,
  folder: string,
  stack: string,
  settings: object = {},
): Promise<Environment> {
  const outputs = path.join(folder, 'outputs.json');
  const options = ['--require-approval', 'never', '--outputs-file', outputs];
  await cdk(environment, folder, ['deploy', stack, ...options], 300, settings);
  const parsed: Record<string, Environment> = JSON.parse(await readFile(outputs, 'utf8'));
  return parsed[stack] ?? {};
}

/**
 * The CDK command line, on the dev environment of cdk.json, twice, with buffered answers and
 * without the edge, for which edge.ts stands in.
 */
async function cdk(
  env: Environment,
  folder: string,
  args: string[],
  seconds: number,
  changes: object = {},
): Promise<void> {
  const { context } = JSON.parse(await readFile(path.join(ROOT, 'cdk.json'), 'utf8'));
  const settings = { responseStreaming: false, edge: false, ...changes };
  const dev = { ...context.environments.dev, ...settings };
  // The account's one role for API Gateway's logs is that of the first.
  const environments = { dev, second: { ...dev, apiGatewayLogRole: false } };
  const command = ['npx', 'cdk', ...args, '--no-notices', '--progress', 'events'];
  const options = ['-c', `environments=${JSON.stringify(environments)}`];
  await run([...command, ...options, '--output', path.join(folder, 'cdk.out')], env, seconds);
}

/** `https://{api}.execute-api.…/{stage}/`, as MiniStack serves it without names to resolve. */
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
