/** The service in one process, as the product's own client meets it. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StowageClient } from '../../client';
import { createFirstKey } from '../../server/first-key';
import { type RunningServer, startServer } from '../../server/server';
import { temporaryFolder } from '../support/temporary-folder';

const data = temporaryFolder('server');
let server: RunningServer;
let apiKey: string;
let client: StowageClient;

beforeAll(async () => {
  server = await startServer({ folder: path.join(data.folder, 'data'), port: 0 });
  apiKey = await createFirstKey(server.stores, 'test');
  client = new StowageClient({ baseUrl: server.url, apiKey });
  await client.buckets.create('photos');
});
afterAll(async () => {
  await server.stop();
  data.remove();
});

test('an object is stored, read in ranges, listed and deleted', async () => {
  const stored = await client.put('photos', 'a/cat.txt', 'hello');
  expect(stored).toMatchObject({ size: 5, version: 1 });
  const response = await client.get('photos', 'a/cat.txt');
  expect(await response.text()).toBe('hello');
  const part = await fetch(`${server.url}/api/v2/storage/objects/photos/a/cat.txt`, {
    headers: { Authorization: `Bearer ${apiKey}`, Range: 'bytes=1-2' },
  });
  expect([part.status, await part.text()]).toEqual([206, 'el']);
  const keys: string[] = [];
  for await (const { key } of client.objects('photos', { prefix: 'a/' })) keys.push(key);
  expect(keys).toEqual(['a/cat.txt']);
  await client.delete('photos', 'a/cat.txt');
  await expect(client.get('photos', 'a/cat.txt')).rejects.toMatchObject({ code: 'not_found' });
});

test('a file above the limit of one request goes up in parts and comes back', async () => {
  const content = randomBytes(13_000_000);
  const file = path.join(data.folder, 'film');
  writeFileSync(file, content);
  const object = await client.upload('photos', 'film', { path: file }, { partSize: 5 * 1024 ** 2 });
  expect(object.size).toBe(content.length);
  const target = path.join(data.folder, 'back');
  await client.download('photos', 'film', { path: target });
  expect((await (await client.get('photos', 'film')).arrayBuffer()).byteLength).toBe(
    content.length,
  );
});

test('a signed PUT stores an object once, and a signed GET reads it', async () => {
  const signed = await client.signedUrl('photos', 'signed', {
    method: 'PUT',
    contentType: 'text/x',
  });
  const put = () => fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'once' });
  expect((await put()).status).toBe(200);
  expect((await put()).status).toBe(412);
  expect(await client.describe('photos', 'signed')).toMatchObject({ content_type: 'text/x' });
  const { url } = await client.signedUrl('photos', 'signed', { method: 'GET' });
  expect(await (await fetch(url)).text()).toBe('once');
  const forged = url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expect((await fetch(forged)).status).toBe(403);
});

test('a repeated signed PUT commits what a process that ended has only stored', async () => {
  const signed = await client.signedUrl('photos', 'half', { method: 'PUT' });
  const { searchParams } = new URL(signed.url);
  // What the server does first, without the commit that follows it.
  const stored = await server.stores.answerContent({
    ...{ method: 'PUT', signed: searchParams.get('signed') ?? '' },
    headers: { ...signed.headers, 'content-length': '4' },
    body: Readable.from([Buffer.from('half')]),
  });
  expect(stored.status).toBe(200);
  await expect(client.describe('photos', 'half')).rejects.toMatchObject({ code: 'not_found' });
  const again = await fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'half' });
  expect(again.status).toBe(412);
  expect(await client.describe('photos', 'half')).toMatchObject({ size: 4, version: 1 });
});

test('concurrent requests of one signed PUT make one change', async () => {
  await client.buckets.create('raced');
  const signed = await client.signedUrl('raced', 'once', { method: 'PUT' });
  const put = () => fetch(signed.url, { method: 'PUT', headers: signed.headers, body: 'once' });
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await put()).status));
  expect(statuses.sort()).toEqual([200, ...new Array(7).fill(412)]);
  const log = await fetch(`${server.url}/api/v2/storage/sync?bucket=raced&cursor=0`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  // A request that came second may have used up a cursor, and has changed nothing.
  const { changes } = (await log.json()) as { changes: readonly unknown[] };
  expect(changes).toMatchObject([{ type: 'put', object: { key: 'once', version: 1 } }]);
});

test('a request that waits for a change gets it soon after its commit', async () => {
  await client.buckets.create('followed');
  const waiting = fetch(`${server.url}/api/v2/storage/sync?bucket=followed&cursor=0&wait=20`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  await client.put('followed', 'one', 'one');
  const stored = performance.now();
  const page = await (await waiting).json();
  expect(page).toMatchObject({ changes: [{ cursor: 1 }] });
  expect(performance.now() - stored).toBeLessThan(5_000);
});

test('a request without a key, or to another path, has an error of the contract', async () => {
  const refused = await fetch(`${server.url}/api/v2/storage/buckets`);
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: 'unauthorized' } });
  const unknown = await fetch(`${server.url}/elsewhere`);
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ error: { code: 'not_found' } });
  const large = await fetch(`${server.url}/api/v2/storage/objects/photos/large`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${apiKey}` },
    body: Buffer.alloc(4 * 1024 ** 2 + 1),
  });
  expect(large.status).toBe(413);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test('a signed GET of a page runs nothing in the origin of the service', async () => {
  await client.put('photos', 'page.html', '<script>', { contentType: 'text/html' });
  const { url } = await client.signedUrl('photos', 'page.html', { method: 'GET' });
  const { headers } = await fetch(url);
  expect(headers.get('content-security-policy')).toContain('sandbox');
});

test('a target that is no path is refused as the request of a client', async () => {
  const { port } = new URL(server.url);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.end('GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
});

test('pages of this machine may use the service, others may not', async () => {
  const preflight = (origin: string) =>
    fetch(`${server.url}/api/v2/storage/buckets`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
    });
  const own = await preflight('http://localhost:5173');
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'http://localhost:5173',
  ]);
  expect((await preflight('https://example.com')).status).toBe(403);
});

test('a service that was stopped has everything when it starts again', async () => {
  const folder = path.join(data.folder, 'again');
  const first = await startServer({ folder, port: 0 });
  const key = await createFirstKey(first.stores, 'test');
  const before = new StowageClient({ baseUrl: first.url, apiKey: key });
  await before.buckets.create('kept');
  for (let n = 0; n < 5; n++) await before.put('kept', `key-${n}`, 'x'.repeat(n * 40_000));
  await first.stop();
  const second = await startServer({ folder, port: 0 });
  const after = new StowageClient({ baseUrl: second.url, apiKey: key });
  expect(await (await after.get('kept', 'key-4')).text()).toBe('x'.repeat(160_000));
  expect(await after.put('kept', 'next', 'x')).toMatchObject({ cursor: 6 });
  await second.stop();
});
