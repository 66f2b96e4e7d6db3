/**
 * The first deployment: the real `cdk bootstrap` and `cdk deploy` of stowage-dev into MiniStack, a smoke test and the
 * acceptance suite against what was deployed, `cdk destroy`. Exits non-zero when any of it fails.
 *
 *   pip install ministack     in a virtual environment
 *   npm run build
 *   npx tsx test/deploy/run.ts [path of the ministack command]
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEdge } from './edge';
import { type MiniStack, startMiniStack } from './ministack';
import { type Environment, run, stopAll } from './processes';

const ROOT = path.join(__dirname, '../..');
const STACK = 'stowage-dev';

/** What MiniStack lacks of what the acceptance suite can ask for; the reasons are in ministack.md. */
const LACKING = ['no-streaming', 'no-edge', 'no-channel-gateway', 'no-channel-address'];

async function main(executable: string, folder: string): Promise<void> {
  const ministack = await startMiniStack(executable, folder);
  const outputs = await deploy(ministack, folder);
  const createKey = [
    'dist/scripts/create-key.js',
    '--table',
    required(outputs, 'ApiKeysTableName'),
    '--audit-table',
    required(outputs, 'AuditTableName'),
  ];
  const makeKey = () =>
    execFileSync('node', createKey, { env: ministack.environment, encoding: 'utf8' }).trim();

  const edge = await startEdge(ministack, {
    rest: stagePath(required(outputs, 'ApiUrl')),
    sync: stagePath(required(outputs, 'SyncUrl')),
  });
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
    await run(['npx', 'tsx', 'test/deploy/gaps.ts'], environment, 60);
    await run(['npx', 'tsx', 'test/acceptance/run.ts'], environment, 900);
  } finally {
    edge.stop();
  }
  await expectNoDenial(folder);
  await cdk(ministack.environment, folder, ['destroy', STACK, '--force'], 120);
}

/** What a function logs and goes on from, such as a task of the background, fails no request: a missing grant must. */
async function expectNoDenial(folder: string): Promise<void> {
  const log = await readFile(path.join(folder, 'ministack.log'), 'utf8');
  const denials = log.match(/[^/"]+ is not authorized to perform: [\w:-]+/g) ?? [];
  if (denials.length > 0) throw new Error(`missing grants: ${[...new Set(denials)].join('; ')}`);
}

async function deploy(ministack: MiniStack, folder: string): Promise<Environment> {
  const outputs = path.join(folder, 'outputs.json');
  const { environment } = ministack;
  await cdk(environment, folder, ['bootstrap', 'aws://000000000000/us-east-1'], 120);
  const options = ['--require-approval', 'never', '--outputs-file', outputs];
  await cdk(environment, folder, ['deploy', STACK, ...options], 300);
  const parsed: Record<string, Environment> = JSON.parse(await readFile(outputs, 'utf8'));
  return parsed[STACK] ?? {};
}

/** The CDK command line, on the dev environment of cdk.json with buffered answers and without the edge, for which edge.ts stands in. */
async function cdk(
  env: Environment,
  folder: string,
  args: string[],
  seconds: number,
): Promise<void> {
  const { context } = JSON.parse(await readFile(path.join(ROOT, 'cdk.json'), 'utf8'));
  const settings = { responseStreaming: false, edge: false };
  const environments = { dev: { ...context.environments.dev, ...settings } };
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
