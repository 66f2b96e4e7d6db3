import { parseEndpoint } from '../../../../lambdas/shared/aws/environment';
import { open, readAll } from '../../../../lambdas/shared/aws/http';
import { startScriptedServer } from '../../../support/scripted-server';

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
