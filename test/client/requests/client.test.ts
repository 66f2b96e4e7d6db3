/** How the client reaches the service: by which fetch, how often, and with which key. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StowageClient, type StowageClientOptions } from '../../../client';
import { ANY } from './answering';

const ORIGIN = 'https://files.example';

afterEach(() => jest.restoreAllMocks());

test('the client uses the fetch that is global when it sends a request', async () => {
  const client = new StowageClient({ baseUrl: ORIGIN, apiKey: 'osk_1' });
  const asked: unknown[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    asked.push([address, new Headers(init?.headers).get('authorization')]);
    return Response.json(ANY);
  });
  await client.list('a');
  expect(asked).toEqual([[`${ORIGIN}/api/v2/storage/objects/a`, 'Bearer osk_1']]);
});

test('the client uses the fetch of its options', async () => {
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('the global fetch was called'));
  const fetch = async () => Response.json(ANY);
  expect(await new StowageClient({ baseUrl: ORIGIN, fetch }).list('a')).toEqual(ANY);
});

test.each([
  [undefined, 4],
  [0, 1],
  [1, 2],
])('a client with %p retries sends a request at most %i times', async (retries, times) => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    return Response.json({}, { status: 503 });
  };
  const client = new StowageClient({ baseUrl: ORIGIN, fetch, retries });
  await expect(client.list('a')).rejects.toMatchObject({ code: 'unavailable' });
  let invoked = 0;
  const invoke = async () => {
    invoked += 1;
    return { Payload: Buffer.from('{}') };
  };
  const other = new StowageClient({ invoke, retries });
  await expect(other.list('a')).rejects.toMatchObject({ code: 'invalid_answer' });
  expect([sent, invoked]).toEqual([times, times]);
});

const TICKET = 'wss://files.example/sync?ticket=t';
const SYNC = 'wss://files.example/api/v2/storage/sync';
const ticket = async () => TICKET;

test.each<[string, Partial<StowageClientOptions>, string, object, boolean]>([
  ['neither key nor tickets', {}, SYNC, {}, true],
  ['a key', { apiKey: 'k' }, SYNC, { authorization: 'Bearer k' }, true],
  ['a key and tickets', { apiKey: 'k', ticket }, TICKET, {}, true],
  ['tickets', { ticket }, TICKET, {}, false],
])(
  'a client with %s opens a channel at the right address, and polls if it may',
  async (_, options, ...expected) => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const stop = new AbortController();
    const opened: unknown[] = [];
    const webSocket = (...request: unknown[]) => {
      opened.push(request);
      if (opened.length === 3) stop.abort();
      throw new Error('no channel');
    };
    let isAsked = false;
    const fetch = async () => {
      isAsked = true;
      return Response.json({}, { status: 403 });
    };
    const client = new StowageClient({ baseUrl: ORIGIN, fetch, webSocket, ...options });
    const subscription = client.sync({ a: { cursor: 0 } }, { signal: stop.signal });
    for await (const event of subscription.events()) if (event.type === 'ended') break;
    const [address, headers, polls] = expected;
    expect(opened[0]).toEqual([address, headers]);
    expect(isAsked).toBe(polls);
  },
);

test('a client that invokes a function opens no channel', async () => {
  const { WebSocket } = globalThis;
  try {
    let hasOpened = false;
    const open = () => {
      hasOpened = true;
    };
    Object.assign(globalThis, { WebSocket: open });
    const invoke = async () => ({
      Payload: Buffer.from(JSON.stringify({ status: 403, headers: {}, isBase64: false })),
    });
    const client = new StowageClient({ invoke });
    const mirrored = client.mirror('a', { transport: 'websocket' });
    await expect(mirrored.next()).rejects.toMatchObject({ code: 'forbidden' });
    const subscription = client.sync({ a: { cursor: 0 } });
    await expect(subscription[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(hasOpened).toBe(false);
  } finally {
    Object.assign(globalThis, { WebSocket });
  }
});

test('requests of uploads end with the signal of their options', async () => {
  const fetch = async (_: string, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    return Response.json(ANY);
  };
  const client = new StowageClient({ baseUrl: ORIGIN, fetch });
  const options = { signal: AbortSignal.abort(new Error('enough')) };
  await expect(client.uploadState('u', options)).rejects.toThrow('enough');
  const saved = { bucket: 'a', key: 'k', uploadId: 'u' };
  await expect(client.abortUpload(saved, options)).rejects.toThrow('enough');
});

test('content is downloaded by node:http unless the client has a fetch', async () => {
  const agents: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    const isBytes = !url?.includes('view=descriptor');
    if (isBytes) agents.push(headers['user-agent']);
    const descriptor = { bucket: 'a', key: 'k', version: 1, etag: 'e', size: 5 };
    response.setHeader('etag', '"e"').end(isBytes ? 'bytes' : JSON.stringify(descriptor));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new StowageClient({ baseUrl }).download('a', 'k', new WritableStream());
  const fetch = globalThis.fetch;
  await new StowageClient({ baseUrl, fetch }).download('a', 'k', new WritableStream());
  server.close();
  server.closeAllConnections();
  expect(agents).toEqual([undefined, 'node']);
});
