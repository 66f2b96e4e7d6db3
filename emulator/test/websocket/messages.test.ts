import { once } from 'node:events';
import type WebSocket from 'ws';
import { until } from '../support/until';
import { serve } from './service';
import { BASE, changed, route, without } from './stack';

const ID = /^[\w-]{15}=$/;

test('a message reaches the function as the event that AWS sends', async () => {
  const service = await serve();
  const { socket, connectionId } = await service.connect({ headers: { 'User-Agent': 'me' } });
  socket.send('{"action":"ping","n":"ä"}');
  await until(() => service.eventsOf('MESSAGE').length === 1);

  const apiId = service.stack.resources.get('Api')?.physicalId;
  expect(service.eventsOf('MESSAGE')[0]).toEqual({
    requestContext: {
      routeKey: '$default',
      messageId: expect.stringMatching(ID),
      eventType: 'MESSAGE',
      extendedRequestId: expect.stringMatching(ID),
      requestTime: expect.any(String),
      messageDirection: 'IN',
      stage: 'sync',
      connectedAt: expect.any(Number),
      requestTimeEpoch: expect.any(Number),
      identity: { userAgent: 'me', sourceIp: '127.0.0.1' },
      requestId: expect.stringMatching(ID),
      domainName: `${apiId}.execute-api.us-east-1.amazonaws.com`,
      connectionId,
      apiId,
    },
    body: '{"action":"ping","n":"ä"}',
    isBase64Encoded: false,
  });
});

test.each([
  ['a value with a route', '{"action":"subscribe"}', 'subscribe'],
  ['a value without a route', '{"action":"x"}', '$default'],
  ['a value that is not a string', '{"action":["subscribe"]}', '$default'],
  ['a message that is not JSON', 'subscribe', '$default'],
  ['a message without the property', '[]', '$default'],
  ['a value that is an object', '{"action":{}}', '$default'],
  ['the name of the $connect route', '{"action":"$connect"}', '$default'],
])('%s selects its route or $default', async (_, body, routeKey) => {
  const resources = { ...BASE, ...route('Subscribe', 'subscribe') };
  const service = await serve(undefined, { resources });
  const { socket } = await service.connect();
  socket.send(body);
  await until(() => service.eventsOf('MESSAGE').length === 1);
  expect(service.eventsOf('MESSAGE')[0]?.requestContext.routeKey).toBe(routeKey);
});

test('a message without a route gets an error', async () => {
  const resources = without('DefaultRoute', 'DefaultIntegration', 'DefaultPermission');
  const service = await serve(undefined, { resources });
  const { socket, received, connectionId } = await service.connect();
  socket.send('{}');
  await until(() => received.length === 1);
  expect(JSON.parse(received[0] ?? '')).toEqual({
    message: 'Forbidden',
    connectionId,
    requestId: expect.stringMatching(ID),
  });
  expect(service.eventsOf('MESSAGE')).toEqual([]);
});

test.each<[string, () => unknown]>([
  ['throws', () => Promise.reject(new Error('no'))],
  ['returns nothing', () => undefined],
  ['returns no status', () => ({ body: 'x' })],
  ['takes too long', () => new Promise(() => {})],
])('the client gets an internal error from a function that %s', async (_, respond) => {
  const resources = changed('DefaultIntegration', { TimeoutInMillis: 50 });
  const service = await serve(
    ({ requestContext }) =>
      requestContext.eventType === 'MESSAGE' ? respond() : { statusCode: 200 },
    { resources },
  );
  const { socket, received, connectionId } = await service.connect();
  socket.send('{}');
  await until(() => received.length === 1);
  expect(JSON.parse(received[0] ?? '')).toEqual({
    message: 'Internal server error',
    connectionId,
    requestId: expect.stringMatching(ID),
  });
  expect(service.log).toHaveLength(1);
});

test('the result of the function is discarded, because there are no route responses', async () => {
  const service = await serve(() => ({ statusCode: 200, body: 'response' }));
  const { socket, received } = await service.connect();
  socket.send('{}');
  await until(() => service.eventsOf('MESSAGE').length === 1);
  socket.ping();
  await once(socket, 'pong');
  expect(received).toEqual([]);
});

test('up to 64 messages of one connection are in progress at a time', async () => {
  const waiting: (() => void)[] = [];
  const service = await serve(({ requestContext }) =>
    requestContext.eventType === 'MESSAGE'
      ? new Promise((resolve) => waiting.push(() => resolve({ statusCode: 200 })))
      : { statusCode: 200 },
  );
  const { socket } = await service.connect();
  for (let n = 0; n < 100; n++) socket.send(`${n}`);
  await until(() => waiting.length === 64);
  const other = await service.connect();
  other.socket.ping();
  await once(other.socket, 'pong');
  expect(waiting).toHaveLength(64);

  waiting.shift()?.();
  await until(() => waiting.length === 64);
  expect(service.eventsOf('MESSAGE')).toHaveLength(65);
  await until(() => {
    for (const done of waiting.splice(0)) done();
    return service.eventsOf('MESSAGE').length === 100;
  });
  const bodies = service.eventsOf('MESSAGE').map(({ body }) => Number(body));
  expect(bodies).toEqual([...bodies.keys()]);
});

test.each<[string, (socket: WebSocket) => void, number, string]>([
  ['sends no code', (s) => s.close(), 1005, 'Client-side close frame status not set'],
  ['sends code and reason', (s) => s.close(4001, 'why'), 4001, 'why'],
  ['disconnects without a close frame', (s) => s.terminate(), 1006, 'Connection closed abnormally'],
])('$disconnect gets code and reason of a client that %s', async (_, end, code, reason) => {
  const service = await serve();
  const { socket, connectionId } = await service.connect();
  end(socket);
  await until(() => service.eventsOf('DISCONNECT').length === 1);
  const [event] = service.eventsOf('DISCONNECT');
  expect(event?.headers).toEqual({
    Host: expect.stringContaining('.execute-api.'),
    'x-api-key': '',
    'X-Forwarded-For': '',
    'x-restapi': '',
  });
  expect(event?.requestContext).toMatchObject({
    routeKey: '$disconnect',
    connectionId,
    disconnectStatusCode: code,
    disconnectReason: reason,
    identity: { sourceIp: '127.0.0.1' },
  });
});
