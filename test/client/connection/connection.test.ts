/** What a connection does with its sockets. */
import type { OpenWebSocket } from '../../../client/channel/web-socket';
import { ID } from '../channel/open-channel';
import { connectionWorld, openConnection, pass, startFakeTimers } from './connection-world';
import { FakeSocket } from './fake-sockets';

beforeEach(startFakeTimers);
afterEach(() => jest.useRealTimers());

const SUBSCRIBED = { type: 'subscribed', bucket: 'photos', bucket_id: ID, cursor: 5, head: 5 };
const statuses = (events: readonly object[]) =>
  events.flatMap((event) => ('status' in event ? [event.status] : []));

test.each([
  ['https://files.example', 'wss://files.example/api/v2/storage/sync'],
  ['http://files.example:81', 'ws://files.example:81/api/v2/storage/sync'],
])('a connection to %s opens %s with the key', async (baseUrl, url) => {
  const { connection, sockets } = connectionWorld({ baseUrl });
  connection.start();
  await pass();
  expect(sockets).toMatchObject([{ url, headers: { authorization: 'Bearer osk_1' } }]);
});

test('a connection sends and receives, and pings on time', async () => {
  const { connection, socket, events, followed } = await openConnection();
  expect(socket.sent).toEqual([{ action: 'subscribe', bucket: 'photos', cursor: 5 }]);
  socket.tell(SUBSCRIBED);
  socket.fire('message', { data: new Uint8Array(1) });
  expect(events).toMatchObject([{ status: 'connected' }, { type: 'cursor', cursor: 5 }]);
  await pass(29_999);
  expect(socket.sent).toHaveLength(1);
  await pass(1);
  expect(socket.sent).toHaveLength(2);
  socket.tell({ type: 'pong', heads: { photos: 5 } });
  const range = { bucket: 'photos', bucket_id: ID, from: 5, to: 7, head: 7, changes: [] };
  socket.tell({ ...range, type: 'changes' });
  expect(followed[0]?.cursor).toBe(7);
  connection.stop();
  expect([socket.closes, jest.getTimerCount()]).toEqual([[[1000, 'done']], 0]);
});

test('a connection that was lost opens another socket, and ignores the first one', async () => {
  const { socket, socketAt, sockets, events } = await openConnection();
  socket.fire('error');
  socket.fire('close', { code: 1006, reason: 'the network is down' });
  expect(statuses(events)).toEqual(['connected', 'disconnected']);
  expect(events.at(-1)).toMatchObject({ reason: 'the connection failed' });
  await pass(249);
  expect(sockets).toHaveLength(1);
  await pass(1);
  expect(sockets).toHaveLength(2);
  socketAt(1).fire('open');
  for (const type of ['open', 'close', 'error'] as const) socket.fire(type);
  socket.tell({ type: 'goodbye', code: 4401 });
  expect(statuses(events)).toEqual(['connected', 'disconnected', 'connected']);
  expect([socket.sent, socketAt(1).sent]).toMatchObject([[{}], [{ action: 'subscribe' }]]);
});

test('a connection passes on why its socket was closed', async () => {
  const { socket, events } = await openConnection();
  socket.fire('close', { code: 1011, reason: 'an error of the service' });
  expect(events.at(-1)).toMatchObject({ reason: 'an error of the service' });
});

test('a connection whose key is refused finishes with that error, and stays stopped', async () => {
  const { socket, finished, connection, sockets } = await openConnection();
  socket.tell({ type: 'goodbye', code: 4401, reason: 'revoked' });
  expect(finished).toMatchObject([[{ code: 'unauthorized', message: 'revoked' }]]);
  connection.resume();
  await pass(600_000);
  expect([sockets.length, finished.length, jest.getTimerCount()]).toEqual([1, 1, 0]);
});

test.each(['before', 'after'])(
  'a connection that closes with 4401 %s it opens fails',
  async (at) => {
    const { connection, socketAt, finished, requests } = connectionWorld();
    connection.start();
    await pass();
    if (at === 'after') socketAt(0).fire('open');
    socketAt(0).fire('close', { code: 4401, reason: 'revoked' });
    expect(finished).toMatchObject([[{ code: 'unauthorized', message: 'revoked' }]]);
    expect(requests).toEqual([]);
  },
);

test('a connection finishes without an error when every bucket has ended', async () => {
  const { socket, finished } = await openConnection();
  socket.tell({ type: 'error', bucket: 'photos', error: { code: 'not_found', message: 'none' } });
  expect(finished).toEqual([[undefined]]);
  expect(socket.closes).toEqual([[1000, 'every bucket has ended']]);
});

test('a connection gives a socket at most 40 characters of a reason', async () => {
  const { socket } = await openConnection();
  socket.tell({ type: 'goodbye', code: 4429, reason: 'x'.repeat(41) });
  expect(socket.closes).toEqual([[4429, 'x'.repeat(40)]]);
});

test('a connection closes a socket that refuses its code without one', async () => {
  const { socket } = await openConnection({ refusesCode: true });
  socket.tell({ type: 'goodbye', code: 4429, reason: 'many' });
  expect(socket.closes).toEqual([[4429, 'many'], []]);
});

test('a connection drops changes while it is paused, and asks for them when resumed', async () => {
  const { connection, socket, followed } = await openConnection();
  socket.tell(SUBSCRIBED);
  connection.pause();
  const range = { bucket: 'photos', bucket_id: ID, from: 5, to: 7, head: 7, changes: [] };
  socket.tell({ ...range, type: 'changes' });
  expect(followed[0]).toMatchObject({ cursor: 5, head: 7 });
  connection.resume();
  expect(socket.sent.slice(1)).toMatchObject([{ action: 'subscribe', cursor: 5 }]);
});

test.each(['put', 'cursor'])(
  'a connection that is stopped at a %s does nothing more',
  async (at) => {
    const seen: string[] = [];
    const world = await openConnection({
      emit: ({ type }) => {
        seen.push(type);
        if (type === at) world.connection.stop();
      },
      follow: { photos: { cursor: 5, bucketId: ID } },
    });
    world.socket.tell(SUBSCRIBED);
    const changes = [{ cursor: 6, type: 'put', object: { key: 'a' } }];
    const range = { bucket: 'photos', bucket_id: ID, from: 5, to: 6, head: 9, changes };
    world.socket.tell({ ...range, type: 'changes', more: true });
    expect(seen).toEqual(at === 'put' ? ['status', 'put'] : ['status', 'put', 'cursor']);
    world.connection.resume();
    expect([world.socket.sent.length, jest.getTimerCount()]).toEqual([1, 0]);
  },
);

test('a connection opens a channel by a ticket, without the key', async () => {
  const wanted: object[] = [];
  const ticket = async (options: object) => {
    wanted.push(options);
    return 'wss://files.example/by-ticket';
  };
  const follow = { photos: { cursor: 5, prefix: 'a/' } };
  const { connection, sockets } = connectionWorld({ ticket, follow });
  connection.start();
  await pass();
  expect(wanted).toEqual([{ bucket: 'photos', prefix: 'a/' }]);
  expect(sockets).toMatchObject([{ url: 'wss://files.example/by-ticket', headers: {} }]);
});

test('a connection closes a socket that it gets after it was stopped', async () => {
  let give: (url: string) => void = () => undefined;
  const ticket = () => new Promise<string>((resolve) => (give = resolve));
  const { connection, sockets } = connectionWorld({ ticket });
  connection.start();
  connection.stop();
  give('wss://files.example/late');
  await pass();
  expect(sockets[0]?.closes).toEqual([[1000, 'too late']]);
  sockets[0]?.fire('open');
  expect(sockets[0]?.sent).toEqual([]);
});

test('a connection waits 20 s for its socket, then closes it and opens another', async () => {
  const { connection, socketAt, sockets } = connectionWorld();
  connection.start();
  await pass(19_999);
  expect(socketAt(0).closes).toEqual([]);
  await pass(1);
  expect(socketAt(0).closes).toMatchObject([[4000, expect.any(String)]]);
  await pass(250);
  expect(sockets).toHaveLength(2);
  socketAt(0).fire('open');
  expect(sockets.map(({ sent }) => sent)).toEqual([[], []]);
});

test.each([
  ['a second', 1],
  ['more days than a timer counts', 60 * 24 * 3_600],
])('a connection that has to wait for %s does not wake before', async (_what, seconds) => {
  let calls = 0;
  const now = () => {
    calls += 1;
    return Date.now();
  };
  const { socket } = await openConnection({ now });
  socket.tell(SUBSCRIBED);
  const details = { retry_after: seconds };
  socket.tell({ type: 'error', error: { code: 'rate_limited', message: 'slow', details } });
  const before = calls;
  await pass(29_999);
  expect([socket.sent.length, calls]).toEqual([1, before]);
});

test('a connection counts a socket that cannot be created as refused', async () => {
  const openWebSocket: OpenWebSocket = () => {
    throw new SyntaxError('no address');
  };
  const { connection, requests, events } = connectionWorld({ openWebSocket });
  connection.start();
  await pass();
  expect(requests).toEqual(['sync?bucket=photos&cursor=5&limit=1']);
  expect(events).toMatchObject([{ status: 'disconnected', transport: 'websocket' }]);
});

test('a socket sends nothing before it is open', async () => {
  const { connection, socketAt } = connectionWorld();
  connection.start();
  await pass(10_000);
  expect(socketAt(0)).toBeInstanceOf(FakeSocket);
  expect(socketAt(0).sent).toEqual([]);
});
