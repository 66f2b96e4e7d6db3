import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdkJson from '../../cdk.json';
import { decode } from '../../examples/gallery/functions/thumbnails/png';
import { ObjectStorage } from '../../lib';
import { useApp } from '../lib/synthesize';
import {
  type Running,
  startLocalService,
  startServed,
} from '../support/local-service/start-local-service';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const ROOT = path.join(__dirname, '../..');

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
const manifest = readManifest('.');
const ENGINES = Object.keys(readManifest('emulator').optionalDependencies);

/** What is not committed in the example: installed and generated files. */
const SKIPPED = /\/(node_modules|dist|cdk\.out|\.local)$/;

/** The stack of consumer/app.ts, synthesized from the sources instead of the package. */
const stack = new Stack(useApp(), 'larger');
new ObjectStorage(stack, 'Storage', { retention: Duration.days(2), edge: {} });
const own = Template.fromStack(stack).toJSON();

/** The tests install and compile, concurrently with other test files. */
jest.setTimeout(300_000);

const projects: TemporaryFolder[] = [];
afterAll(() => {
  for (const project of projects) project.remove();
});

let consumer = '';

beforeAll(() => {
  consumer = newProject(['aws-cdk-lib', 'constructs', '@types/node', 'undici-types', 'libsql']);
  const source = path.join(__dirname, 'consumer/app.ts');
  for (const name of ['app.ts', 'app.mts']) copyFileSync(source, path.join(consumer, name));
  const options = path.join(__dirname, 'consumer/options.ts');
  copyFileSync(options, path.join(consumer, 'options.ts'));
});

test('its bill of materials lists each bundled package with the hash of its tarball', () => {
  const folder = path.join(ROOT, 'dist/package');
  const { components } = JSON.parse(readFileSync(path.join(folder, 'sbom.cdx.json'), 'utf8'));
  const listed = components.map(
    ({ name, version }: Readonly<Record<string, string>>) => `${name} ${version}`,
  );
  const notices = readFileSync(path.join(folder, 'NOTICES.txt'), 'utf8');
  const noticed = [...notices.matchAll(/^(\S+ \d+\.\d+\.\S+) \(.*\)$/gm)].map(([, id]) => id);
  expect(listed.length).toBeGreaterThan(50);
  expect(new Set(listed)).toEqual(new Set(noticed));
  expect(components).not.toContainEqual(expect.not.objectContaining({ hashes: expect.anything() }));
});

test('its types compile in strict mode with moduleResolution bundler', () => {
  tsc(FILES, '--noEmit', '--module', 'preserve', '--moduleResolution', 'bundler');
});

test('every option of the client may be undefined, also with exactOptionalPropertyTypes', () => {
  const bundler = ['--module', 'preserve', '--moduleResolution', 'bundler'];
  tsc(['options.ts'], '--noEmit', '--exactOptionalPropertyTypes', ...bundler);
});

describe('a project that installs it', () => {
  let failure: unknown;

  // Compiles once for all tests, of which the first says what is wrong.
  beforeAll(() => {
    try {
      tsc(FILES, '--module', 'node16', '--moduleResolution', 'node16');
    } catch (error) {
      failure = error;
    }
  });

  test('compiles in strict mode with moduleResolution node16', () => {
    expect(failure).toBeUndefined();
  });

  test.each(['app.js', 'app.mjs'])(
    'synthesizes the same template by %s as the repository',
    (file) => {
      const outdir = path.join(consumer, `${file}.out`);
      succeed(run(consumer, 'node', file, outdir));
      const template = JSON.parse(readFileSync(path.join(outdir, 'larger.template.json'), 'utf8'));
      expect(template).toEqual(own);
    },
  );

  test('runs the command stowage', () => {
    const bin = path.join(consumer, 'node_modules/.bin/stowage');
    expect(succeed(run(consumer, bin, '--help')).stdout).toMatch(/^Usage: stowage /);
    expect(succeed(run(consumer, bin, 'start', '--help')).stdout).toContain('--cdk-out FOLDER');
    const { status, stderr } = run(consumer, bin, 'startt');
    expect([status, stderr]).toEqual([2, expect.stringContaining('Did you mean start?')]);
  });
});

/** A program for `stowage/testing`, after its import. */
const APPLICATION = `
startStowage().then(async ({ url, key, close }) => {
  const headers = { authorization: 'Bearer ' + key };
  const body = JSON.stringify({ name: 'photos' });
  const made = await fetch(url + '/api/v2/storage/buckets', { method: 'POST', headers, body });
  console.log(made.status);
  await close();
});`;

test.each([
  ['app-test.cjs', "const { startStowage } = require('stowage/testing');"],
  ['app-test.mjs', "import { startStowage } from 'stowage/testing';"],
])('%s starts the service in its process', (file, head) => {
  writeFileSync(path.join(consumer, file), head + APPLICATION);
  const { stdout, stderr } = succeed(run(consumer, 'node', file));
  expect([stdout, stderr]).toEqual(['201\n', '']);
});

test('the command serves the dashboard that the package contains', async () => {
  const service = await startServed(
    path.join(consumer, 'data'),
    [],
    [path.join(consumer, 'node_modules/stowage/bin/stowage.js')],
  );
  const page = await fetch(`${service.baseUrl}/`);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(await service.interrupt()).toBe(0);
});

// The steps of its README, except `npm install`, which would need a registry, and with other ports.
describe('the example gallery', () => {
  const example = path.join(ROOT, 'examples/gallery');
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(example, 'package.json'), 'utf8'),
  );
  let service: Running | undefined;
  let gallery = '';

  beforeAll(async () => {
    const { stowage: _installed, ...others } = { ...dependencies, ...devDependencies };
    gallery = newProject([...Object.keys(others), ...ENGINES, 'undici-types']);
    cpSync(example, gallery, { recursive: true, filter: (from) => !SKIPPED.test(from) });
    succeed(run(gallery, 'npm', 'run', 'synth'));
    const command = path.join(gallery, 'node_modules/stowage/bin/stowage.js');
    const cdkOut = ['--cdk-out', path.join(gallery, 'cdk.out')];
    const data = path.join(gallery, '.local');
    service = await startLocalService(data, cdkOut, [command, 'start']);
  });

  afterAll(() => service?.interrupt());

  test('uses the versions of the repository', () => {
    const { stowage: _ours, ...versions } = { ...dependencies, ...devDependencies };
    expect(manifest.devDependencies).toMatchObject(versions);
  });

  test('compiles without errors', () => {
    succeed(run(gallery, 'npm', 'run', 'types'));
  });

  test('creates a thumbnail of a picture, and deletes it with the picture', async () => {
    const { baseUrl = '', apiKey = '' } = service ?? {};
    const storage = `${baseUrl}/api/v2/storage`;
    const headers = { authorization: `Bearer ${apiKey}` };
    const ask = (method: string, url: string, body?: string | Buffer<ArrayBuffer>) =>
      fetch(`${storage}/${url}`, { method, headers, body });
    expect((await ask('POST', 'buckets', '{"name":"gallery"}')).status).toBe(201);
    const picture = readFileSync(path.join(gallery, 'picture.png'));
    expect((await ask('PUT', 'objects/gallery/originals/sunset.png', picture)).status).toBe(201);

    const thumbnail = await untilStatus(200, () =>
      ask('GET', 'objects/gallery/thumbnails/sunset.png'),
    );
    const { width, height, pixels } = decode(Buffer.from(await thumbnail.arrayBuffer()));
    expect([width, height]).toEqual([128, 80]);
    // Blue at the top left, white at the bottom right; red grows to the right, green to the bottom.
    expect([...pixels.subarray(0, 3)]).toEqual([0, 0, 128]);
    expect([...pixels.subarray(-3)]).toEqual([254, 253, 128]);

    const { apis } = JSON.parse(readFileSync(path.join(gallery, '.local/endpoints.json'), 'utf8'));
    const [[, pictures = ''] = []] = Object.entries<string>(apis);
    const response = await untilStatus(200, () => fetch(`${pictures}/pictures`));
    const [first] = JSON.parse(await response.text()).pictures;
    expect(first).toMatchObject({ key: 'originals/sunset.png' });
    const linked = await fetch(first.thumbnail_url);
    expect(decode(Buffer.from(await linked.arrayBuffer())).width).toBe(128);

    expect((await ask('DELETE', 'objects/gallery/originals/sunset.png')).status).toBe(200);
    await untilStatus(404, () => ask('GET', 'objects/gallery/thumbnails/sunset.png'));
  });
});

/** Sends the request until its response has this status, and returns the response. */
function untilStatus(status: number, ask: () => Promise<Response>): Promise<Response> {
  const send = async () => {
    const response = await ask();
    return response.status === status && response;
  };
  return until(`status ${status}`, send, { timeoutMs: 120_000, pauseMs: 200 });
}

const FOLDER = path.join(ROOT, 'dist/package');

/** Returns the paths of all files in the package. */
const shipped = () =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.split(path.sep).join('/'),
  );

const textOf = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');

test('the package contains no path of this machine and no address of a registry', () => {
  const texts = shipped().filter((name) => /\.(m?[jt]s|json|md|txt)$/.test(name));
  expect(texts).toContain('dist/lambdas/api/index.js');
  const wrong = texts.filter((name) =>
    [ROOT, 'registry.npm'].some((s) => textOf(name).includes(s)),
  );
  expect(wrong).toEqual([]);
});

test('documents of the package link only to files of the package', () => {
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

/**
 * Creates a folder with the package installed from its tarball, without a download. `links` are
 * dependencies that are linked from this repository.
 */
function newProject(links: readonly string[]): string {
  const project = temporaryFolder('project');
  projects.push(project);
  const { folder } = project;
  writeFileSync(path.join(folder, 'package.json'), '{"private": true}');
  const alone = ['--offline', '--ignore-scripts', '--omit=optional', '--legacy-peer-deps'];
  succeed(run(folder, 'npm', 'install', ...alone, path.join(ROOT, 'dist/stowage.tgz')));
  for (const name of links) {
    const link = path.join(folder, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules', name), link, 'dir');
  }
  return folder;
}

const FILES = ['app.ts', 'app.mts'];

function tsc(files: readonly string[], ...args: string[]): void {
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

/** Runs the command with the context of cdk.json, which the sources are synthesized with too. */
function run(cwd: string, command: string, ...args: string[]): SpawnSyncReturns<string> {
  const env = {
    ...process.env,
    CDK_CONTEXT_JSON: JSON.stringify(cdkJson.context),
    CDK_VALIDATION: 'false',
    // The commands of the linked dependencies.
    PATH: [process.env.PATH, path.join(ROOT, 'node_modules/.bin')].join(path.delimiter),
  };
  return spawnSync(command, args, { cwd, encoding: 'utf8', env });
}

function succeed(result: SpawnSyncReturns<string>): SpawnSyncReturns<string> {
  const output = `${result.stdout}${result.stderr}`;
  if (result.status !== 0)
    throw new Error(`exit ${result.status}: ${output}`, { cause: result.error });
  return result;
}
