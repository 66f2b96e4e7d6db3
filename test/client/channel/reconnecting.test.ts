/** How the client reports a lost connection, and when it opens the next one. */
import {
  channelOf,
  events,
  openChannel,
  run,
  sent,
  subscribedChannel,
  timesOf,
} from './open-channel';

const goodbye = (code: number, before?: number) => ({
  ...{ code, reason: 'the gateway closes' },
  ...(before !== undefined && { reconnect_before: new Date(before).toISOString() }),
});

/** The times at which the client opens a connection. */
const attempts = (...range: Parameters<typeof run>) => timesOf(run(...range), 'connect');

test('the client reports that it is connected, why it no longer is, and connects again', () => {
  const { channel, outputs } = openChannel({ photos: { cursor: 5 }, films: { cursor: 1 } });
  const status = { type: 'status', transport: 'websocket', buckets: ['photos', 'films'] };
  expect(events(outputs)).toStrictEqual([{ ...status, status: 'connected' }]);
  const lost = channel.closed(100, { code: 1006, reason: 'the network is down' });
  expect(events(lost)).toEqual([
    { ...status, status: 'disconnected', reason: 'the network is down' },
  ]);
  expect(attempts(channel, 100, 1_000)).toHaveLength(1);
  expect(events(channel.opened(1_000))).toEqual([{ ...status, status: 'connected' }]);
});

test.each([
  ['a code', { code: 1011 }, '1011'],
  ['neither code nor reason', {}, '1006'],
  ['an empty reason', { code: 1012, reason: '' }, '1012'],
])('the status after a loss with %s names a code', (_what, loss, text) => {
  const reason = expect.stringContaining(text);
  expect(events(openChannel().channel.closed(100, loss))).toMatchObject([{ reason }]);
});

test('the client reports nothing about a connection that was never open', () => {
  const { channel } = channelOf();
  channel.start(0);
  expect(channel.closed(100)).toEqual([]);
  expect(attempts(channel, 100, 1_000)).toHaveLength(1);
});

test.each([0.1, 0.5, 0.99])(
  'the client waits longer after each failed attempt, up to 30 s, at random (%d)',
  (random) => {
    const { channel } = channelOf(undefined, () => random);
    channel.start(0);
    let longest = 500;
    for (let now = 0, failures = 0; failures < 12; failures++) {
      channel.closed(now);
      const [next = 0] = attempts(channel, now, channel.wakeAt(now));
      expect((next - now) / longest).toBeCloseTo(random, 1);
      now = next;
      longest = Math.min(longest * 2, 30_000);
    }
  },
);

test('a connection that stayed open for a while makes the next loss the first one again', () => {
  const wait = (openFor: number) => {
    const { channel } = channelOf();
    channel.start(0);
    for (let now = 0, failures = 0; failures < 6; failures++) {
      channel.closed(now);
      now = channel.wakeAt(now);
      channel.tick(now);
    }
    channel.opened(100_000);
    const lost = 100_000 + openFor;
    channel.closed(lost);
    return (attempts(channel, lost, lost + 31_000)[0] ?? 0) - lost;
  };
  expect(wait(60_000)).toBeLessThan(500);
  expect(wait(10)).toBeGreaterThan(5_000);
});

test('the client closes a connection that does not open within 20 s, and tries again', () => {
  const { channel } = channelOf();
  channel.start(0);
  const all = run(channel, 0, 21_000);
  expect(all.map(([, { type }]) => type)).toEqual(['close', 'connect']);
  expect(all[0]?.[1]).toMatchObject({ code: 4000, reason: expect.any(String) });
  expect(timesOf(all, 'close')[0]).toBeGreaterThan(19_000);
});

const REVOKED = { code: 4401, reason: 'revoked' };

test.each<[string, (open: ReturnType<typeof openChannel>) => readonly object[]]>([
  ['the connection closes with 4401', ({ channel }) => channel.closed(9, REVOKED)],
  ['the server says goodbye with 4401', ({ tell }) => tell(9, 'goodbye', REVOKED)],
  [
    'the server sends the error unauthorized',
    ({ tell }) => tell(9, 'error', { error: { code: 'unauthorized', message: 'revoked' } }),
  ],
])('the client fails and sends nothing more when %s', (_what, end) => {
  const open = openChannel();
  const outputs = end(open);
  expect(outputs.at(-1)).toMatchObject({
    ...{ type: 'failed', error: { code: 'unauthorized', message: 'revoked', status: 401 } },
  });
  expect(outputs.slice(0, -1)).toMatchObject(
    outputs.length > 1 ? [{ type: 'close', ...REVOKED }] : [],
  );
  expect([open.channel.opened(10), open.channel.resume(10)]).toEqual([[], []]);
  expect(run(open.channel, 10, 1e9)).toEqual([]);
});

test('the error after goodbye 4401 without a reason has a message', () => {
  expect(openChannel().tell(9, 'goodbye', { code: 4401 }).at(-1)).toMatchObject({
    ...{ type: 'failed', error: { code: 'unauthorized', message: expect.stringMatching(/./) } },
  });
});

test.each([0, 0.5, 0.99])(
  'after goodbye 4429 the client closes, and waits for 10 to 30 s (%d)',
  (random) => {
    const { channel, tell } = openChannel(undefined, () => random);
    expect(tell(0, 'goodbye', goodbye(4429))).toMatchObject([
      { type: 'close', code: 4429, reason: 'the gateway closes' },
      { type: 'event', event: { status: 'disconnected', reason: 'the gateway closes' } },
    ]);
    const [next] = attempts(channel, 0, 60_000);
    expect(next).toBeGreaterThanOrEqual(10_000);
    expect(next).toBeLessThanOrEqual(30_000);
  },
);

test.each([
  ['before its deadline', 61_000, 61_000],
  ['within five minutes of a later deadline', 3_601_000, 301_000],
  ['at once without a deadline', undefined, 1_000],
  ['at once after the deadline', 500, 1_000],
])('after goodbye 1001 the client reconnects at a random moment, %s', (_what, before, latest) => {
  const moments = [0.1, 0.5, 0.99].map((random) => {
    const { channel, tell } = openChannel({ photos: { cursor: 5 } }, () => random);
    tell(0, 'subscribed', { cursor: 5, head: 5 });
    tell(1_000, 'goodbye', goodbye(1001, before));
    let now = 1_000;
    while (channel.wakeAt(now) <= latest) {
      now = Math.max(now, channel.wakeAt(now));
      const outputs = channel.tick(now);
      if (outputs.some(({ type }) => type === 'connect')) return now;
      if (sent(outputs).length > 0) tell(now, 'pong', { heads: { photos: 5 } });
    }
    throw new Error('the client does not reconnect in time');
  });
  expect(new Set(moments).size).toBe(latest === 1_000 ? 1 : 3);
});

test('a later goodbye does not move the time at which the client reconnects', () => {
  const reconnects = (...more: readonly number[]) => {
    const { channel, tell } = subscribedChannel();
    tell(1_000, 'goodbye', goodbye(1001, 21_000));
    for (const before of more) tell(2_000, 'goodbye', goodbye(1001, before));
    return attempts(channel, 2_000, 25_000);
  };
  expect(reconnects(400_000, 3_001)).toEqual(reconnects());
});

test('a connection that was opened after goodbye stays open', () => {
  const { channel, tell } = subscribedChannel();
  tell(1_000, 'goodbye', goodbye(1001, 1_000));
  channel.tick(1_000);
  channel.opened(1_100);
  tell(1_100, 'subscribed', { cursor: 5, head: 5 });
  expect(run(channel, 1_100, 30_000)).toEqual([]);
});

test('the client ignores messages while no connection is open', () => {
  const { channel, position, tell } = channelOf({ photos: {} });
  channel.start(0);
  tell(10, 'subscribed', { cursor: 3, head: 3 });
  channel.opened(20);
  channel.closed(30);
  expect(tell(40, 'subscribed', { cursor: 3, head: 3 })).toEqual([]);
  expect(position.cursor).toBeUndefined();
});
