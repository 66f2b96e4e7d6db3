import {
  type ApiGatewayManagementApi,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { until } from '../support/until';
import { serve } from './service';

const post = (client: ApiGatewayManagementApi, ConnectionId: string, Data: string | Buffer) =>
  client.postToConnection({ ConnectionId, Data });

/** Returns the status of a call, and the name and message of the SDK's error, if any. */
async function outcomeOf(work: Promise<unknown>) {
  const { name, message, $metadata } = await work.then(
    () => ({ name: 'none', message: '', $metadata: { httpStatusCode: 200 } }),
    (error) => error,
  );
  return { name, message, status: $metadata?.httpStatusCode };
}

test('a post reaches the client as text, once and in order', async () => {
  const service = await serve();
  const { connectionId, received } = await service.connect();
  const management = service.management('Poster');
  for (const text of ['1', '{"ä":2}', '']) await post(management, connectionId, text);
  await until(() => received.length === 3);
  expect(received).toEqual(['1', '{"ä":2}', '']);
});

test('a post above 32 KiB arrives in frames of 32 KiB', async () => {
  const service = await serve();
  const { connectionId, received, socket } = await service.connect();
  const frames: number[] = [];
  // Counts the bytes on the wire: each frame has a header of 4 bytes.
  const wire = (socket as unknown as { _socket: NodeJS.ReadableStream })._socket;
  wire.on('data', (chunk: Buffer) => frames.push(chunk.length));
  const text = 'ä'.repeat(65_536);
  await post(service.management(), connectionId, text);
  await until(() => received.length === 1);
  expect(received).toEqual([text]);
  expect(frames.reduce((sum, bytes) => sum + bytes, 0)).toBe(131_072 + 4 * 4);
});

test('GET returns the properties of the connection', async () => {
  const service = await serve();
  const { connectionId } = await service.connect({ headers: { 'User-Agent': 'me' } });
  const get = new GetConnectionCommand({ ConnectionId: connectionId });
  const { ConnectedAt, LastActiveAt, Identity } = await service.management().send(get);
  expect(Date.now() - Number(ConnectedAt)).toBeLessThan(10_000);
  expect(Number(LastActiveAt)).toBeGreaterThanOrEqual(Number(ConnectedAt));
  expect(Identity).toEqual({ SourceIp: '127.0.0.1', UserAgent: 'me' });
});

test('DELETE closes the connection, to which posts then get 410', async () => {
  const service = await serve();
  const { connectionId, closed } = await service.connect();
  const management = service.management();
  await management.deleteConnection({ ConnectionId: connectionId });
  expect(await outcomeOf(post(management, connectionId, 'x'))).toMatchObject({ status: 410 });
  expect(await closed).toBe(1000);
  await until(() => service.eventsOf('DISCONNECT').length === 1);
});

test('a post to a client during its handshake gets 410', async () => {
  const outcomes: unknown[] = [];
  const service = await serve(async ({ requestContext: { eventType, connectionId } }) => {
    if (eventType === 'CONNECT') {
      outcomes.push(await outcomeOf(post(service.management(), connectionId, 'early')));
    }
    return { statusCode: 200 };
  });
  const { received, connectionId } = await service.connect();
  expect(outcomes).toEqual([expect.objectContaining({ name: 'GoneException', status: 410 })]);
  await post(service.management(), connectionId, 'later');
  await until(() => received.length === 1);
  expect(received).toEqual(['later']);
});

test('a call for a connection that has ended gets 410', async () => {
  const service = await serve();
  const { socket, connectionId, closed } = await service.connect();
  socket.close();
  await closed;
  for (const Command of [PostToConnectionCommand, GetConnectionCommand, DeleteConnectionCommand]) {
    const command = new Command({ ConnectionId: connectionId, Data: 'x' });
    const gone = service.management().send(command as PostToConnectionCommand);
    expect(await outcomeOf(gone)).toMatchObject({ name: 'GoneException', status: 410 });
  }
});

test.each([
  ['an invalid id', 'x', 'x', 'BadRequestException', 400],
  ['an id with a slash', 'TXzPWdnOjo/CGjA=', 'x', 'BadRequestException', 400],
  ['an unknown id', 'TXzPWdnOjoECGjA=', 'x', 'GoneException', 410],
  ['too many bytes', 'TXzPWdnOjoECGjA=', 'x'.repeat(131_073), 'PayloadTooLargeException', 413],
])('%s is refused', async (_, id, data, name, status) => {
  const service = await serve();
  const refusal = await outcomeOf(post(service.management(), id, data));
  expect(refusal).toMatchObject({ name, status });
});

test('bytes that are not UTF-8 are refused', async () => {
  const service = await serve();
  const { connectionId } = await service.connect();
  const refusal = outcomeOf(post(service.management(), connectionId, Buffer.from([0xff])));
  expect(await refusal).toMatchObject({ name: 'BadRequestException', status: 400 });
});

test('posts are refused while 1 MiB waits for a client that does not read', async () => {
  const service = await serve();
  const slow = await service.connect();
  const quick = await service.connect();
  slow.socket.pause();
  const management = service.management();
  const data = 'x'.repeat(131_072);
  let accepted = 0;
  let refusal = await outcomeOf(post(management, slow.connectionId, data));
  for (; refusal.status === 200 && accepted < 500; accepted++) {
    refusal = await outcomeOf(post(management, slow.connectionId, data));
  }
  expect(refusal).toMatchObject({ name: 'LimitExceededException', status: 429 });
  await post(management, quick.connectionId, 'for another client');
  await until(() => quick.received.length === 1);

  slow.socket.resume();
  await until(() => slow.received.length === accepted);
  expect(await outcomeOf(post(management, slow.connectionId, 'again'))).toMatchObject({
    status: 200,
  });
});

test.each([
  ['a role that may post is not refused', 'Poster', 'none', 200],
  ['a role without permissions is refused', 'Unprivileged', 'AccessDeniedException', 403],
])('%s', async (_, role, name, status) => {
  const service = await serve();
  const { connectionId } = await service.connect();
  const outcome = await outcomeOf(post(service.management(role), connectionId, 'x'));
  expect(outcome).toMatchObject({ name, status });
  if (status === 403) {
    const { region, accountId, resources } = service.stack;
    const api = `arn:aws:execute-api:${region}:${accountId}:${resources.get('Api')?.physicalId}`;
    expect(outcome.message).toContain('execute-api:ManageConnections');
    expect(outcome.message).toContain(`${api}/sync/POST/@connections/${connectionId}`);
  }
});

test('a role that may only post is refused GET and DELETE', async () => {
  const service = await serve();
  const { connectionId } = await service.connect();
  const management = service.management('Poster');
  for (const Command of [GetConnectionCommand, DeleteConnectionCommand]) {
    const command = new Command({ ConnectionId: connectionId }) as DeleteConnectionCommand;
    const refusal = await outcomeOf(management.send(command));
    expect(refusal).toMatchObject({ name: 'AccessDeniedException', status: 403 });
  }
});

test.each([
  ['without a signature', '@connections/TXzPWdnOjoECGjA%3D', 'MissingAuthenticationTokenException'],
  ['of another path', 'connections/TXzPWdnOjoECGjA%3D', 'ForbiddenException'],
  ['without an id', '@connections/', 'ForbiddenException'],
  ['with a query', '@connections/TXzPWdnOjoECGjA%3D?x', 'ForbiddenException'],
])('a request %s is refused', async (_, path, code) => {
  const service = await serve();
  const response = await fetch(`${service.api.endpoint}/${path}`, { method: 'POST', body: 'x' });
  expect(response.status).toBe(403);
  expect(response.headers.get('x-amzn-errortype')).toBe(code);
});

test('a signature with a wrong secret is refused', async () => {
  const service = await serve();
  const { connectionId } = await service.connect();
  const management = service.management();
  management.config.credentials = async () => ({ ...service.iam.root, secretAccessKey: 'wrong' });
  const refusal = await outcomeOf(post(management, connectionId, 'x'));
  expect(refusal).toMatchObject({ name: 'InvalidSignatureException', status: 403 });
});
