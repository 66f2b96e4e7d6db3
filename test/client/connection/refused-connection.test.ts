/** What a connection does when no WebSocket opens. */
import { StowageError } from '../../../client';
import { ID } from '../channel/open-channel';
import { connectionWorld, pass, startFakeTimers, type WorldOptions } from './connection-world';

beforeEach(startFakeTimers);
afterEach(() => jest.useRealTimers());

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });
const failure = (code: string, status: number, details = {}) =>
  json({ error: { code, message: `it is ${code}`, details } }, status);
const pageOf = ({ searchParams: query }: URL) => {
  const cursor = Number(query.get('cursor') ?? 5);
  const place = { bucket: query.get('bucket'), bucket_id: ID };
  return json({ ...place, from: cursor, to: cursor, head: cursor, changes: [], has_more: false });
};
const TWO = { photos: { cursor: 5 }, films: { cursor: 1 } };

/** The handshake of the first socket has failed. */
async function refused(options: WorldOptions) {
  const world = connectionWorld(options);
  world.connection.start();
  await pass();
  world.sockets[0]?.fire('close', { code: 1006, reason: '' });
  await pass();
  return world;
}

test('a refused connection asks for each bucket whether it would be served', async () => {
  const follow = { photos: { cursor: 5, prefix: 'a/', bucketId: ID }, films: {} };
  const { requests, events, sockets } = await refused({ follow, respond: pageOf });
  expect(requests).toEqual([
    `sync?bucket=photos&cursor=5&prefix=a%2F&bucket_id=${ID}&limit=1`,
    'sync?bucket=films&limit=1',
  ]);
  expect(events).toEqual([]);
  await pass(249);
  expect(sockets).toHaveLength(1);
  await pass(1);
  expect(sockets).toHaveLength(2);
});

test('a refused connection ends the buckets that are refused, and follows the others', async () => {
  const respond = (url: URL) =>
    url.searchParams.get('bucket') === 'photos' ? failure('forbidden', 403) : pageOf(url);
  const { events, sockets, finished, requests } = await refused({ follow: TWO, respond });
  expect(events).toMatchObject([{ type: 'ended', bucket: 'photos', error: { code: 'forbidden' } }]);
  await pass(250);
  sockets[1]?.fire('close', { code: 1006 });
  await pass();
  // Nothing more is asked of the one that has ended.
  expect(requests.map((request) => request.slice(0, 17))).toEqual([
    ...['sync?bucket=photo', 'sync?bucket=films', 'sync?bucket=films'],
  ]);
  await pass(500);
  sockets[2]?.fire('open');
  expect(sockets[2]?.sent).toEqual([{ action: 'subscribe', bucket: 'films', cursor: 1 }]);
  expect(finished).toEqual([]);
});

test('a refused connection finishes when all buckets are refused', async () => {
  const details = { reason: 'bucket_replaced', oldest: 2, head: 9 };
  const respond = () => failure('cursor_expired', 410, details);
  const { events, finished, sockets } = await refused({ follow: TWO, respond });
  const reset = { type: 'reset', ...details };
  expect(events).toEqual([
    { ...reset, bucket: 'photos' },
    { ...reset, bucket: 'films' },
  ]);
  expect(finished).toEqual([[undefined]]);
  await pass(600_000);
  expect([sockets.length, jest.getTimerCount()]).toEqual([1, 0]);
});

test('a refused connection finishes with the error when the key is refused', async () => {
  const respond = () => failure('unauthorized', 401);
  const { events, finished, sockets } = await refused({ follow: TWO, respond });
  expect(finished).toMatchObject([[{ code: 'unauthorized' }]]);
  await pass(600_000);
  expect([events, sockets.length, finished.length]).toEqual([[], 1, 1]);
});

test('a refused connection reports that the service cannot be reached', async () => {
  const respond = () => failure('unavailable', 503);
  const { events, requests, sockets } = await refused({ follow: TWO, respond });
  const buckets = ['photos', 'films'];
  const status = { type: 'status', status: 'disconnected', transport: 'websocket', buckets };
  expect(events).toEqual([{ ...status, reason: 'it is unavailable' }]);
  expect(requests).toHaveLength(1);
  await pass(250);
  expect(sockets).toHaveLength(2);
});

test('a refused connection without a key asks for nothing', async () => {
  const { requests, events, sockets } = await refused({ canPoll: false });
  await pass(250);
  expect([requests, events, sockets.length]).toEqual([[], [], 2]);
});

test('a connection without a ticket ends what is refused, or tries again', async () => {
  const errors = [new StowageError('unavailable', 'busy'), new StowageError('forbidden', 'no')];
  const ticket = async () => {
    throw errors.shift();
  };
  const { events, finished, requests, connection } = connectionWorld({ ticket });
  connection.start();
  await pass();
  expect(events).toMatchObject([{ status: 'disconnected', reason: 'busy' }]);
  await pass(250);
  expect(events.slice(1)).toMatchObject([{ type: 'ended', error: { code: 'forbidden' } }]);
  expect([finished, requests]).toEqual([[[undefined]], []]);
});

test('a connection whose own ticket function fails asks the service', async () => {
  const ticket = async () => {
    throw new TypeError('a fault of the page');
  };
  const { requests, connection } = connectionWorld({ ticket, respond: pageOf });
  connection.start();
  await pass();
  expect(requests).toHaveLength(1);
});

test('a refused connection that is stopped meanwhile reports nothing', async () => {
  let fail: () => void = () => undefined;
  const respond = () => new Promise<Response>((_, reject) => (fail = () => reject(new Error())));
  const { connection, stop, events, finished, sockets } = await refused({ respond });
  stop.abort();
  connection.stop();
  fail();
  await pass(600_000);
  expect([events, finished, sockets.length]).toEqual([[], [], 1]);
});

test('a refused connection waits for its answer without a time limit', async () => {
  const world = await refused({ respond: () => new Promise(() => undefined) });
  world.connection.resume();
  await pass(600_000);
  expect([world.sockets.length, world.events]).toEqual([1, []]);
});

test('a connection that is stopped before its ticket fails asks for nothing', async () => {
  let fail: () => void = () => undefined;
  const ticket = () =>
    new Promise<string>((_, reject) => (fail = () => reject(new StowageError('network', 'no'))));
  const { connection, events, requests } = connectionWorld({ ticket });
  connection.start();
  connection.stop();
  fail();
  await pass();
  expect([events, requests]).toEqual([[], []]);
});

test('a connection that is stopped when its bucket ends does not finish', async () => {
  const respond = () => failure('not_found', 404);
  const emit = () => world.connection.stop();
  const world = connectionWorld({ respond, emit });
  world.connection.start();
  await pass();
  world.socketAt(0).fire('close', { code: 1006 });
  await pass();
  expect([world.finished, world.followed[0]?.hasEnded]).toEqual([[], true]);
});

/** Answers after the wait that a request asks for, as the service does. */
async function slowPage(url: URL): Promise<Response> {
  const wait = Number(url.searchParams.get('wait') ?? 0) * 1000;
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  return pageOf(url);
}

test('a refused connection polls for 15 s, then twice as long each time, up to 600 s', async () => {
  const parts = { pollsMeanwhile: true, random: () => 0, respond: slowPage };
  const world = await refused(parts);
  const polled: number[] = [];
  for (let count = 1; count <= 7; count++) {
    const began = Date.now();
    while (world.sockets.length === count) await pass(1_000);
    polled.push(Math.floor((Date.now() - began) / 15_000) * 15_000);
    world.sockets.at(-1)?.fire('error');
    await pass();
  }
  expect(polled).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 600_000]);
  expect(world.events.filter((event) => event.type === 'status')).toMatchObject([
    ...Array.from({ length: 8 }, () => ({ status: 'connected', transport: 'poll' })),
  ]);
});

test('a connection that was open polls for 15 s again when it is refused', async () => {
  const world = await refused({ pollsMeanwhile: true, respond: slowPage });
  while (world.sockets.length === 1) await pass(1_000);
  world.sockets[1]?.fire('open');
  world.sockets[1]?.fire('close', { code: 1006 });
  await pass(1_000);
  world.sockets[2]?.fire('close', { code: 1006 });
  const began = Date.now();
  while (world.sockets.length === 3) await pass(1_000);
  expect(Date.now() - began).toBeLessThan(20_000);
});

test('a refused connection that cannot poll either tries sockets at growing intervals', async () => {
  let isAvailable = false;
  const respond = (url: URL) => (isAvailable ? slowPage(url) : failure('unavailable', 503));
  const { sockets, events } = await refused({ pollsMeanwhile: true, respond });
  expect(events).toMatchObject([{ status: 'disconnected', transport: 'poll' }]);
  await pass(250);
  sockets[1]?.fire('close', { code: 1006 });
  await pass(499);
  expect(sockets).toHaveLength(2);
  await pass(1);
  expect(sockets).toHaveLength(3);
  isAvailable = true;
  sockets[2]?.fire('close', { code: 1006 });
  // Polls for as long as the first time, because it never could.
  await pass(15_999);
  expect(sockets).toHaveLength(3);
  await pass(1);
  expect(sockets).toHaveLength(4);
});

test('a refused connection finishes when every bucket ends while it polls', async () => {
  const respond = () => failure('not_found', 404);
  const { finished, events } = await refused({ pollsMeanwhile: true, respond });
  expect(events).toMatchObject([{ type: 'ended', error: { code: 'not_found' } }]);
  expect(finished).toEqual([[undefined]]);
});

test('a refused connection finishes with the error when polling is unauthorized', async () => {
  const respond = () => failure('unauthorized', 401);
  const { finished, sockets } = await refused({ pollsMeanwhile: true, respond });
  await pass(60_000);
  expect(finished).toMatchObject([[{ code: 'unauthorized' }]]);
  expect(sockets).toHaveLength(1);
});
