import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { parseEndpoint } from '../../../adapters/aws/environment';
import { open, readAll } from '../../../adapters/aws/http';
import { startScriptedServer } from '../../support/scripted-server';

const TIMEOUTS = { connection: 10_000, request: 10_000 };
const REQUEST = { method: 'GET', path: '/', headers: {} };

test('a response longer than the bound is refused, and its connection closed', async () => {
  const server = await startScriptedServer([{ status: 200, body: 'x'.repeat(100_000) }]);
  try {
    const { message } = await open(parseEndpoint(server.endpoint), REQUEST, TIMEOUTS);
    const closed = new Promise((resolve) => message.once('close', resolve));
    await expect(readAll(message, 99_999, 10_000)).rejects.toThrow('ResponseTooLarge');
    await closed;
  } finally {
    await server.stop();
  }
});

test('requests after each other use one connection', async () => {
  const server = await startScriptedServer([{ status: 200, body: 'fine' }]);
  try {
    const ports = new Set<number | undefined>();
    for (let n = 0; n < 3; n++) {
      const { message } = await open(parseEndpoint(server.endpoint), REQUEST, TIMEOUTS);
      ports.add(message.socket.localPort);
      await readAll(message, 100, 10_000);
    }
    expect(ports.size).toBe(1);
  } finally {
    await server.stop();
  }
});

test('a process that was busy meanwhile finds the connection that was made in time', async () => {
  const server = await startScriptedServer([{ status: 200, body: 'fine' }]);
  try {
    const timeouts = { ...TIMEOUTS, connection: 20 };
    const opened = open(parseEndpoint(server.endpoint), REQUEST, timeouts);
    // By now the connection is being made.
    await new Promise(process.nextTick);
    const busyUntil = performance.now() + 100;
    while (performance.now() < busyUntil);
    const { message } = await opened;
    expect(String(await readAll(message, 100, 10_000))).toBe('fine');
  } finally {
    await server.stop();
  }
});

test('a response is read as a whole up to the bound, whatever number of pieces it comes in', async () => {
  const body = Array.from({ length: 20_000 }, (_, n) => `${n},`).join('');
  const server = await startScriptedServer([{ status: 200, body }, { status: 204 }]);
  try {
    const endpoint = parseEndpoint(server.endpoint);
    const { message, status } = await open(endpoint, REQUEST, TIMEOUTS);
    expect([status, String(await readAll(message, body.length, 10_000))]).toEqual([200, body]);
    const empty = await open(endpoint, REQUEST, TIMEOUTS);
    expect([empty.status, String(await readAll(empty.message, 0, 10_000))]).toEqual([204, '']);
  } finally {
    await server.stop();
  }
});

test('a body, and an address in brackets as an IPv6 address has, are sent as Node.js wants them', async () => {
  const server = await startScriptedServer([{ status: 200 }]);
  try {
    const { port = 0 } = parseEndpoint(server.endpoint);
    const endpoint = { protocol: 'http:', hostname: '[127.0.0.1]', port } as const;
    const request = { ...REQUEST, method: 'PUT', path: '/a?b', headers: { 'x-a': 'b' }, body: 'ü' };
    await readAll((await open(endpoint, request, TIMEOUTS)).message, 100, 10_000);
    expect(server.received).toMatchObject([
      { method: 'PUT', path: '/a?b', headers: { 'x-a': 'b' }, body: 'ü' },
    ]);
  } finally {
    await server.stop();
  }
});

test('the time to connect does not bound the response, on a new connection or a kept one', async () => {
  // Responds when the time to connect is over.
  const respond = (_: unknown, response: ServerResponse) =>
    setTimeout(() => response.end('x'), 150);
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const endpoint = parseEndpoint(`http://127.0.0.1:${address.port}`);
  try {
    for (let n = 0; n < 2; n++) {
      const { message } = await open(endpoint, REQUEST, { connection: 100, request: 10_000 });
      expect(String(await readAll(message, 100, 10_000))).toBe('x');
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the time of a request bounds the wait for its response, not the reading of it', async () => {
  const server = createServer((_, response) => {
    response.write('a');
    setTimeout(() => response.end('b'), 150);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const endpoint = parseEndpoint(`http://127.0.0.1:${address.port}`);
  try {
    const { message } = await open(endpoint, REQUEST, { connection: 10_000, request: 100 });
    expect(String(await readAll(message, 100, 10_000))).toBe('ab');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
