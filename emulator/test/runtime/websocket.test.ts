import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import WebSocket from 'ws';
import type { LocalRuntime } from '../../src/runtime/runtime';
import { afterTest } from '../support/clean-up';
import { useRuntime } from './service';
import { websocketTemplate } from './websocket-template';

async function connect({ websocketUrl = '' }: LocalRuntime) {
  const client = new WebSocket(websocketUrl, { headers: { Authorization: 'Bearer x' } });
  afterTest(() => client.terminate());
  await once(client, 'open');
  return client;
}

test('a function of the stack accepts the handshake and responds to a message by a post', async () => {
  const { runtime, dataDir } = await useRuntime(websocketTemplate());
  const { baseUrl, websocketUrl, endpoints } = runtime;
  expect(websocketUrl).toBe(`${baseUrl.replace('http', 'ws')}/sync`);

  const client = await connect(runtime);
  client.send('{"action":"ping"}');
  const [message] = await once(client, 'message');

  expect(JSON.parse(String(message))).toEqual({
    read: expect.stringMatching(/AccessDenied.*execute-api:ManageConnections.*\/sync\/GET\/@conn/),
    url: websocketUrl,
    api: expect.stringMatching(/^https:\/\/\w+\.execute-api\.us-east-1\.amazonaws\.com\/sync$/),
  });
  expect(runtime.outputs.SyncUrl).toBe(websocketUrl);
  const described = JSON.parse(readFileSync(join(dataDir, 'endpoints.json'), 'utf8'));
  expect(described.websocketUrl).toBe(websocketUrl);
  expect(described.endpoints.connections).toBe(endpoints.connections);
  expect(endpoints.connections).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sync$/);
});

test('a client is refused when the function refuses the handshake', async () => {
  const { runtime } = await useRuntime(websocketTemplate());
  const client = new WebSocket(String(runtime.websocketUrl));
  client.on('error', () => {});
  const [, response] = await once(client, 'unexpected-response');
  expect(response.statusCode).toBe(401);
  client.terminate();
});

test('a request without an upgrade to the path of the channel reaches the REST API', async () => {
  const { runtime } = await useRuntime(websocketTemplate());
  const response = await fetch(`${runtime.baseUrl}/sync`);
  expect(await response.json()).toEqual({ message: 'Missing Authentication Token' });
});

test('the path and the time limits of channels can be chosen', async () => {
  const websocket = { path: '/live', lifetimeMilliseconds: 100 };
  const { runtime } = await useRuntime(websocketTemplate(), { websocket });
  expect(runtime.websocketUrl).toMatch(/\/live$/);
  const client = await connect(runtime);
  const [code] = await once(client, 'close');
  expect(code).toBe(1001);
});

test('a stop closes the open channels and all ports', async () => {
  const { runtime } = await useRuntime(websocketTemplate());
  const client = await connect(runtime);
  const closed = once(client, 'close');
  await runtime.stop();
  expect((await closed)[0]).toBe(1012);
  await expect(fetch(String(runtime.endpoints.connections))).rejects.toThrow();
  await expect(fetch(runtime.baseUrl)).rejects.toThrow();
});
