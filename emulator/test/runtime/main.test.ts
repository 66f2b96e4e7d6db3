import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { buildSync } from 'esbuild';
import { afterTest, useFolder } from '../support/clean-up';
import { until } from '../support/until';
import { smallTemplate, writeCdkOut } from './cdk-out';

const ROOT = join(__dirname, '../../..');

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}

let bundle: string;
beforeAll(() => {
  bundle = mkdtempSync(join(tmpdir(), 'emulator-bundle-'));
  buildSync({
    absWorkingDir: ROOT,
    bundle: true,
    entryNames: '[name]',
    entryPoints: ['emulator/src/main.ts', 'emulator/src/services/lambda/worker.js'],
    format: 'cjs',
    outdir: bundle,
    packages: 'external',
    platform: 'node',
    target: 'node20',
  });
});
afterAll(() => rmSync(bundle, { recursive: true }));

/** Creates a folder with a synthesized stack. */
function useStack(template: object = smallTemplate()) {
  const folder = useFolder();
  const cdkOut = join(folder, 'cdk.out');
  mkdirSync(cdkOut);
  writeCdkOut(cdkOut, template);
  const dataDir = join(folder, 'data');
  const flags = ['--cdk-out', cdkOut, '--stack', 'small', '--data', dataDir];
  const ports = ['--port', '0', '--s3-port', '0', '--dynamodb-port', '0'];
  return { dataDir, flags: [...flags, ...ports] };
}

/** Runs the bundle, built as `npm run build` builds it. */
function start(flags: readonly string[]) {
  const child = spawn(process.execPath, [join(bundle, 'main.js'), ...flags], {
    env: { PATH: process.env.PATH, NODE_PATH: join(ROOT, 'node_modules') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterTest(() => kill(child, 'SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const ready = async () => {
    await until(() => output.out.includes('DynamoDB') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(output.err);
  };
  return { child, output, ready };
}

/** Returns the processes whose command line names the folder: the engine and its watchdog. */
function processesOf(folder: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(join(folder, 'dynamodb')));
}

function useClient(dataDir: string) {
  const { endpoints, credentials, outputs } = JSON.parse(
    readFileSync(join(dataDir, 'endpoints.json'), 'utf8'),
  );
  const client = new DynamoDB({
    endpoint: endpoints.dynamodb,
    region: 'us-east-1',
    credentials,
  });
  return { client, TableName: outputs.TableName as string };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends all processes, with status 0',
  async (signal) => {
    const { dataDir, flags } = useStack();
    const { child, output, ready } = start(flags);
    await ready();
    expect(output.out).toMatch(/^base URL {3}http:\/\/127\.0\.0\.1:\d+\n/);
    const baseUrl = /http:\S+/.exec(output.out)?.[0] ?? '';
    const body = JSON.stringify({ attempt: 'item', id: 'x' });
    expect((await fetch(baseUrl, { method: 'POST', body })).status).toBe(200);
    expect(processesOf(dataDir)).not.toEqual([]);

    // As Ctrl-C does, which npm passes on.
    child.kill(signal);
    expect(await kill(child, signal)).toBe(0);

    await until(() => processesOf(dataDir).length === 0);
    expect(existsSync(join(dataDir, 'runtime.pid'))).toBe(false);
    expect(output.err).toBe('');
  },
);

test('the start notes an API that runs as another type than in AWS', async () => {
  const template = smallTemplate();
  template.Resources.Rest = { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'rest' } };
  const { flags } = useStack(template);
  const { child, output, ready } = start(flags);
  await ready();
  expect(output.out).toContain(
    'note: Rest is a REST API of type EDGE, which runs as REGIONAL here\n',
  );
  expect(await kill(child, 'SIGINT')).toBe(0);
});

test('only its owner may read the data folder, even when it was open to others before', async () => {
  const { dataDir, flags } = useStack();
  mkdirSync(dataDir, { mode: 0o755 });
  const umask = process.umask(0o022);
  const { child, output, ready } = start(flags);
  process.umask(umask);
  await ready();
  const baseUrl = /http:\S+/.exec(output.out)?.[0] ?? '';
  await fetch(baseUrl, { method: 'POST', body: JSON.stringify({ attempt: 'item', id: 'x' }) });
  const all = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  // The function at the stream of the table writes an object for the item.
  await until(() => all().some((name) => /^s3\/.+\/data\/./.test(name)));
  const names = all();
  // A temporary file may have been removed since the listing.
  const modeOf = (name: string) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode;
  const open = names.filter((name) => (modeOf(name) ?? 0) & 0o077);

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(names).toEqual(expect.arrayContaining(['dynamodb/dynamodb.sqlite', 'seed']));
  expect(open).toEqual([]);
  expect(await kill(child, 'SIGINT')).toBe(0);
});

test('kill -9 leaves no process, and the next start has every acknowledged write', async () => {
  const { dataDir, flags } = useStack();
  const first = start(flags);
  await first.ready();
  const before = useClient(dataDir);
  const { TableName } = before;
  for (let id = 0; id < 20; id++) {
    await before.client.putItem({ TableName, Item: { id: { S: `${id}` } } });
  }
  before.client.destroy();

  await kill(first.child, 'SIGKILL');
  await until(() => processesOf(dataDir).length === 0);
  expect(existsSync(join(dataDir, 'runtime.pid'))).toBe(true);

  const second = start(flags);
  await second.ready();
  const after = useClient(dataDir);
  for (let id = 0; id < 20; id++) {
    const Key = { id: { S: `${id}` } };
    const { Item } = await after.client.getItem({ TableName, Key });
    expect(Item).toEqual(Key);
  }
  after.client.destroy();
  expect(await kill(second.child, 'SIGINT')).toBe(0);
});

test.each<[string, string[], RegExp]>([
  [
    'a folder without a manifest',
    ['--cdk-out', '/nowhere'],
    /^there is no \/nowhere\/manifest.json: run cdk synth first\n$/,
  ],
  ['an unknown flag', ['--colour'], /^--colour is not an option; see --help\n$/],
  [
    'an unknown fault',
    ['--websocket-faults', 'lose=1'],
    /^lose=1 is not a fault of WebSockets: use .*\n$/,
  ],
])('%s is reported in one line, with status 1', async (_, flags, message) => {
  const { child, output } = start(flags);
  await once(child, 'close');
  expect(output).toEqual({ out: '', err: expect.stringMatching(message) });
  expect(child.exitCode).toBe(1);
});
