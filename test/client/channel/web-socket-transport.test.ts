/** The WebSocket transport and its sockets. */
import type { OpenWebSocket } from '../../../client/channel/web-socket';
import { ID } from './open-channel';
import { openTransport, pass, startFakeTimers, transportWorld } from './transport-world';

beforeEach(startFakeTimers);
afterEach(() => jest.useRealTimers());

const SUBSCRIBED = { type: 'subscribed', bucket: 'photos', bucket_id: ID, cursor: 5, head: 5 };
const CHANGES = {
  ...{ type: 'changes', bucket: 'photos', bucket_id: ID, from: 5, to: 7, head: 7, changes: [] },
};
const HOUR_MS = 3_600_000;
const statuses = (events: readonly object[]) =>
  events.flatMap((event) => ('status' in event ? [event.status] : []));

test.each([
  ['https://files.example', 'wss://files.example/api/v2/storage/sync'],
  ['http://localhost:81', 'ws://localhost:81/api/v2/storage/sync'],
])('a transport to %s opens %s with the key', async (baseUrl, url) => {
  const { transport, sockets } = transportWorld({ baseUrl });
  transport.start();
  await pass(10_000);
  expect(sockets).toMatchObject([{ url, headers: { authorization: 'Bearer osk_1' }, sent: [] }]);
});

test('a transport opens a channel by a ticket, without the key', async () => {
  const wanted: object[] = [];
  const ticket = async (options: object) => {
    wanted.push(options);
    return 'wss://files.example/by-ticket';
  };
  const follow = { photos: { cursor: 5, prefix: 'a/' } };
  const { transport, sockets } = transportWorld({ ticket, follow });
  transport.start();
  await pass();
  expect(wanted).toEqual([{ bucket: 'photos', prefix: 'a/' }]);
  expect(sockets).toMatchObject([{ url: 'wss://files.example/by-ticket', headers: {} }]);
});

test('a transport sends and receives, and pings a quiet bucket within a minute', async () => {
  const { transport, socket, events, positions } = await openTransport();
  expect(socket.sent).toEqual([{ action: 'subscribe', bucket: 'photos', cursor: 5 }]);
  socket.tell(SUBSCRIBED);
  socket.fire('message', { data: new Uint8Array(1) });
  expect(events).toMatchObject([{ status: 'connected' }, { type: 'cursor', cursor: 5 }]);
  await pass(33_000);
  expect(socket.sent.slice(1)).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
  socket.tell({ type: 'pong', heads: { photos: 5 } });
  socket.tell(CHANGES);
  expect(positions[0]?.cursor).toBe(7);
  transport.stop();
  await pass(HOUR_MS);
  expect([socket.closes.length, socket.sent.length]).toEqual([1, 2]);
});

test('a transport whose socket was lost opens another one, and ignores the first', async () => {
  const { socket, socketAt, sockets, events } = await openTransport();
  socket.fire('error');
  socket.fire('close', { code: 1006, reason: 'the network is down' });
  expect(statuses(events)).toEqual(['connected', 'disconnected']);
  expect(sockets).toHaveLength(1);
  await pass(1_000);
  expect(sockets).toHaveLength(2);
  socketAt(1).fire('open');
  for (const type of ['open', 'close', 'error'] as const) socket.fire(type);
  socket.tell({ type: 'goodbye', code: 4401 });
  expect(statuses(events)).toEqual(['connected', 'disconnected', 'connected']);
  expect([socket.sent, socketAt(1).sent]).toMatchObject([[{}], [{ action: 'subscribe' }]]);
});

const REVOKED = { code: 4401, reason: 'revoked' };

test.each(['says goodbye', 'closes when it opens', 'closes before it opens'])(
  'a transport whose socket %s with 4401 finishes with the error, and stays stopped',
  async (how) => {
    const { transport, socketAt, sockets, finished, requests } = transportWorld();
    transport.start();
    await pass();
    if (how !== 'closes before it opens') socketAt(0).fire('open');
    if (how === 'says goodbye') socketAt(0).tell({ type: 'goodbye', ...REVOKED });
    else socketAt(0).fire('close', REVOKED);
    transport.resume();
    await pass(HOUR_MS);
    expect(finished).toMatchObject([[{ code: 'unauthorized', message: 'revoked' }]]);
    expect([sockets.length, requests]).toEqual([1, []]);
  },
);

test('a transport finishes without an error when every bucket has ended', async () => {
  const { socket, finished } = await openTransport();
  socket.tell({ type: 'error', bucket: 'photos', error: { code: 'not_found', message: 'none' } });
  expect(finished).toEqual([[undefined]]);
  expect(socket.closes).toMatchObject([[1000, expect.any(String)]]);
});

test('a transport closes a socket with a reason of at most 123 bytes', async () => {
  const { socket } = await openTransport();
  socket.tell({ type: 'goodbye', code: 4429, reason: '€'.repeat(200) });
  const [[code, reason = ''] = []] = socket.closes;
  expect(code).toBe(4429);
  expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
  expect(reason).toMatch(/^€+$/);
});

test('a transport closes a socket that refuses its code without a code', async () => {
  const { socket } = await openTransport({ refusesCode: true });
  socket.tell({ type: 'goodbye', code: 4429, reason: 'many' });
  expect(socket.closes).toEqual([[4429, 'many'], []]);
});

test.each(['put', 'cursor'])(
  'a transport that is stopped by a %s does nothing more',
  async (at) => {
    const seen: string[] = [];
    const world = await openTransport({
      emit: ({ type }) => {
        seen.push(type);
        if (type === at) world.transport.stop();
      },
      follow: { photos: { cursor: 5, bucketId: ID } },
    });
    world.socket.tell(SUBSCRIBED);
    const changes = [{ cursor: 6, type: 'put', object: { key: 'a' } }];
    world.socket.tell({ ...CHANGES, to: 6, head: 9, changes, more: true });
    expect(seen).toEqual(at === 'put' ? ['status', 'put'] : ['status', 'put', 'cursor']);
    world.transport.resume();
    await pass(HOUR_MS);
    expect([world.socket.sent.length, world.sockets.length]).toEqual([1, 1]);
  },
);

test('a transport closes a socket that it gets after it was stopped', async () => {
  let give: (url: string) => void = () => undefined;
  const ticket = () => new Promise<string>((resolve) => (give = resolve));
  const { transport, sockets } = transportWorld({ ticket });
  transport.start();
  transport.stop();
  give('wss://files.example/late');
  await pass();
  expect(sockets[0]?.closes).toHaveLength(1);
  sockets[0]?.fire('open');
  expect(sockets[0]?.sent).toEqual([]);
});

test('a transport whose socket does not open closes it within half a minute, and opens another', async () => {
  const { transport, socketAt, sockets } = transportWorld();
  transport.start();
  await pass(15_000);
  expect(socketAt(0).closes).toEqual([]);
  await pass(10_000);
  expect(socketAt(0).closes).toMatchObject([[4000, expect.any(String)]]);
  expect(sockets).toHaveLength(2);
  socketAt(0).fire('open');
  expect(sockets.map(({ sent }) => sent)).toEqual([[], []]);
});

test('a transport that may send in 60 days does not wake before', async () => {
  let calls = 0;
  const now = () => {
    calls += 1;
    return Date.now();
  };
  const { socket } = await openTransport({ now });
  socket.tell(SUBSCRIBED);
  const details = { retry_after: 60 * 24 * 3_600 };
  socket.tell({ type: 'error', error: { code: 'rate_limited', message: 'slow', details } });
  const before = calls;
  await pass(HOUR_MS);
  expect([socket.sent.length, calls]).toEqual([1, before]);
});

test('a transport whose socket cannot be created asks the service for the reason', async () => {
  const openWebSocket: OpenWebSocket = () => {
    throw new SyntaxError('no address');
  };
  const { transport, requests, events } = transportWorld({ openWebSocket });
  transport.start();
  await pass();
  expect(requests).toEqual(['sync?bucket=photos&cursor=5&limit=1']);
  expect(events).toMatchObject([{ status: 'disconnected', transport: 'websocket' }]);
});
