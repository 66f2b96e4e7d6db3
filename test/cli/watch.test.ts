/** The command `watch` in its own process. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { KEY, type ModelService, startModelService } from '../client/model-service';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const ROOT = path.join(__dirname, '../..');

let service: ModelService;
let data: TemporaryFolder;
let running: ChildProcessWithoutNullStreams[];

beforeEach(async () => {
  service = await startModelService();
  service.model.create('photos');
  data = temporaryFolder('watch');
  running = [];
});

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  data.remove();
  await service.stop();
});

function watch(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'cli/stowage.ts', 'watch', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: data.folder, ...env },
  });
  running.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const closed = once(child, 'close').then(([status]) => ({ status, ...output }));
  return { child, output, closed };
}

function put(key: string): void {
  service.model.commit('photos', [{ type: 'put', key }]);
}

test('watch prints each change of the local service and exits with 0 on Ctrl-C', async () => {
  writeFileSync(
    path.join(data.folder, 'endpoints.json'),
    JSON.stringify({ baseUrl: service.baseUrl }),
  );
  writeFileSync(path.join(data.folder, 'first-api-key'), `${KEY}\n`);
  const { child, output, closed } = watch(['photos', '--data', data.folder]);
  await until('the start', () => output.stderr.includes('watching photos from cursor 0'));
  expect(output.stderr).toContain('connected by WebSocket');
  put('a/1');
  put('\u009b2Jb\u202e');
  await until(
    'two changes',
    () => output.stdout.split('\n').length === 3 || child.exitCode !== null,
  );
  child.kill('SIGINT');
  const { status, stdout } = await closed;
  expect(status).toBe(0);
  expect(stdout).toContain('     1  put     a/1  version 1, 5 B, text/plain\n');
  expect(stdout).toContain('     2  put     \\u{9b}2Jb\\u{202e}  version 1');
});

test('watch prints the changes after a cursor as JSON, by long polling', async () => {
  put('a');
  put('b');
  const args = ['photos', '--cursor', '1', '--json', '--transport', 'poll'];
  const { child, output, closed } = watch([...args, '--url', service.baseUrl], {
    STOWAGE_KEY: KEY,
  });
  await until('a change', () => output.stdout.includes('\n'));
  child.kill('SIGTERM');
  const { status, stdout } = await closed;
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'put', cursor: 2, object: { key: 'b' } });
});

test.each<[string, readonly string[], number, RegExp]>([
  ['no bucket is named', [], 2, /^stowage: missing required argument 'address'\n/],
  [
    'an option is unknown',
    ['photos', '--curser', '1'],
    2,
    /unknown option '--curser'\n\(Did you mean --cursor\?\)/,
  ],
  [
    'the cursor is not a number',
    ['photos', '--cursor', 'x'],
    2,
    /^stowage: --cursor must be a whole number/,
  ],
  [
    'no service runs here',
    ['photos', '--data', 'nowhere'],
    1,
    /^stowage: no service: set STOWAGE_URL and STOWAGE_KEY/,
  ],
])('watch reports in one line that %s', async (_what, args, expected, text) => {
  const { status, stderr, stdout } = await watch(args).closed;
  expect(stdout).toBe('');
  expect(stderr).toMatch(text);
  expect(status).toBe(expected);
});

test.each<[string, readonly string[], number, RegExp]>([
  [
    'there is no key',
    [],
    1,
    /^stowage: no API key for \S+: pass --key, set STOWAGE_KEY, or 'stowage login'\n$/,
  ],
  [
    'the key is not accepted',
    ['--key', 'x'],
    4,
    /^stowage: the service does not accept this API key: see 'stowage login' \(request r-1\)\n$/,
  ],
])('watch reports in one line that %s', async (_what, args, expected, text) => {
  const where = ['--url', service.baseUrl, '--data', data.folder];
  const { status, stderr } = await watch(['photos', ...where, ...args]).closed;
  expect(stderr).toMatch(text);
  expect(status).toBe(expected);
});

test('watch reports an unreachable service and keeps trying', async () => {
  await service.stop();
  const where = ['--url', service.baseUrl, '--key', KEY];
  const { child, output, closed } = watch(['photos', ...where]);
  await until('the failure', () => output.stderr.includes('no response from'));
  child.kill('SIGINT');
  expect((await closed).status).toBe(0);
  service = await startModelService();
});
