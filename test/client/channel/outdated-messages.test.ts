/** What a channel makes of messages that come late, twice, or about something else. */
import { events, type Follow, ID, openChannel, run, sent, subscribedChannel } from './open-channel';

const RANGE = { from: 5, to: 7, head: 7, changes: [] };
const FOREIGN = { ...RANGE, bucket_id: 'bucket000002' };
const TWO = { photos: { cursor: 5 }, films: { cursor: 1 } };
const rateLimited = (seconds: number) => ({
  error: { code: 'rate_limited', message: 'slow', details: { retry_after: seconds } },
});

test('a channel from now on in a known incarnation announces where it begins', () => {
  const { tell } = openChannel({ photos: { bucketId: ID } });
  const cursor = { type: 'cursor', bucket: 'photos', bucketId: ID, cursor: 3, head: 3 };
  expect(events(tell(10, 'subscribed', { cursor: 3, head: 3 }))).toEqual([cursor]);
});

test('a channel asks again when another incarnation is confirmed, and believes the reset', () => {
  const { followed, tell } = openChannel({ photos: { cursor: 5, bucketId: ID } });
  const other = { bucket_id: 'bucket000002', cursor: 5, head: 8 };
  expect(sent(tell(10, 'subscribed', other))).toMatchObject([{ bucket_id: ID, cursor: 5 }]);
  expect(followed.head).toBe(0);
  const reset = { reason: 'bucket_replaced', oldest: 1, head: 8 };
  expect(events(tell(20, 'reset', reset))).toMatchObject([{ type: 'reset' }]);
});

test.each(['changes', 'reset', 'error', 'subscribed'])(
  'a channel ignores %s of a bucket that it does not follow',
  (type) => {
    const { tell } = subscribedChannel();
    const fields = { ...RANGE, cursor: 5, reason: 'cursor_expired', oldest: 9 };
    const error = { code: 'forbidden', message: 'no' };
    expect(tell(10, type, { ...fields, error, bucket: 'films' })).toEqual([]);
  },
);

test('a channel expects the changes that an old range announces', () => {
  const { channel, tell } = subscribedChannel();
  tell(10, 'changes', RANGE);
  expect(tell(20, 'changes', RANGE)).toEqual([]);
  expect(channel.wakeAt(20)).toBe(30_010);
  expect(tell(30, 'changes', { ...RANGE, head: 9 })).toEqual([]);
  expect(channel.wakeAt(30)).toBe(1_030);
  tell(500, 'changes', { ...RANGE, head: 9 });
  expect(channel.wakeAt(500)).toBe(1_030);
});

test('a channel asks which incarnation is current when it gets changes of another one', () => {
  const { tell, followed } = subscribedChannel();
  expect(sent(tell(10, 'changes', FOREIGN))).toMatchObject([{ action: 'subscribe' }]);
  // Once: the answer is awaited.
  expect(tell(20, 'changes', FOREIGN)).toEqual([]);
  expect([followed.cursor, followed.head]).toEqual([5, 5]);
});

test('a channel ignores changes before its subscription is confirmed', () => {
  const { channel, tell } = openChannel({ photos: {} });
  expect(tell(10, 'changes', RANGE)).toEqual([]);
  expect(channel.wakeAt(10)).toBe(3_000);
});

test.each<[string, Follow, object, boolean]>([
  ['before the retention', { photos: { cursor: 5 } }, { oldest: 7 }, true],
  ['at the retention', { photos: { cursor: 5 } }, { oldest: 6 }, false],
  ['from now on', { photos: {} }, { oldest: 7 }, false],
  ['of a consumer', { photos: { consumer: 'c' } }, { oldest: 7 }, true],
  [
    'of another incarnation',
    { photos: { cursor: 5, bucketId: ID } },
    { reason: 'bucket_replaced', oldest: 1 },
    true,
  ],
  [
    'of no known incarnation',
    { photos: { cursor: 5 } },
    { reason: 'bucket_replaced', oldest: 7 },
    false,
  ],
])('a channel %s ends on a reset only if it is behind: %#', (_what, follow, fields, ends) => {
  const { tell, followed } = openChannel(follow);
  const outputs = tell(10, 'reset', { reason: 'cursor_expired', head: 9, ...fields });
  expect(followed.hasEnded).toBe(ends);
  expect(events(outputs)).toHaveLength(ends ? 1 : 0);
  expect(sent(outputs)).toHaveLength(ends ? 0 : 1);
});

test('a channel that is rate limited pings for a confirmed bucket, and subscribes otherwise', () => {
  const confirmed = subscribedChannel();
  confirmed.tell(100, 'error', rateLimited(2));
  expect(sent(confirmed.channel.tick(2_100))).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
  const asking = openChannel();
  asking.tell(100, 'error', rateLimited(2));
  expect(sent(asking.channel.tick(2_100))).toMatchObject([{ action: 'subscribe' }]);
});

test('a channel ignores that a pong lacks a bucket which has ended meanwhile', () => {
  const { channel, tell } = subscribedChannel(TWO);
  tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 1 });
  const ping = { action: 'ping', cursors: { photos: 5, films: 1 } };
  expect(sent(channel.tick(30_000))).toEqual([ping]);
  tell(30_010, 'error', { error: { code: 'forbidden', message: 'no' } });
  expect(tell(30_020, 'pong', { heads: { films: 1 } })).toEqual([]);
  expect(tell(30_030, 'pong', { heads: {} })).toEqual([]);
});

test('a channel pings with the cursors of the buckets that are confirmed', () => {
  const { channel } = subscribedChannel(TWO);
  const pings = run(channel, 0, 30_000)
    .flatMap(([, output]) => sent([output]))
    .filter(({ action }) => action === 'ping');
  expect(pings).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
});

test('a channel asks again for one bucket, and not for the others', () => {
  const { channel, tell } = subscribedChannel(TWO);
  tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 4 });
  expect(sent(channel.tick(1_000))).toEqual([{ action: 'ping', cursors: { films: 1 } }]);
});

test('a channel asks later and later for a range that does not come, up to 30 s', () => {
  const { channel, tell } = subscribedChannel({ photos: { cursor: 5 } }, 9);
  const times: number[] = [];
  for (let now = 0; times.length < 8; ) {
    now = channel.wakeAt(now);
    if (sent(channel.tick(now)).length > 0) times.push(now);
    tell(now, 'pong', { heads: { photos: 9 } });
  }
  const waits = times.map((at, index) => at - (times[index - 1] ?? 0));
  expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('a channel that awaits changes does not ask at once for those that come too early', () => {
  const { channel, tell } = subscribedChannel(undefined, 9);
  expect(tell(10, 'changes', { ...RANGE, from: 7, to: 8, head: 9 })).toEqual([]);
  expect(sent(channel.tick(1_000))).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
});

test('a ping for all buckets does not put off asking for one whose changes are awaited', () => {
  const { channel, tell } = subscribedChannel(TWO);
  tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 1 });
  tell(29_500, 'changes', { ...RANGE, bucket: 'films', from: 1, to: 2, head: 3 });
  expect(sent(channel.tick(30_000))).toEqual([
    { action: 'ping', cursors: { photos: 5, films: 2 } },
  ]);
  expect(channel.wakeAt(30_000)).toBe(30_500);
  expect(sent(channel.tick(30_500))).toEqual([{ action: 'ping', cursors: { films: 2 } }]);
});
