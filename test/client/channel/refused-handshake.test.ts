/** The WebSocket transport while no WebSocket opens. */
import { StowageError } from '../../../client';
import { ID } from './open-channel';
import { pass, startFakeTimers, transportWorld, type WorldOptions } from './transport-world';

beforeEach(startFakeTimers);
afterEach(() => jest.useRealTimers());

const HOUR_MS = 3_600_000;
const TWO = { photos: { cursor: 5 }, films: { cursor: 1 } };
const REFUSED_KEY = [[expect.objectContaining({ code: 'unauthorized' })]];
const failure = (code: string, status: number, details = {}) =>
  Response.json({ error: { code, message: `it is ${code}`, details } }, { status });

/** Answers after the wait that a request asks for, as the service does. */
async function pageOf({ searchParams: query }: URL): Promise<Response> {
  const wait = Number(query.get('wait') ?? 0) * 1000;
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  const cursor = Number(query.get('cursor') ?? 5);
  const place = { bucket: query.get('bucket'), bucket_id: ID };
  return Response.json({ ...place, from: cursor, to: cursor, head: cursor, changes: [] });
}

/** The handshake of the first socket has failed. */
async function refused(options: WorldOptions) {
  const world = transportWorld(options);
  world.transport.start();
  await pass();
  world.sockets[0]?.fire('close', { code: 1006, reason: '' });
  await pass();
  return world;
}

test('a transport asks for each bucket why the handshake was refused, and tries again', async () => {
  const follow = { photos: { cursor: 5, prefix: 'a/', bucketId: ID }, films: {} };
  const { requests, events, sockets } = await refused({ follow, respond: pageOf });
  expect(requests).toEqual([
    `sync?bucket=photos&cursor=5&prefix=a%2F&bucket_id=${ID}&limit=1`,
    'sync?bucket=films&limit=1',
  ]);
  await pass(500);
  expect([events, sockets.length]).toEqual([[], 2]);
});

test('a transport ends the buckets that are refused, and follows the others', async () => {
  const respond = (url: URL) =>
    url.searchParams.get('bucket') === 'photos' ? failure('forbidden', 403) : pageOf(url);
  const { events, sockets, finished, requests } = await refused({ follow: TWO, respond });
  expect(events).toMatchObject([{ type: 'ended', bucket: 'photos', error: { code: 'forbidden' } }]);
  await pass(500);
  sockets[1]?.fire('close', { code: 1006 });
  await pass(1_000);
  expect(requests.filter((request) => request.includes('photos'))).toHaveLength(1);
  sockets[2]?.fire('open');
  expect(sockets[2]?.sent).toEqual([{ action: 'subscribe', bucket: 'films', cursor: 1 }]);
  expect(finished).toEqual([]);
});

test.each([true, false])(
  'a transport finishes when all buckets are refused (polls: %s)',
  async (pollsWhileRefused) => {
    const details = { reason: 'bucket_replaced', oldest: 2, head: 9 };
    const respond = () => failure('cursor_expired', 410, details);
    const { events, finished, sockets } = await refused({
      follow: TWO,
      respond,
      pollsWhileRefused,
    });
    const reset = { type: 'reset', ...details };
    expect(events).toEqual([
      { ...reset, bucket: 'photos' },
      { ...reset, bucket: 'films' },
    ]);
    await pass(HOUR_MS);
    expect([finished, sockets.length]).toEqual([[[undefined]], 1]);
  },
);

test.each([true, false])(
  'a transport finishes with the error when the key is refused (polls: %s)',
  async (pollsWhileRefused) => {
    const respond = () => failure('unauthorized', 401);
    const { events, finished, sockets } = await refused({
      follow: TWO,
      respond,
      pollsWhileRefused,
    });
    await pass(HOUR_MS);
    expect([events, finished, sockets.length]).toEqual([[], REFUSED_KEY, 1]);
  },
);

test('a transport reports that the service cannot be reached, and tries again', async () => {
  const respond = () => failure('unavailable', 503);
  const { events, requests, sockets } = await refused({ follow: TWO, respond });
  const buckets = ['photos', 'films'];
  const status = { type: 'status', status: 'disconnected', transport: 'websocket', buckets };
  expect(events).toEqual([{ ...status, reason: 'it is unavailable' }]);
  await pass(500);
  expect([requests.length, sockets.length]).toEqual([1, 2]);
});

test('a transport without a key asks for nothing, and tries again', async () => {
  const { requests, events, sockets } = await refused({ canPoll: false });
  await pass(500);
  expect([requests, events, sockets.length]).toEqual([[], [], 2]);
});

test('a transport that gets no ticket tries again, or ends the bucket when it is refused', async () => {
  const errors = [new StowageError('unavailable', 'busy'), new StowageError('forbidden', 'no')];
  const ticket = async () => {
    throw errors.shift();
  };
  const { events, finished, requests, transport } = transportWorld({ ticket });
  transport.start();
  await pass();
  expect(events).toMatchObject([{ status: 'disconnected', reason: 'busy' }]);
  await pass(500);
  expect(events.slice(1)).toMatchObject([{ type: 'ended', error: { code: 'forbidden' } }]);
  expect([finished, requests]).toEqual([[[undefined]], []]);
});

test('a transport whose ticket function throws another error asks the service', async () => {
  const ticket = async () => {
    throw new TypeError('a fault of the page');
  };
  const { requests, transport } = transportWorld({ ticket, respond: pageOf });
  transport.start();
  await pass();
  expect(requests).toHaveLength(1);
});

test('a transport that is stopped while it asks for the reason reports nothing', async () => {
  let fail: () => void = () => undefined;
  const respond = () => new Promise<Response>((_, reject) => (fail = () => reject(new Error())));
  const { transport, stop, events, finished, sockets } = await refused({ respond });
  transport.resume();
  await pass(HOUR_MS);
  stop.abort();
  transport.stop();
  fail();
  await pass(HOUR_MS);
  expect([events, finished, sockets.length]).toEqual([[], [], 1]);
});

test('a transport that is stopped before its ticket fails asks for nothing', async () => {
  let fail: () => void = () => undefined;
  const ticket = () =>
    new Promise<string>((_, reject) => (fail = () => reject(new StowageError('network', 'no'))));
  const { transport, events, requests } = transportWorld({ ticket });
  transport.start();
  transport.stop();
  fail();
  await pass();
  expect([events, requests]).toEqual([[], []]);
});

test('a transport that is stopped by the end of its bucket does not finish', async () => {
  const respond = () => failure('not_found', 404);
  const emit = () => world.transport.stop();
  const world = transportWorld({ respond, emit });
  world.transport.start();
  await pass();
  world.socketAt(0).fire('close', { code: 1006 });
  await pass();
  expect([world.finished, world.positions[0]?.hasEnded]).toEqual([[], true]);
});

/** Seconds of polling until the next socket is opened. */
async function polledFor({ sockets }: ReturnType<typeof transportWorld>): Promise<number> {
  const count = sockets.length;
  let seconds = 0;
  for (; sockets.length === count && seconds < 3_600; seconds++) await pass(1_000);
  return seconds;
}

test('a transport polls between refused handshakes: 15 s first, longer each time, 10 min at most', async () => {
  const world = await refused({ pollsWhileRefused: true, random: () => 0, respond: pageOf });
  const polled: number[] = [];
  for (let count = 0; count < 8; count++) {
    polled.push(await polledFor(world));
    world.sockets.at(-1)?.fire('error');
    await pass();
  }
  expect(Math.abs((polled[0] ?? 0) - 15)).toBeLessThan(3);
  expect(polled).toEqual([...polled].sort((a, b) => a - b));
  expect(Math.abs((polled.at(-1) ?? 0) - 600)).toBeLessThan(25);
  const statuses = world.events.filter((event) => event.type === 'status');
  for (const status of statuses) {
    expect(status).toMatchObject({ status: 'connected', transport: 'poll' });
  }
});

test('a transport whose socket was open polls for 15 s again when the next is refused', async () => {
  const world = await refused({ pollsWhileRefused: true, respond: pageOf });
  await polledFor(world);
  world.sockets.at(-1)?.fire('error');
  expect(await polledFor(world)).toBeGreaterThan(25);
  world.sockets.at(-1)?.fire('open');
  world.sockets.at(-1)?.fire('close', { code: 1006 });
  await pass(5_000);
  world.sockets.at(-1)?.fire('close', { code: 1006 });
  expect(await polledFor(world)).toBeLessThan(25);
});

test('a transport that cannot poll either tries sockets at growing intervals', async () => {
  let isAvailable = false;
  const respond = (url: URL) => (isAvailable ? pageOf(url) : failure('unavailable', 503));
  const world = await refused({ pollsWhileRefused: true, respond });
  expect(world.events).toMatchObject([{ status: 'disconnected', transport: 'poll' }]);
  let waited = 0;
  for (let count = 0; count < 8; count++) {
    waited = await polledFor(world);
    world.sockets.at(-1)?.fire('close', { code: 1006 });
  }
  expect(waited).toBeGreaterThan(10);
  isAvailable = true;
  await polledFor(world);
  world.sockets.at(-1)?.fire('close', { code: 1006 });
  // It never could poll before, so this is the first time.
  expect(await polledFor(world)).toBeLessThan(50);
});
