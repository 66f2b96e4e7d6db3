import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdkJson from '../../cdk.json';
import { ObjectStorage } from '../../lib';
import { useApp } from '../lib/synthesize';

const ROOT = path.join(__dirname, '../..');

/** By the sources what consumer/app.ts makes of the package. */
const stack = new Stack(useApp(), 'larger');
new ObjectStorage(stack, 'Storage', { retention: Duration.days(2), edge: {} });
const own = Template.fromStack(stack).toJSON();

/** Packs, installs and compiles, beside other tests. */
jest.setTimeout(300_000);

let consumer = '';

beforeAll(() => {
  succeed(run(ROOT, 'node', 'scripts/package.mjs'));
  consumer = mkdtempSync(path.join(tmpdir(), 'stowage-consumer-'));
  writeFileSync(path.join(consumer, 'package.json'), '{"private": true}');
  const alone = ['--offline', '--ignore-scripts', '--omit=optional', '--legacy-peer-deps'];
  succeed(run(consumer, 'npm', 'install', ...alone, path.join(ROOT, 'dist/stowage.tgz')));
  // What the consumer has beside it, without another download.
  mkdirSync(path.join(consumer, 'node_modules/@types'), { recursive: true });
  for (const name of ['aws-cdk-lib', 'constructs', '@types/node', 'undici-types']) {
    const there = path.join(ROOT, 'node_modules', name);
    symlinkSync(there, path.join(consumer, 'node_modules', name), 'dir');
  }
  const source = path.join(__dirname, 'consumer/app.ts');
  for (const name of ['app.ts', 'app.mts']) copyFileSync(source, path.join(consumer, name));
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

test.each([
  ['node16', 'node16'],
  ['bundler', 'preserve'],
])('its types are found and strict under moduleResolution %s', (moduleResolution, module) => {
  tsc('--noEmit', '--module', module, '--moduleResolution', moduleResolution);
});

describe('a project that installs it', () => {
  beforeAll(() => tsc('--module', 'node16', '--moduleResolution', 'node16'));

  test.each(['app.js', 'app.mjs'])('synthesizes in %s what the repository does', (file) => {
    const outdir = path.join(consumer, `${file}.out`);
    succeed(run(consumer, 'node', file, outdir));
    const template = JSON.parse(readFileSync(path.join(outdir, 'larger.template.json'), 'utf8'));
    expect(template).toEqual(own);
  });

  test('runs its command', () => {
    const bin = path.join(consumer, 'node_modules/.bin/stowage');
    expect(succeed(run(consumer, bin, '--help')).stdout).toMatch(/^usage: stowage COMMAND/);
    expect(succeed(run(consumer, bin, 'start', '--help')).stdout).toContain('--cdk-out FOLDER');
    const { status, stderr } = run(consumer, bin, 'strat');
    expect([status, stderr]).toEqual([1, expect.stringContaining('stowage has no command strat')]);
  });
});

const FOLDER = path.join(ROOT, 'dist/package');

/** Everything in the package, by its path in there. */
const shipped = () =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.split(path.sep).join('/'),
  );

const textOf = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');

test('holds no folder of this machine and no address of a registry', () => {
  const texts = shipped().filter((name) => /\.(m?[jt]s|json|md|txt)$/.test(name));
  expect(texts).toContain('dist/lambdas/api/index.js');
  const wrong = texts.filter((name) =>
    [ROOT, 'registry.npm'].some((s) => textOf(name).includes(s)),
  );
  expect(wrong).toEqual([]);
});

test('documents link to what goes along', () => {
  const names = new Set(shipped());
  const links = [...names]
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      [...textOf(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
        path.posix.join(path.posix.dirname(name), target),
      ),
    );
  expect(links).toContain('docs/client.md');
  expect(links.filter((link) => !names.has(link))).toEqual([]);
});

function tsc(...args: string[]): void {
  const files = ['app.ts', 'app.mts'];
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const strict = [
    '--strict',
    '--target',
    'es2022',
    '--types',
    'node',
    '--skipLibCheck',
    '--ignoreConfig',
  ];
  succeed(run(consumer, process.execPath, compiler, ...strict, ...args, ...files));
}

/** Apps get the context that the sources are synthesized with. */
function run(cwd: string, command: string, ...args: string[]): SpawnSyncReturns<string> {
  const context = { CDK_CONTEXT_JSON: JSON.stringify(cdkJson.context), CDK_VALIDATION: 'false' };
  return spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, ...context } });
}

function succeed(result: SpawnSyncReturns<string>): SpawnSyncReturns<string> {
  const output = `${result.stdout}${result.stderr}`;
  if (result.status !== 0)
    throw new Error(`exit ${result.status}: ${output}`, { cause: result.error });
  return result;
}
