/** Handshakes at the HTTP server of the REST API. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { serve } from '../rest-api/service';
import { dial, untilClosed, untilText } from '../rest-api/wire';

const HANDSHAKE = 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const REQUEST = 'GET /open/x HTTP/1.1\r\nHost: x\r\n\r\n';

test('a handshake is passed on, even on a connection with earlier requests', async () => {
  const upgrade = (request: IncomingMessage, socket: Duplex) => {
    socket.end(`HTTP/1.1 418 ${request.url}\r\n\r\n`);
  };
  const { port } = await serve({ api: () => ({ statusCode: 200, body: 'ok' }) }, { upgrade });
  const socket = await dial(port);
  socket.write(REQUEST);
  await untilText(socket, 'ok');
  socket.write(HANDSHAKE);
  expect((await untilClosed(socket)).toString()).toBe('HTTP/1.1 418 /x\r\n\r\n');
});

test('a handshake before the response to an earlier request closes the connection', async () => {
  const upgraded = jest.fn();
  const { port, invoked } = await serve(
    { api: () => new Promise(() => {}) },
    { upgrade: upgraded },
  );
  const socket = await dial(port);
  socket.write(REQUEST + HANDSHAKE);
  await once(socket, 'close');
  expect(upgraded).not.toHaveBeenCalled();
  expect(invoked.calls('api')).toHaveLength(1);
});

test('a handshake is handled as a request when the stack has no WebSocket API', async () => {
  const { port } = await serve({ api: () => ({ statusCode: 200, body: 'ok' }) });
  const socket = await dial(port);
  socket.write(HANDSHAKE);
  expect(await untilText(socket, 'Missing Authentication Token')).toMatch(/^HTTP\/1.1 403/);
});
