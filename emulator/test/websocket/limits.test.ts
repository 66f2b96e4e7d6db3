import { connect } from 'node:net';
import type WebSocket from 'ws';
import { until } from '../support/until';
import { serve } from './service';

const FRAME = 32_768;

test.each([
  ['a frame', FRAME, 1],
  ['a message of several frames', 4 * FRAME, 4],
])('%s of the largest size reaches the function', async (_, bytes, frames) => {
  const service = await serve();
  const { socket } = await service.connect();
  const part = 'x'.repeat(bytes / frames);
  for (let n = 1; n <= frames; n++) socket.send(part, { fin: n === frames });
  await until(() => service.eventsOf('MESSAGE').length === 1);
  expect(service.eventsOf('MESSAGE')[0]?.body).toHaveLength(bytes);
});

test.each<[string, number, (socket: WebSocket) => void]>([
  ['a frame of more than 32 KiB', 1009, (s) => s.send('x'.repeat(FRAME + 1))],
  ['a frame of more than 64 KiB', 1009, (s) => s.send('x'.repeat(2 * FRAME + 1))],
  [
    'a message of more than 128 KiB',
    1009,
    (s) => {
      for (let n = 1; n <= 4; n++) s.send('x'.repeat(FRAME), { fin: false });
      s.send('x', { fin: true });
    },
  ],
  ['a binary frame', 1003, (s) => s.send(Buffer.from('{}'))],
  ['text that is not UTF-8', 1007, (s) => s.send(Buffer.from([0xff]), { binary: false })],
])('%s closes the connection', async (_, code, send) => {
  const service = await serve();
  const client = await service.connect();
  send(client.socket);
  expect(await client.closed).toBe(code);
  await until(() => service.eventsOf('DISCONNECT').length === 1);
  expect(service.eventsOf('MESSAGE')).toEqual([]);
  const [event] = service.eventsOf('DISCONNECT');
  expect(event?.requestContext.disconnectStatusCode).toBe(code);
});

test('an idle connection is closed', async () => {
  const service = await serve(undefined, { idleMilliseconds: 100 });
  const client = await service.connect();
  expect(await client.closed).toBe(1001);
  await until(() => service.eventsOf('DISCONNECT').length === 1);
  expect(service.eventsOf('DISCONNECT')[0]?.requestContext).toMatchObject({
    disconnectStatusCode: 1001,
    disconnectReason: 'Going away',
  });
});

test('messages keep a connection open, pings do not', async () => {
  const service = await serve(undefined, { idleMilliseconds: 1_000 });
  const talking = await service.connect();
  const pinging = await service.connect();
  let open = true;
  void talking.closed.then(() => {
    open = false;
  });
  const timer = setInterval(() => {
    talking.socket.send('{}');
    pinging.socket.ping();
  }, 20);
  expect(await pinging.closed).toBe(1001);
  expect(open).toBe(true);
  clearInterval(timer);
  expect(await talking.closed).toBe(1001);
});

test('a busy connection is closed at the end of its lifetime', async () => {
  const service = await serve(undefined, { lifetimeMilliseconds: 200 });
  const { socket, closed } = await service.connect();
  const timer = setInterval(() => socket.send('{}'), 20);
  expect(await closed).toBe(1001);
  clearInterval(timer);
});

test('a client that does not respond to the close frame is disconnected', async () => {
  const service = await serve(undefined, { idleMilliseconds: 50 });
  const socket = connect(service.port, '127.0.0.1');
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    [
      `GET ${new URL(service.url).pathname} HTTP/1.1`,
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  );
  socket.resume();
  await ended;
  await until(() => service.eventsOf('DISCONNECT').length === 1);
  expect(service.eventsOf('DISCONNECT')[0]?.requestContext.disconnectStatusCode).toBe(1001);
});

test('a stop closes every connection, even without a reader, and invokes no function', async () => {
  const service = await serve();
  const client = await service.connect();
  const paused = await service.connect();
  paused.socket.pause();
  await service.api.stop();
  expect(await client.closed).toBe(1012);
  expect(service.eventsOf('DISCONNECT')).toEqual([]);
  await expect(fetch(service.api.endpoint)).rejects.toThrow();
  paused.socket.terminate();
});

test('a stop aborts handshakes', async () => {
  const service = await serve(() => new Promise(() => {}));
  const broken = service.connect().catch(String);
  await until(() => service.events.length === 1);
  await service.api.stop();
  expect(await broken).toMatch(/socket hang up|ECONNRESET/);
  await expect(service.connect()).rejects.toThrow();
});
