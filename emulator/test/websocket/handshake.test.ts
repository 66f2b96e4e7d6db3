import { once } from 'node:events';
import WebSocket from 'ws';
import { deferred } from '../../src/runtime/deferred';
import { until } from '../support/until';
import { PATH, serve } from './service';
import { changed, without } from './stack';

const ID = /^[\w-]{15}=$/;

test('$connect gets the event that AWS sends', async () => {
  const service = await serve();
  const client = new WebSocket(`${service.url}?bucket=a%20b&bucket=c`, {
    headers: { 'User-Agent': 'me', Authorization: 'Bearer x', Origin: 'https://a.example' },
  });
  await once(client, 'open');
  client.terminate();

  const [event] = service.events;
  const apiId = service.stack.resources.get('Api')?.physicalId;
  const domainName = `${apiId}.execute-api.us-east-1.amazonaws.com`;
  const id = event?.requestContext.connectionId;
  expect(id).toMatch(ID);
  expect(event).toEqual({
    headers: {
      Authorization: 'Bearer x',
      Host: domainName,
      Origin: 'https://a.example',
      'Sec-WebSocket-Extensions': expect.any(String),
      'Sec-WebSocket-Key': expect.any(String),
      'Sec-WebSocket-Version': '13',
      'User-Agent': 'me',
      'X-Amzn-Trace-Id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Port': '443',
      'X-Forwarded-Proto': 'https',
    },
    multiValueHeaders: expect.objectContaining({ 'User-Agent': ['me'] }),
    queryStringParameters: { bucket: 'c' },
    multiValueQueryStringParameters: { bucket: ['a b', 'c'] },
    requestContext: {
      routeKey: '$connect',
      eventType: 'CONNECT',
      extendedRequestId: expect.stringMatching(ID),
      requestTime: expect.stringMatching(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      messageDirection: 'IN',
      stage: 'sync',
      connectedAt: expect.any(Number),
      requestTimeEpoch: expect.any(Number),
      identity: { userAgent: 'me', sourceIp: '127.0.0.1' },
      requestId: expect.stringMatching(ID),
      domainName,
      connectionId: id,
      apiId,
    },
    isBase64Encoded: false,
  });
});

test('the event of a handshake without a query has no query maps', async () => {
  const service = await serve();
  await service.connect();
  expect(service.events[0]).not.toHaveProperty('queryStringParameters');
  expect(service.events[0]).not.toHaveProperty('multiValueQueryStringParameters');
});

test('an API without a $connect route accepts every handshake', async () => {
  const service = await serve(undefined, {
    resources: without('ConnectRoute', 'ConnectIntegration', 'ConnectPermission'),
  });
  const { socket } = await service.connect();
  expect(socket.readyState).toBe(WebSocket.OPEN);
  expect(service.events).toEqual([]);
});

test.each([
  ['another path', `${PATH}/x`],
  ['a trailing slash', `${PATH}/`],
  ['a shorter path', '/apps/chat'],
])('%s is refused without an invocation', async (_, path) => {
  const service = await serve();
  expect(await service.refused(path)).toEqual({ status: 403, body: '{"message":"Forbidden"}' });
  expect(service.events).toEqual([]);
});

test.each([
  ['a URL of more than 4,096 characters', `${PATH}?${'x'.repeat(4096)}`, {}, 414],
  ['headers of more than 10,240 bytes', PATH, { headers: { a: 'x'.repeat(10_240) } }, 431],
  ['a query that is not UTF-8', `${PATH}?%ff`, {}, 400],
])('%s is refused without an event', async (_, path, options, status) => {
  const service = await serve();
  expect(await service.refused(path, options)).toMatchObject({ status });
  expect(service.events).toEqual([]);
});

test('a refusal of the function reaches the client with its status and body', async () => {
  const service = await serve(() => ({ statusCode: 401, body: '{"error":"no key"}' }));
  expect(await service.refused()).toEqual({ status: 401, body: '{"error":"no key"}' });
  expect(service.eventsOf('DISCONNECT')).toEqual([]);
});

test.each<[string, unknown, number]>([
  ['a function that throws', new Error('no'), 502],
  ['a response without a status', { body: 'x' }, 502],
  ['a response that is not an object', 'x', 502],
  ['an invalid status', { statusCode: 101 }, 502],
  ['a header that would split the response', { statusCode: 200, headers: { a: 'b\r\nc: d' } }, 502],
])('the handshake fails after %s', async (_, response, status) => {
  const service = await serve(() => {
    if (response instanceof Error) throw response;
    return response;
  });
  const { body, ...rest } = await service.refused();
  expect(rest.status).toBe(status);
  expect(JSON.parse(body)).toEqual({
    message: 'Internal server error',
    connectionId: expect.stringMatching(ID),
    requestId: expect.stringMatching(ID),
  });
  expect(service.log).toHaveLength(1);
});

test('the handshake fails when the function exceeds its timeout', async () => {
  const resources = changed('ConnectIntegration', { TimeoutInMillis: 50 });
  const service = await serve(() => new Promise(() => {}), { resources });
  expect(await service.refused()).toMatchObject({ status: 504 });
});

test('the handshake fails when API Gateway may not invoke the function', async () => {
  const service = await serve(undefined, { resources: without('ConnectPermission') });
  expect(await service.refused()).toMatchObject({ status: 500 });
  expect(service.log[0]).toContain('AccessDeniedException');
});

test('the handshake completes only after the function has accepted it', async () => {
  const accepted = deferred<unknown>();
  const service = await serve(({ requestContext: { eventType } }) =>
    eventType === 'CONNECT' ? accepted.value : { statusCode: 200 },
  );
  const connecting = service.connect();
  await until(() => service.events.length === 1);
  expect(await Promise.race([connecting, 'pending'])).toBe('pending');
  accepted.resolve({ statusCode: 204 });
  const { socket } = await connecting;
  socket.send('{}');
  await until(() => service.eventsOf('MESSAGE').length === 1);
});

test('the subprotocol is the one that the function returns', async () => {
  const service = await serve(() => ({
    statusCode: 200,
    headers: { 'Sec-WebSocket-Protocol': 'b' },
  }));
  const client = new WebSocket(service.url, ['a', 'b']);
  await once(client, 'open');
  expect(client.protocol).toBe('b');
  client.terminate();
});

test('$disconnect is invoked for a client that disconnects during $connect', async () => {
  const accepted = deferred<unknown>();
  const service = await serve(({ requestContext: { eventType } }) =>
    eventType === 'CONNECT' ? accepted.value : { statusCode: 200 },
  );
  const client = new WebSocket(service.url);
  client.on('error', () => {});
  await until(() => service.events.length === 1);
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.terminate();
  await closed;
  accepted.resolve({ statusCode: 200 });
  await until(() => service.eventsOf('DISCONNECT').length === 1);
});
