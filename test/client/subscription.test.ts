/** The client over real sockets. Since version 22, undici's WebSocket is a global of Node.js. */
import { WebSocket } from 'undici';
import { WebSocket as WsWebSocket } from 'ws';
import {
  type Change,
  type OpenWebSocket,
  StowageClient,
  type SubscriptionEvent,
} from '../../client';
import { until } from '../support/until';
import { KEY, type ModelService, startModelService } from './model-service';

let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
  service.model.create('photos');
});

afterEach(() => service.stop());

const undici: OpenWebSocket = (url, headers) => new WebSocket(url, { headers });
const ws: OpenWebSocket = (url, headers) => new WsWebSocket(url, { headers });

function client(webSocket: OpenWebSocket = undici, apiKey = KEY): StowageClient {
  return new StowageClient({ baseUrl: service.baseUrl, apiKey, webSocket });
}

function put(...keys: readonly string[]): void {
  service.model.commit(
    'photos',
    keys.map((key) => ({ type: 'put', key })),
  );
}

/** Returns the first `count` events. */
async function take<T>(events: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

const brief = ({ cursor, type, object }: Change) => `${cursor} ${type} ${object.key}`;

test.each([
  ["undici's WebSocket", undici],
  ["ws's WebSocket", ws],
])('subscription begins after a cursor, with %s', async (_name, webSocket) => {
  put('a', 'b', 'c');
  const subscription = client(webSocket).sync(
    { photos: { cursor: 1 } },
    { transport: 'websocket' },
  );
  const changes = subscription[Symbol.asyncIterator]();
  const first = await changes.next();
  expect(first.value).toMatchObject({ bucket: 'photos', cursor: 2, bucketId: 'bucket000001' });
  expect(subscription.progress('photos')).toMatchObject({ cursor: 2, head: 3, lag: 1 });
  expect((await changes.next()).value).toMatchObject({ cursor: 3, object: { key: 'c' } });
  put('d');
  expect((await changes.next()).value).toMatchObject({ cursor: 4, object: { key: 'd' } });
  await changes.return();
  await until('no connection', () => service.model.connections.size === 0);
});

test('subscription sends the key in the handshake of the global WebSocket', async () => {
  put('a');
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  Object.defineProperty(globalThis, 'WebSocket', { value: WebSocket, configurable: true });
  try {
    const plain = new StowageClient({ baseUrl: `${service.baseUrl}/`, apiKey: KEY });
    const [change] = await take(plain.sync({ photos: { cursor: 0 } }), 1);
    expect(change).toMatchObject({ cursor: 1 });
    expect(service.requests).toEqual([]);
  } finally {
    if (before) Object.defineProperty(globalThis, 'WebSocket', before);
    else Reflect.deleteProperty(globalThis, 'WebSocket');
  }
});

test('subscription continues from its cursor after the connection was cut', async () => {
  const changes: string[] = [];
  const subscription = client().sync({ photos: {} }, { transport: 'websocket' });
  for await (const event of subscription.events()) {
    if (event.type === 'cursor' && event.cursor === 0) put('a', 'b');
    if (event.type !== 'put') continue;
    changes.push(brief(event));
    if (event.cursor === 2) {
      service.connections[0]?.socket.terminate();
      put('c');
    }
    if (event.cursor === 3) break;
  }
  expect(changes).toEqual(['1 put a', '2 put b', '3 put c']);
  expect(service.connections[1]?.sent[0]).toEqual({
    action: 'subscribe',
    bucket: 'photos',
    cursor: 2,
    bucket_id: 'bucket000001',
  });
});

test('subscription throws unauthorized and closes with 4401 when the key is revoked', async () => {
  const subscription = client().sync({ photos: {} });
  const next = subscription[Symbol.asyncIterator]().next();
  await until('the first message', () => service.connections[0]?.sent.length === 1);
  const socket = service.connections[0]?.socket;
  const closed = new Promise((resolve) => socket?.on('close', resolve));
  const goodbye = { type: 'goodbye', code: 4401, reason: 'the API key was revoked' };
  socket?.send(JSON.stringify(goodbye));
  await expect(next).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  expect(await closed).toBe(4401);
});

test('subscription reconnects after goodbye', async () => {
  put('a');
  const changes: string[] = [];
  for await (const change of client().sync({ photos: { cursor: 0 } })) {
    changes.push(brief(change));
    if (change.cursor === 2) break;
    const [connection] = service.connections;
    const reconnect_before = new Date(Date.now() + 100).toISOString();
    connection?.socket.send(JSON.stringify({ type: 'goodbye', code: 1001, reconnect_before }));
    connection?.socket.on('close', () => put('b'));
  }
  expect(changes).toEqual(['1 put a', '2 put b']);
  expect(service.connections).toHaveLength(2);
});

test.each(['auto', 'websocket', 'poll'] as const)(
  'subscription by %s throws unauthorized when the key is wrong',
  async (transport) => {
    const subscription = client(undici, 'wrong').sync({ photos: {} }, { transport });
    await expect(take(subscription, 1)).rejects.toMatchObject({
      code: 'unauthorized',
      status: 401,
      requestId: 'r-1',
    });
  },
);

test('subscription polls when the handshake is refused', async () => {
  put('a', 'b', 'c', 'd');
  service.refuseUpgrades = 426;
  const changes = await take(client().sync({ photos: { cursor: 0 } }), 4);
  expect(changes.map(brief)).toEqual(['1 put a', '2 put b', '3 put c', '4 put d']);
  expect(service.connections).toEqual([]);
});

test('subscription polls when there is no WebSocket', async () => {
  const plain = new StowageClient({ baseUrl: service.baseUrl, apiKey: KEY });
  const subscription = plain.sync({ photos: { prefix: 'a b/+&' } }, { transport: 'poll' });
  const events: SubscriptionEvent[] = [];
  for await (const event of subscription.events()) {
    events.push(event);
    if (event.type === 'cursor' && event.cursor === 0) put('x', 'a b/+&1');
    if (event.type === 'cursor' && event.cursor === 2) break;
  }
  expect(events.map(({ type }) => type).filter((type) => type !== 'status')).toEqual([
    'cursor',
    'put',
    'cursor',
  ]);
  expect(service.requests[0]).toContain('prefix=a%20b%2F%2B%26');
});

test.each(['websocket', 'poll'] as const)(
  'subscription by %s throws cursor_expired when the change log does not reach back',
  async (transport) => {
    put('a', 'b', 'c');
    service.model.trim('photos', 1);
    const subscription = client().sync({ photos: { cursor: 0 } }, { transport });
    await expect(take(subscription, 1)).rejects.toMatchObject({
      code: 'cursor_expired',
      status: 410,
      details: { bucket: 'photos', reason: 'cursor_expired', oldest: 3, head: 3 },
    });
  },
);

test.each(['websocket', 'poll'] as const)(
  'subscription by %s resets a replaced bucket and continues the others',
  async (transport) => {
    service.model.create('films');
    service.model.create('photos');
    put('new');
    const follow = { photos: { cursor: 0, bucketId: 'bucket000001' }, films: { cursor: 0 } };
    const subscription = client().sync(follow, { transport });
    const seen: string[] = [];
    for await (const event of subscription.events()) {
      if (event.type === 'reset') {
        seen.push(`reset ${event.bucket} ${event.reason}`);
        service.model.commit('films', [{ type: 'put', key: 'f' }]);
      }
      if (event.type === 'put') seen.push(`${event.bucket} ${event.object.key}`);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['reset photos bucket_replaced', 'films f']);
  },
);

test('subscription ends without an error when it is aborted, while it waits or is read', async () => {
  put('a', 'b');
  const controller = new AbortController();
  const changes: Change[] = [];
  const { signal } = controller;
  for await (const change of client().sync({ photos: { cursor: 0 } }, { signal })) {
    changes.push(change);
    controller.abort();
  }
  expect(changes).toHaveLength(1);

  const waiting = new AbortController();
  const loop = take(client().sync({ photos: {} }, { signal: waiting.signal }), 1);
  await until('the first message', () => service.connections[1]?.sent.length === 1);
  waiting.abort();
  expect(await loop).toEqual([]);
  await until('no connection', () => service.model.connections.size === 0);
});

test('subscription buffers at most maxBuffered events for a slow reader, and loses none', async () => {
  const subscription = client().sync({ photos: { cursor: 0 } }, { maxBuffered: 20 });
  const events = subscription.events();
  const seen: number[] = [];
  for await (const event of events) {
    if (event.type === 'status') for (let n = 0; n < 300; n++) put(`k${n}`);
    if (event.type === 'put') seen.push(event.cursor);
    if (seen.length === 300) break;
    // Wait until all other changes have arrived.
    if (seen.length === 1)
      await until('the head', () => subscription.progress('photos').head === 300);
  }
  expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  const subscribes = service.connections[0]?.sent.filter(({ action }) => action === 'subscribe');
  expect(subscribes?.length).toBeGreaterThan(3);
});

test('subscription requests tickets from the service when a WebSocket sends no headers', async () => {
  put('a');
  class BrowserWebSocket extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols === undefined ? undefined : String(protocols));
    }
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  Object.defineProperty(globalThis, 'WebSocket', { value: BrowserWebSocket, configurable: true });
  try {
    const plain = new StowageClient({ baseUrl: service.baseUrl, apiKey: KEY });
    const [change] = await take(plain.sync({ photos: { cursor: 0 } }), 1);
    expect(change).toMatchObject({ cursor: 1 });
    expect(service.requests).toEqual(['POST /api/v2/storage/signed-url']);
    expect(service.connections[0]?.url).toContain('ticket=1');
  } finally {
    if (before) Object.defineProperty(globalThis, 'WebSocket', before);
    else Reflect.deleteProperty(globalThis, 'WebSocket');
  }
});
