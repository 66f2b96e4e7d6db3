/** What the service in one process does on the wire, beyond the acceptance suite. */
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { StowageClient } from '../../client';
import { createFirstKey } from '../../server/first-key';
import { type RunningServer, startServer } from '../../server/server';

const MiB = 1024 ** 2;

let server: RunningServer;
let headers: Record<string, string>;

beforeAll(async () => {
  server = await startServer({ port: 0 });
  const apiKey = await createFirstKey(server.stores, 'test');
  headers = { Authorization: `Bearer ${apiKey}` };
  const client = new StowageClient({ baseUrl: server.url, apiKey });
  await client.buckets.create('wire');
  await client.upload('wire', 'large', Buffer.alloc(11 * MiB));
});
afterAll(() => server.stop());

const urlOf = (key: string) => `${server.url}/api/v2/storage/objects/wire/${key}`;

test.each([
  ['chunked', {}],
  ['announced', { 'Content-Length': String(11 * MiB) }],
])('a body that is too large and %s gets the whole refusal while it is sent', async (_, length) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, key: string, body?: Buffer) =>
    new Promise<{ status?: number; body: string }>((resolve, reject) => {
      const sent = { ...headers, ...(body && length) };
      const request = http.request(urlOf(key), { method, agent, headers: sent }, (response) =>
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
      );
      request.on('error', reject);
      if (body) request.write(body);
      request.end();
    });
  const refused = await ask('PUT', 'too-large', Buffer.alloc(11 * MiB));
  expect(refused.status).toBe(413);
  expect(JSON.parse(refused.body)).toMatchObject({ error: { code: 'payload_too_large' } });
  expect((await ask('HEAD', 'too-large')).status).toBe(404);
  agent.destroy();
});

test('the URL of a redirect is valid for at most 60 s', async () => {
  const { status, headers: sent } = await fetch(urlOf('large'), { headers, redirect: 'manual' });
  expect(status).toBe(307);
  const token = new URL(sent.get('location') ?? '').searchParams.get('signed') ?? '';
  const { expiresAt } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  expect(expiresAt).toBeGreaterThan(Date.now());
  expect(expiresAt).toBeLessThanOrEqual(Date.now() + 60_000);
});

test('a message of up to 128 KiB is answered', async () => {
  const url = `${server.url.replace('http', 'ws')}/api/v2/storage/sync`;
  const socket = new WebSocket(url, { headers });
  await new Promise((resolve) => socket.once('open', resolve));
  const answer = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
  socket.send(JSON.stringify({ action: 'ping', id: 'x'.repeat(100 * 1024) }));
  expect(JSON.parse(String(await answer))).toMatchObject({ type: 'error' });
  socket.close();
});
