import { once } from 'node:events';
import https from 'node:https';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  AwsClient,
  type AwsClientOptions,
  type AwsResponse,
} from '../../../adapters/aws/aws-client';
import { AwsError } from '../../../adapters/aws/aws-error';
import { parseEndpoint } from '../../../adapters/aws/environment';
import { startScriptedServer } from '../../support/scripted-server';
import { callAgainst, createClient, ok, REQUEST, refusal } from './scripted-calls';

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

describe('a client', () => {
  const original = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, original);
  });
  const endpoint = parseEndpoint('http://127.0.0.1:1');
  const clientOf = (options: Partial<AwsClientOptions>) =>
    new AwsClient({
      ...{ service: 's3', timeouts: { connection: 1, request: 1 }, ...options },
      parseError: () => new AwsError('x'),
    });

  test('takes region and endpoint of the environment, unless it is given others', () => {
    delete process.env.AWS_ENDPOINT_URL_S3;
    delete process.env.AWS_ENDPOINT_URL;
    process.env.AWS_REGION = 'eu-west-1';
    const regional = { protocol: 'https:', hostname: 's3.eu-west-1.amazonaws.com' };
    expect(clientOf({})).toMatchObject({ region: 'eu-west-1', endpoint: regional });
    expect(clientOf({ region: 'us-east-2' })).toMatchObject({
      region: 'us-east-2',
      endpoint: { ...regional, hostname: 's3.us-east-2.amazonaws.com' },
    });
    process.env.AWS_ENDPOINT_URL = 'https://all.example';
    expect(clientOf({}).endpoint).toEqual({ protocol: 'https:', hostname: 'all.example' });
    expect(clientOf({ endpoint }).endpoint).toEqual(endpoint);
  });

  test('calls the regional endpoint at the port of HTTPS, without a port in the header', async () => {
    const stop = new Error('stop');
    const request = jest.spyOn(https, 'request').mockImplementation(() => {
      throw stop;
    });
    try {
      const client = createClient('https://dynamodb.us-east-1.amazonaws.com');
      await expect(client.call(REQUEST)).rejects.toBe(stop);
      const host = 'dynamodb.us-east-1.amazonaws.com';
      expect(request.mock.calls).toMatchObject([[{ host, port: undefined, headers: { host } }]]);
    } finally {
      request.mockRestore();
    }
  });
});

test('a request without a body, path or parameters has none, and may go to another endpoint', async () => {
  const server = await startScriptedServer([ok('')]);
  try {
    const client = createClient('http://127.0.0.1:1');
    await client.call({ method: 'GET', endpoint: parseEndpoint(server.endpoint) });
    await client.call({
      ...{ method: 'GET', endpoint: parseEndpoint(server.endpoint), body: new Uint8Array(3) },
      ...{ path: '/a', query: { a: '', b: '/' }, headers: { 'x-own': 'yes' } },
    });
  } finally {
    await server.stop();
  }
  const [bare, full] = server.received;
  expect(bare).toMatchObject({ method: 'GET', path: '/', body: '' });
  expect(bare?.headers.host).toBe(server.endpoint.slice('http://'.length));
  expect(bare?.headers).not.toHaveProperty('content-length');
  expect(full).toMatchObject({ path: '/a?a=&b=%2F', body: '\0\0\0' });
  expect(full?.headers).toMatchObject({ 'content-length': '3', 'x-own': 'yes' });
});

test('a response may have a megabyte', async () => {
  const body = 'x'.repeat(2 ** 20);
  const { outcome } = await callAgainst([ok(body)]);
  expect(String((outcome as AwsResponse).body) === body).toBe(true);
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
