/** The timing and the messages of a channel, with times as plain numbers. */
import { ChannelProtocol, type Output } from '../../client/channel/channel-protocol';
import { type FollowOptions, LogPosition } from '../../client/channel/log-position';

const ID = 'bucket000001';
const half = () => 0.5;

function opened(follow: Readonly<Record<string, FollowOptions>> = { photos: { cursor: 5 } }) {
  const followers = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  const channel = new ChannelProtocol(followers, half);
  channel.start(0);
  const outputs = channel.opened(0);
  return { channel, outputs, followers };
}

const sent = (outputs: readonly Output[]) =>
  outputs.flatMap((output) => (output.type === 'send' ? [JSON.parse(output.text)] : []));
const types = (outputs: readonly Output[]) => outputs.map(({ type }) => type);

function subscribed(cursor: number, head = cursor, bucket = 'photos') {
  return JSON.stringify({ type: 'subscribed', bucket, bucket_id: ID, cursor, head });
}

function changes(from: number, to: number, more: object = {}) {
  const range = { bucket: 'photos', bucket_id: ID, from, to, head: to, changes: [] };
  return JSON.stringify({ type: 'changes', ...range, ...more });
}

/** Ticks at each `wakeAt` until `until`; returns the outputs with their times. */
function run(
  channel: ChannelProtocol,
  from: number,
  until: number,
): readonly (readonly [number, Output])[] {
  const all: (readonly [number, Output])[] = [];
  let now = from;
  for (;;) {
    const next = Math.max(now, channel.wakeAt(now));
    if (next > until) return all;
    now = next;
    for (const output of channel.tick(now)) all.push([now, output]);
  }
}

test('channel repeats subscribe with growing waits until it is subscribed', () => {
  const { channel, outputs } = opened({ photos: { cursor: 5, prefix: 'a/', bucketId: ID } });
  const subscribe = {
    action: 'subscribe',
    bucket: 'photos',
    cursor: 5,
    prefix: 'a/',
    bucket_id: ID,
  };
  expect(sent(outputs)).toEqual([subscribe]);
  const times = run(channel, 0, 25_000).filter(([, output]) => sent([output])[0]?.cursor === 5);
  expect(times.map(([at]) => at)).toEqual([3_000, 9_000, 21_000]);
});

/** The silences before so many pings, all of which are answered, and the time after them. */
function answeredPings(channel: ChannelProtocol, count: number) {
  const silences: number[] = [];
  let now = 0;
  while (silences.length < count) {
    const at = channel.wakeAt(now);
    silences.push(at - now);
    expect(sent(channel.tick(at))).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
    now = at + 100;
    channel.received(now, JSON.stringify({ type: 'pong', heads: { photos: 5 } }));
  }
  return { silences, now };
}

test('channel pings with its cursors after 30 seconds of silence, then each 240', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5));
  expect(answeredPings(channel, 3).silences).toEqual([30_000, 240_000, 240_000]);
});

test('channel pings 30 seconds after a change that ends a long silence', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5));
  const { now } = answeredPings(channel, 2);
  channel.received(now + 1_000, changes(5, 6));
  expect(channel.wakeAt(now + 1_000)).toBe(now + 31_000);
});

/** The times of the pings until `until`, while changes of photos arrive every ten seconds. */
function pingsAmongChanges(channel: ChannelProtocol, until: number): readonly number[] {
  const times: number[] = [];
  for (let now = 10_000; now <= until; now += 10_000) {
    for (const [at, output] of run(channel, now - 10_000, now)) {
      const [message] = sent([output]);
      if (message?.action !== 'ping') continue;
      times.push(at);
      const heads = Object.keys(message.cursors).map((name) => [name, message.cursors[name]]);
      const pong = { type: 'pong', heads: Object.fromEntries(heads) };
      channel.received(at, JSON.stringify(pong));
    }
    channel.received(now, changes(now / 10_000 + 4, now / 10_000 + 5));
  }
  return times;
}

test('channel pings when nothing was received for 30 seconds, or no ping was sent for 300', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5));
  expect(pingsAmongChanges(channel, 400_000)).toEqual([300_000]);
  // The changes end with the message of 400 s.
  expect(run(channel, 400_000, 431_000).map(([at]) => at)).toEqual([430_000]);
});

test('channel pings every 30 seconds for a quiet bucket beside a busy one', () => {
  const { channel } = opened({ photos: { cursor: 5 }, films: { cursor: 1 } });
  channel.received(0, subscribed(5));
  channel.received(0, subscribed(1, 1, 'films'));
  expect(pingsAmongChanges(channel, 100_000)).toEqual([30_000, 60_000, 90_000]);
});

test('channel pings after 1, 2, 4 and 8 seconds while it is behind and no changes arrive', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5, 9));
  const pong = JSON.stringify({ type: 'pong', heads: { photos: 9 } });
  const times: number[] = [];
  for (let now = 0; now < 16_000; now = Math.max(now + 1, channel.wakeAt(now))) {
    if (sent(channel.tick(now)).length === 0) continue;
    times.push(now);
    channel.received(now, pong);
  }
  expect(times).toEqual([1_000, 2_000, 4_000, 8_000]);
});

test('channel requests a gap at once, and only once while the response is pending', () => {
  const { channel, followers } = opened();
  channel.received(0, subscribed(5));
  expect(sent(channel.received(10, changes(6, 7)))).toMatchObject([
    { action: 'subscribe', cursor: 5, bucket_id: ID },
  ]);
  expect(sent(channel.received(20, changes(7, 8)))).toEqual([]);
  channel.received(30, changes(5, 8));
  expect(followers[0]).toMatchObject({ cursor: 8, isBehind: false });
});

test('channel requests the rest when the server marks a range with `more`', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5, 9));
  const cut = changes(5, 7, { head: 9, more: true });
  expect(sent(channel.received(10, cut))).toMatchObject([{ action: 'subscribe', cursor: 7 }]);
});

test('channel repeats a ping without a pong, then closes the connection and reconnects', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5));
  const all = run(channel, 0, 41_000);
  const timeline = all.map(([at, output]) => `${at} ${output.type}`);
  expect(timeline).toEqual([
    '30000 send',
    '35000 send',
    '40000 close',
    '40000 event',
    '40250 connect',
  ]);
});

test('channel does not close the connection when its own timer is late', () => {
  const { channel } = opened();
  channel.received(0, subscribed(5));
  channel.tick(30_000);
  expect(types(channel.tick(55_000))).not.toContain('close');
  channel.received(55_001, JSON.stringify({ type: 'pong', heads: { photos: 5 } }));
  expect(run(channel, 55_001, 80_000)).toEqual([]);
});

test('channel closes a handshake without a response after 20 seconds', () => {
  const channel = new ChannelProtocol([new LogPosition('photos')], half);
  expect(types(channel.start(0))).toEqual(['connect']);
  expect(channel.wakeAt(0)).toBe(20_000);
  expect(types(channel.tick(20_000))).toEqual(['close']);
});

test('channel waits longer between attempts, with full jitter up to 30 seconds', () => {
  const channel = new ChannelProtocol([new LogPosition('photos')], half);
  channel.start(0);
  const waits: number[] = [];
  for (let now = 0; waits.length < 9; ) {
    channel.closed(now);
    waits.push(channel.wakeAt(now) - now);
    now = channel.wakeAt(now);
    channel.tick(now);
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test('channel sends nothing for retry_after after rate_limited', () => {
  const { channel } = opened();
  const error = { code: 'rate_limited', message: 'slow', details: { retry_after: 2.5 } };
  channel.received(100, JSON.stringify({ type: 'error', bucket: 'photos', error }));
  expect(run(channel, 100, 2_599)).toEqual([]);
  expect(sent(channel.tick(2_600))).toMatchObject([{ action: 'subscribe', bucket: 'photos' }]);
});

test('channel fails when the key is refused, and sends nothing more', () => {
  const { channel } = opened();
  const error = { code: 'unauthorized', message: 'the key was revoked' };
  const outputs = channel.received(100, JSON.stringify({ type: 'error', bucket: 'photos', error }));
  expect(outputs).toMatchObject([{ type: 'failed', error: { code: 'unauthorized' } }]);
  expect(run(channel, 100, 1_000_000)).toEqual([]);
});

test('channel closes after goodbye 4429 and waits for 10 to 30 seconds', () => {
  const { channel } = opened();
  const outputs = channel.received(0, JSON.stringify({ type: 'goodbye', code: 4429 }));
  expect(outputs[0]).toMatchObject({ type: 'close', code: 4429 });
  expect(channel.wakeAt(0)).toBe(20_000);
});

test('channel reconnects after goodbye 1001 before the deadline, not at once', () => {
  const { channel } = opened();
  const reconnect_before = new Date(60_000).toISOString();
  channel.received(0, JSON.stringify({ type: 'goodbye', code: 1001, reconnect_before }));
  channel.received(10, subscribed(5));
  const kinds = run(channel, 10, 40_000).filter(([, { type }]) => type === 'connect');
  expect(kinds.map(([at]) => at)).toEqual([24_000]);
});

test('channel subscribes to fifty buckets below the message rate of the service', () => {
  const names = Array.from({ length: 50 }, (_, n) => [`bucket-${n}`, { cursor: 0 }] as const);
  const { channel, outputs } = opened(Object.fromEntries(names));
  expect(sent(outputs)).toHaveLength(40);
  const rest = run(channel, 0, 999).filter(([, output]) => output.type === 'send');
  expect(new Set(rest.map(([, output]) => sent([output])[0].bucket)).size).toBe(10);
  expect(rest.length).toBeLessThanOrEqual(15);
});

test('channel ignores a reset that contradicts its cursor and ends on any other reset', () => {
  const { channel, followers } = opened();
  channel.received(0, subscribed(5));
  const reset = (oldest: number) =>
    JSON.stringify({ type: 'reset', bucket: 'photos', reason: 'cursor_expired', oldest, head: 9 });
  expect(sent(channel.received(1, reset(6)))).toMatchObject([{ action: 'subscribe', cursor: 5 }]);
  expect(types(channel.received(2, reset(7)))).toEqual(['event', 'close', 'done']);
  expect(followers[0]?.hasEnded).toBe(true);
});

test('channel ends on the reset of a consumer that is behind the retention', () => {
  const { channel, followers } = opened({ photos: { consumer: 'indexer', bucketId: ID } });
  const fields = { bucket: 'photos', reason: 'cursor_expired', oldest: 2, head: 1 };
  const reset = JSON.stringify({ type: 'reset', ...fields });
  expect(types(channel.received(1, reset))).toEqual(['event', 'close', 'done']);
  expect(followers[0]?.hasEnded).toBe(true);
});

test('channel subscribes again when a pong lacks the bucket', () => {
  const { channel } = opened({ photos: { cursor: 5 }, films: { cursor: 1 } });
  channel.received(0, subscribed(5));
  channel.received(0, subscribed(1, 1, 'films'));
  channel.tick(30_000);
  const pong = JSON.stringify({ type: 'pong', heads: { films: 1 } });
  expect(sent(channel.received(30_100, pong))).toMatchObject([
    { action: 'subscribe', bucket: 'photos', cursor: 5 },
  ]);
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['a frame of API Gateway', '{"message":"Internal server error","connectionId":"x"}'],
  ['a range that runs backwards', changes(9, 5)],
  [
    'an entry outside its range',
    changes(5, 6, { changes: [{ cursor: 7, type: 'put', object: {} }] }),
  ],
  ['a bucket that is not followed', subscribed(3, 3, 'films')],
  ['an unknown type', '{"type":"news"}'],
])('channel ignores %s', (_what, text) => {
  const { channel, followers } = opened();
  channel.received(0, subscribed(5));
  expect(channel.received(1, text)).toEqual([]);
  expect(followers[0]?.cursor).toBe(5);
});
