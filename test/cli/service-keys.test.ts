/** Which service receives which API key, as a service that listens sees it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { findService } from '../../cli/shared/service';
import { useTemporaryFolder } from '../support/temporary-folder';
import { runInProcess } from '../system/support/in-process';

const folder = useTemporaryFolder('keys');
const received: (string | undefined)[] = [];
const server = createServer((request, response) => {
  received.push(request.headers.authorization);
  response.setHeader('Content-Type', 'application/json').end('{"buckets":[]}');
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

beforeEach(() => {
  received.length = 0;
  writeHere(url);
  mkdirSync(path.join(folder, 'stowage'), { recursive: true });
});

/** Writes the files of a local service into the current folder, as a stranger's archive can. */
function writeHere(baseUrl: string): void {
  mkdirSync(path.join(folder, '.local'), { recursive: true });
  writeFileSync(path.join(folder, '.local/endpoints.json'), JSON.stringify({ baseUrl }));
  writeFileSync(path.join(folder, '.local/first-api-key'), 'osk_local\n');
}

function saveProfile(profileUrl: string): void {
  const profiles = { home: { url: profileUrl, key: 'osk_home' } };
  const config = JSON.stringify({ default: 'home', profiles });
  writeFileSync(path.join(folder, 'stowage/config.json'), config);
}

afterEach(() => rmSync(path.join(folder, 'stowage'), { recursive: true }));

const stowage = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess(args, { folder, env: { XDG_CONFIG_HOME: folder, ...env } });

const TAB = ['__complete', '--', 'ls', ''];
const SECRET = { STOWAGE_KEY: 'osk_secret' };

test.each<[string, readonly string[], Record<string, string>]>([
  ['of the environment', ['ls'], SECRET],
  ['of the old variable', ['ls'], { STOWAGE_API_KEY: 'osk_secret' }],
  ['of an option', ['ls', '--key', 'osk_secret'], {}],
])('a key %s goes to no service that nobody names', async (_whose, args, env) => {
  for (const hasProfile of [false, true]) {
    if (hasProfile) saveProfile(url);
    const { status, stderr } = await stowage(args, env);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/--url.*STOWAGE_URL/)]);
  }
  expect(received).toEqual([]);
});

test('TAB asks no service that only a file of the current folder names', async () => {
  for (const env of [SECRET, {}]) {
    expect(await stowage(TAB, env)).toMatchObject({ status: 0, stdout: '' });
  }
  expect(received).toEqual([]);
  saveProfile(url);
  await stowage(TAB, SECRET);
  expect(received).toEqual([]);
  await stowage(TAB);
  expect(received).toEqual(['Bearer osk_home']);
});

test('each service receives the key that belongs to it', async () => {
  const one = async (args: readonly string[], env: Record<string, string> = {}) => {
    received.length = 0;
    const { status, stderr } = await stowage(['ls', ...args], env);
    expect([status, stderr]).toEqual([0, '']);
    return received[0];
  };
  expect(await one([])).toBe('Bearer osk_local');
  expect(await one(['--data', '.local'], SECRET)).toBe('Bearer osk_local');
  expect(await one([], { STOWAGE_URL: url, ...SECRET })).toBe('Bearer osk_secret');
  expect(await one(['--url', url], SECRET)).toBe('Bearer osk_secret');
  saveProfile(url);
  expect(await one([])).toBe('Bearer osk_home');
  expect(await one(['--profile', 'home'], SECRET)).toBe('Bearer osk_home');
  expect(await one(['--profile', 'home', '--key', 'osk_mine'])).toBe('Bearer osk_mine');
});

test.each(['https://files.example.com', 'http://10.0.0.1', 'http://127.0.0.1@a.example', 'x'])(
  'a file of the current folder cannot name the service %s',
  async (elsewhere) => {
    writeHere(elsewhere);
    const { status, stderr } = await stowage(['ls']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('pass --data .local')]);
  },
);

test('a folder of another user is not trusted', async () => {
  const own = process.getuid;
  if (own === undefined) return;
  process.getuid = () => own() + 1;
  try {
    const { status, stderr } = await stowage(['ls']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('another user wrote')]);
  } finally {
    process.getuid = own;
  }
  expect(received).toEqual([]);
});

test('a key goes unencrypted to another machine only when that is allowed', async () => {
  const plain = 'http://files.invalid';
  saveProfile(plain);
  for (const args of [
    ['ls', '--url', plain, '--key', 'k'],
    ['ls'],
    ['login', '--url', plain, '--key', 'k'],
    ['smoke', '--base-url', plain, '--key', 'k'],
    ['smoke', '--base-url', url, '--key', 'k', '--api-url', plain],
  ]) {
    const { status, stderr } = await stowage(args);
    expect([args, status, stderr]).toEqual([
      args,
      2,
      expect.stringContaining('--allow-plain-http'),
    ]);
  }
  const service = { url: plain, key: 'k' };
  expect(findService({ ...service, allowPlainHttp: true }, {})).toEqual(service);
  expect(findService(service, { STOWAGE_ALLOW_PLAIN_HTTP: '1' })).toEqual(service);
});
