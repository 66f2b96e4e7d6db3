/** What hostile requests, content and folders reach. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { StowageClient } from '../../client';
import { backUp } from '../../server/data-folder/backup';
import { createFirstKey } from '../../server/first-key';
import { type RunningServer, startServer } from '../../server/server';
import { useTemporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const folder = useTemporaryFolder('hostile');
const data = path.join(folder, 'data');
const OWN = 'https://files.example.com';
let server: RunningServer;
let client: StowageClient;
let key = '';

beforeAll(async () => {
  server = await startServer({ folder: data, port: 0, metricsPort: 0 });
  key = await createFirstKey(server.stores, 'test');
  client = new StowageClient({ baseUrl: server.url, apiKey: key });
  await client.buckets.create('photos');
});
afterAll(() => server.stop());

/** Sends raw bytes, and returns what arrives until the end of the connection. */
function raw(head: readonly string[], body = ''): Promise<string> {
  const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\nHost: x\r\nConnection: close\r\n\r\n${body}`);
  return text(socket);
}

test.each([
  'text/html',
  'image/svg+xml',
  'image/png',
  'image/png;a, text/html',
  'application/pdf;a=b',
  'application/pdf+xml',
  'audio/x+xml',
])('content of type %s runs nothing in the origin of the service', async (type) => {
  await client.put('photos', 'page', '<script>alert(1)</script>', { contentType: type });
  const { url } = await client.signedUrl('photos', 'page', { method: 'GET' });
  const { headers } = await fetch(url);
  expect(headers.get('content-security-policy')).toMatch(/^sandbox;/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a completion of many unclosed parts does not stop the service', async () => {
  const multipart = { size: 20_000_000, part_size: 8_000_000 };
  const response = await fetch(`${server.url}/api/v2/storage/signed-url`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ bucket: 'photos', key: 'parts', method: 'PUT', multipart }),
  });
  const { complete } = (await response.json()) as { complete: { url: string; headers: object } };
  const began = performance.now();
  const { status } = await fetch(complete.url, {
    method: 'POST',
    headers: { ...complete.headers },
    body: '<Part>'.repeat(300_000),
  });
  expect(status).toBe(400);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a request that offers another protocol is answered without it', async () => {
  const upgrade = ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'];
  expect(await raw(['GET /healthz HTTP/1.1', ...upgrade])).toMatch(/^HTTP\/1.1 200 [\s\S]*ok\n$/);
  const put = ['PUT /api/v2/storage/objects/photos/h2c HTTP/1.1', `Authorization: Bearer ${key}`];
  const answer = await raw([...put, 'Content-Length: 5', ...upgrade], 'hello');
  expect(answer).toMatch(/^HTTP\/1.1 201 /);
  expect(await (await client.get('photos', 'h2c')).text()).toBe('hello');
});

test('a malformed handshake keeps no channel', async () => {
  for (let n = 0; n < 20; n++) {
    const answer = await raw([
      'GET /api/v2/storage/sync HTTP/1.1',
      `Authorization: Bearer ${key}`,
      'Upgrade: websocket',
    ]);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
  }
  await until('no channel', async () =>
    (await (await fetch(server.metricsUrl ?? '')).text()).includes('stowage_channels 0'),
  );
});

test('a body without a key is refused before it is read', async () => {
  const large = String(4 * 1024 ** 2);
  for (const target of ['/api/v2/storage/objects/photos/a', '/sign-in/token', '/admin/v1/keys']) {
    // Nothing of the body is sent.
    const answer = await raw([`POST ${target} HTTP/1.1`, `Content-Length: ${large}`], 'x');
    expect(answer).toMatch(/^HTTP\/1.1 4(01|13) /);
  }
});

test('pages of its own address may open the channel', async () => {
  const other = await startServer({ port: 0, url: OWN });
  const preflight = await fetch(`${other.listening}/api/v2/storage/buckets`, {
    method: 'OPTIONS',
    headers: { Origin: OWN, 'Access-Control-Request-Method': 'GET' },
  });
  expect(preflight.status).toBe(204);
  await other.stop();
});

test('a folder of somebody is neither served nor replaced by a backup', async () => {
  const site = path.join(folder, 'site');
  mkdirSync(path.join(site, 'content', 'posts'), { recursive: true });
  const post = path.join(site, 'content', 'posts', 'a.md');
  writeFileSync(post, 'mine');
  await expect(startServer({ folder: site, port: 0 })).rejects.toThrow('has other files');
  writeFileSync(path.join(site, 'stowage.db'), 'mine too');
  await expect(backUp(data, site)).rejects.toThrow('has other files');
  await expect(backUp(data, data)).rejects.toThrow('one folder');
  await expect(backUp(data, path.join(data, 'inside'))).rejects.toThrow('one folder');
  expect([readFileSync(post, 'utf8'), existsSync(path.join(data, 'inside'))]).toEqual([
    'mine',
    false,
  ]);
  // A served folder is no backup, even if the two are given in the wrong order.
  const backup = path.join(folder, 'backup');
  await backUp(data, backup);
  await expect(backUp(backup, data)).rejects.toThrow('has other files');
  await backUp(data, backup);
});

test('an empty secret of sign-ins is replaced, and nobody else reads the folder', () => {
  const fresh = path.join(folder, 'fresh');
  mkdirSync(fresh, { mode: 0o777 });
  writeFileSync(path.join(fresh, 'sign-in-secret'), '');
  const script = `
    const { openFolder, signInSecret } = require('./cli/serve/published-files');
    openFolder(process.argv[1]);
    signInSecret(process.argv[1]).then(({ length }) =>
      console.log(length, require('fs').statSync(process.argv[1]).mode & 0o777));`;
  const root = path.join(__dirname, '../..');
  const tsx = path.join(root, 'node_modules/tsx/dist/cli.mjs');
  const { stdout } = spawnSync(process.execPath, [tsx, '-e', script, fresh], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stdout).toBe(`43 ${0o700}\n`);
});
