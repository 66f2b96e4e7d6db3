/** When a channel loses its connection, and when it opens the next one. */
import { channelOf, events, openChannel, run, subscribedChannel, timesOf } from './open-channel';

const NEVER = Number.POSITIVE_INFINITY;
const goodbye = (code: number, before?: number) => ({
  ...{ code, reason: 'the gateway closes' },
  ...(before !== undefined && { reconnect_before: new Date(before).toISOString() }),
});

test('a channel reports when it is connected and why it no longer is, and connects again', () => {
  const { channel, outputs } = openChannel({ photos: { cursor: 5 }, films: { cursor: 1 } });
  const status = { type: 'status', transport: 'websocket', buckets: ['photos', 'films'] };
  expect(events(outputs)).toStrictEqual([{ ...status, status: 'connected' }]);
  const lost = channel.closed(100, { code: 1006, reason: 'the network is down' });
  expect(lost).toEqual([
    { type: 'event', event: { ...status, status: 'disconnected', reason: 'the network is down' } },
  ]);
  expect(run(channel, 100, 20_349)).toEqual([[350, { type: 'connect' }]]);
  expect(events(channel.opened(400))).toEqual([{ ...status, status: 'connected' }]);
});

test.each([
  ['of a code', { code: 1011 }, '1011'],
  ['of neither code nor reason', {}, '1006'],
  ['of an empty reason', { code: 1012, reason: '' }, '1012'],
])('a channel names the code of a loss %s', (_what, loss, text) => {
  const { channel } = openChannel();
  const reason = expect.stringContaining(text);
  expect(events(channel.closed(100, loss))).toMatchObject([{ status: 'disconnected', reason }]);
});

test('a channel whose connection is lost before it is open reports nothing', () => {
  const { channel } = channelOf();
  channel.start(0);
  expect(channel.closed(100)).toEqual([]);
  expect(channel.wakeAt(100)).toBe(350);
});

test.each([
  [
    'the connection closes with 4401',
    (open: ReturnType<typeof openChannel>) =>
      open.channel.closed(9, { code: 4401, reason: 'revoked' }),
  ],
  [
    'the service says goodbye with 4401',
    (open: ReturnType<typeof openChannel>) =>
      open.tell(9, 'goodbye', { code: 4401, reason: 'revoked' }),
  ],
])('a channel fails when %s', (_what, end) => {
  const open = openChannel();
  const outputs = end(open);
  expect(outputs.at(-1)).toMatchObject({
    ...{ type: 'failed', error: { code: 'unauthorized', message: 'revoked', status: 401 } },
  });
  expect(outputs.slice(0, -1)).toEqual(
    outputs.length > 1 ? [{ type: 'close', code: 4401, reason: 'revoked' }] : [],
  );
  expect(open.channel.wakeAt(9)).toBe(NEVER);
  expect(open.channel.opened(10)).toEqual([]);
  expect(open.channel.resume(10)).toEqual([]);
});

test('a channel closes after goodbye with 4401, and gives a reason where there is none', () => {
  const { tell } = openChannel();
  const outputs = tell(9, 'goodbye', { code: 4401 });
  expect(outputs).toMatchObject([
    { type: 'close', code: 4401, reason: '' },
    { type: 'failed', error: { code: 'unauthorized', message: expect.stringMatching(/./) } },
  ]);
});

test('a channel closes its connection after goodbye 4429, and says why', () => {
  const { channel, tell } = openChannel(undefined, () => 0);
  expect(tell(9, 'goodbye', goodbye(4429))).toMatchObject([
    { type: 'close', code: 4429, reason: 'the gateway closes' },
    { type: 'event', event: { status: 'disconnected', reason: 'the gateway closes' } },
  ]);
  expect(channel.wakeAt(9)).toBe(10_009);
});

test.each([
  ['at a random time in 80 % of the time left', 61_000, 1_000 + 2_400],
  ['within 80 % of 300 s at most', 3_601_000, 1_000 + 12_000],
  ['at once without a time', undefined, 1_000],
  ['at once when the time has passed', 500, 1_000],
])('a channel reconnects after goodbye: %s', (_what, before, expected) => {
  const { channel, tell } = openChannel(undefined, () => 0.05);
  tell(0, 'subscribed', { cursor: 5, head: 5 });
  tell(1_000, 'goodbye', goodbye(1001, before));
  expect(run(channel, 1_000, expected)).toEqual([
    [expected, { type: 'close', code: 1000, reason: expect.any(String) }],
    [expected, { type: 'connect' }],
  ]);
});

test('a channel reconnects after the first goodbye, whatever the next ones say', () => {
  const { channel, tell } = subscribedChannel();
  tell(1_000, 'goodbye', goodbye(1001, 21_000));
  tell(2_000, 'goodbye', goodbye(1001, 400_000));
  tell(3_000, 'goodbye', goodbye(1001, 3_001));
  expect(timesOf(run(channel, 3_000, 20_000), 'connect')).toEqual([9_000]);
});

test('a channel that reconnected after goodbye stays open', () => {
  const { channel, tell } = subscribedChannel();
  tell(1_000, 'goodbye', goodbye(1001, 1_000));
  channel.tick(1_000);
  channel.opened(1_100);
  tell(1_100, 'subscribed', { cursor: 5, head: 5 });
  expect(run(channel, 1_100, 31_099)).toEqual([]);
});

test.each([
  [4_999, 1_000],
  [5_000, 250],
])('a channel that was open for %i ms waits for %i ms after its next loss', (open, wait) => {
  const { channel } = channelOf();
  channel.start(0);
  for (const at of [0, 1_000]) {
    channel.closed(at);
    channel.tick(channel.wakeAt(at));
  }
  channel.opened(10_000);
  channel.closed(10_000 + open);
  expect(channel.wakeAt(10_000 + open)).toBe(10_000 + open + wait);
});

test('a channel opens no connection before it is time', () => {
  const { channel } = openChannel();
  channel.closed(100);
  expect(channel.tick(349)).toEqual([]);
  expect(channel.tick(350)).toEqual([{ type: 'connect' }]);
  expect(channel.tick(20_349)).toEqual([]);
  expect(channel.tick(20_350)).toEqual([{ type: 'close', code: 4000, reason: expect.any(String) }]);
  expect(channel.wakeAt(20_350)).toBe(20_850);
});

test('a channel ignores messages while it is not open', () => {
  const { channel, followed, tell } = channelOf({ photos: {} });
  channel.start(0);
  expect(tell(10, 'subscribed', { cursor: 3, head: 3 })).toEqual([]);
  expect(followed.cursor).toBeUndefined();
  channel.opened(20);
  channel.closed(30);
  expect(tell(40, 'subscribed', { cursor: 3, head: 3 })).toEqual([]);
  expect(followed.cursor).toBeUndefined();
});

test('a channel that has lost its pong closes the connection with 4000', () => {
  const { channel } = subscribedChannel();
  const all = run(channel, 0, 40_000).slice(2);
  const reason = expect.stringContaining('pong');
  expect(all).toMatchObject([
    [40_000, { type: 'close', code: 4000, reason }],
    [40_000, { type: 'event', event: { status: 'disconnected', reason } }],
  ]);
});

test('a channel ends when every bucket has ended, and connects no more', () => {
  const { channel, tell } = subscribedChannel();
  const error = { code: 'forbidden', message: 'no' };
  expect(tell(5, 'error', { error })).toMatchObject([
    { type: 'event', event: { type: 'ended', bucket: 'photos', error } },
    { type: 'close', code: 1000 },
    { type: 'done' },
  ]);
  expect([channel.wakeAt(5), channel.closed(6), channel.tick(99_999)]).toEqual([NEVER, [], []]);
});
