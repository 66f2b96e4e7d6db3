import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { AwsClient, type AwsClientOptions } from '../../../../lambdas/shared/aws/aws-client';
import { AwsError } from '../../../../lambdas/shared/aws/aws-error';
import { parseEndpoint } from '../../../../lambdas/shared/aws/environment';
import { type ScriptedResponse, startScriptedServer } from '../../../support/scripted-server';

const REQUEST = { method: 'POST', path: '/a%20b', query: { 'c d': '(e)' }, body: 'ä' } as const;

function createClient(endpoint: string, options: Partial<AwsClientOptions> = {}): AwsClient {
  return new AwsClient({
    service: 'dynamodb',
    region: 'us-east-1',
    credentials: () => ({ accessKeyId: 'id', secretAccessKey: 'secret' }),
    endpoint: parseEndpoint(endpoint),
    timeouts: { connection: 10_000, request: 10_000 },
    retryWaitMs: 1,
    parseError: ({ status, headers, body }) =>
      new AwsError(body.toString() || 'None', { status, requestId: String(headers['x-id']) }),
    ...options,
  });
}

/** What comes of a request against the script, and how many attempts it took. */
async function callAgainst(
  script: readonly ScriptedResponse[],
  options: Partial<AwsClientOptions> = {},
) {
  const server = await startScriptedServer(script);
  try {
    const client = createClient(server.endpoint, options);
    const outcome = await client.call(REQUEST).catch((error: unknown) => error);
    return { outcome, received: server.received };
  } finally {
    await server.stop();
  }
}

/** A server that sends these bytes in response to the first bytes of each connection. */
async function startRawServer(respond: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () => respond(socket)).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    host: `127.0.0.1:${address.port}`,
    connections: () => sockets.size,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const ok = (body: string): ScriptedResponse => ({ status: 200, body });
const refusal = (status: number, body: string): ScriptedResponse => {
  return { status, headers: { 'x-id': 'request-1' }, body };
};

test('a request is sent as it is given, with host, length and signature', async () => {
  const { outcome, received } = await callAgainst([ok('fine')]);

  expect(outcome).toMatchObject({ status: 200, body: Buffer.from('fine') });
  expect(received).toMatchObject([
    {
      method: 'POST',
      path: '/a%20b?c%20d=%28e%29',
      body: 'ä',
      headers: {
        'content-length': '2',
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/us-east-1\/dynamodb\/aws4_request, /,
        ),
      },
    },
  ]);
});

test('credentials that change are used for the next request, with their session token', async () => {
  const server = await startScriptedServer([ok('')]);
  let credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  credentials = { accessKeyId: 'first', secretAccessKey: 'secret' };
  const client = createClient(server.endpoint, { credentials: () => credentials });
  try {
    await client.call(REQUEST);
    credentials = { accessKeyId: 'second', secretAccessKey: 'other', sessionToken: 'token' };
    await client.call(REQUEST);
  } finally {
    await server.stop();
  }

  const [first, second] = server.received.map(({ headers }) => headers);
  expect(first?.authorization).toContain('Credential=first/');
  expect(first).not.toHaveProperty('x-amz-security-token');
  expect(second?.authorization).toContain('Credential=second/');
  expect(second?.['x-amz-security-token']).toBe('token');
});

test.each<[string, ScriptedResponse]>([
  ['a broken connection', 'reset'],
  ['status 500', refusal(500, '')],
  ['status 503', refusal(503, 'Whatever')],
])('a call is repeated twice after %s', async (_, failure) => {
  const recovered = await callAgainst([failure, failure, ok('fine')]);
  expect(recovered.outcome).toMatchObject({ status: 200 });
  expect(recovered.received).toHaveLength(3);

  const failed = await callAgainst([failure]);
  expect(failed.outcome).toBeInstanceOf(AwsError);
  expect(failed.outcome).toMatchObject({ isRetryable: true });
  expect(failed.received).toHaveLength(3);
});

test('a call that is throttled is repeated', async () => {
  const { outcome, received } = await callAgainst([refusal(400, 'ThrottlingException'), ok('')]);

  expect(outcome).toMatchObject({ status: 200 });
  expect(received).toHaveLength(2);
});

test.each([
  [400, 'ValidationException'],
  [404, 'NoSuchKey'],
  [412, 'PreconditionFailed'],
  [501, 'NotImplemented'],
])('a call that is refused with %d %s is not repeated', async (status, name) => {
  const { outcome, received } = await callAgainst([refusal(status, name)]);

  expect(outcome).toMatchObject({
    name,
    $metadata: { httpStatusCode: status, requestId: 'request-1' },
    isRetryable: false,
  });
  expect(received).toHaveLength(1);
});

test('a call without a response in time is repeated', async () => {
  const timeouts = { connection: 10_000, request: 50 };
  const { outcome, received } = await callAgainst(['silence'], { timeouts });

  expect(outcome).toMatchObject({ name: 'TimeoutError', message: 'no response within 50 ms' });
  expect(received).toHaveLength(3);
});

test('a call whose connection is never secured fails', async () => {
  const server = await startRawServer(() => undefined);
  const timeouts = { connection: 50, request: 60_000 };
  try {
    const call = createClient(`https://${server.host}`, { timeouts }).call(REQUEST);
    await expect(call).rejects.toThrow('no connection within 50 ms');
    expect(server.connections()).toBe(3);
  } finally {
    await server.stop();
  }
});

test('a call to a port where nobody listens fails', async () => {
  const server = await startScriptedServer([]);
  await server.stop();
  const call = createClient(server.endpoint).call(REQUEST);
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError', code: 'ECONNREFUSED' });
});

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';

test('a response that ends early is asked for again', async () => {
  const server = await startRawServer((socket) => socket.end(`${HEAD}half`));
  try {
    const call = createClient(`http://${server.host}`).call(REQUEST);
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', code: 'ECONNRESET' });
    expect(server.connections()).toBe(3);
  } finally {
    await server.stop();
  }
});

test('a response that does not end in time is asked for again', async () => {
  const server = await startRawServer((socket) => socket.write(`${HEAD}half`));
  const timeouts = { connection: 10_000, request: 100 };
  try {
    const call = createClient(`http://${server.host}`, { timeouts }).call(REQUEST);
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(server.connections()).toBe(3);
  } finally {
    await server.stop();
  }
});

test('a stream that breaks is not asked for again', async () => {
  const server = await startRawServer((socket) => socket.end(`${HEAD}half`));
  try {
    const { body } = await createClient(`http://${server.host}`).open(REQUEST);
    await expect(text(body)).rejects.toThrow('aborted');
    expect(server.connections()).toBe(1);
  } finally {
    await server.stop();
  }
});

test('a stream is opened again after status 500', async () => {
  const server = await startScriptedServer([refusal(500, ''), ok('content')]);
  try {
    const { status, body } = await createClient(server.endpoint).open(REQUEST);
    expect([status, await text(body)]).toEqual([200, 'content']);
    expect(server.received).toHaveLength(2);
  } finally {
    await server.stop();
  }
});
