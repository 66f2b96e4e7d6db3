/** What a channel sends to the service, and when. */
import { events, ID, openChannel, run, sent, subscribedChannel, timesOf } from './open-channel';

const RANGE = { from: 5, to: 7, head: 7, changes: [] };
const ping = (fields: object) => ({ action: 'ping', ...fields });

test('a paused channel drops changes, pings without cursors, and asks again when resumed', () => {
  const { channel, followed, tell } = subscribedChannel();
  channel.pause();
  expect(tell(1_000, 'changes', RANGE)).toEqual([]);
  expect([followed.cursor, followed.head]).toEqual([5, 7]);
  const all = run(channel, 1_000, 39_999);
  expect(all.map(([at, output]) => [at, ...sent([output])])).toEqual([
    [30_000, ping({ cursors: {} })],
    [35_000, ping({ cursors: {} })],
  ]);
  tell(39_999, 'pong', { heads: {} });
  expect(sent(channel.resume(40_000))).toEqual([
    { action: 'subscribe', bucket: 'photos', cursor: 5, bucket_id: ID },
  ]);
  expect(sent(channel.resume(40_001))).toEqual([]);
  tell(40_100, 'changes', RANGE);
  expect(followed.cursor).toBe(7);
});

test('a channel that is resumed without a pause, or at the head, asks for nothing', () => {
  const { channel } = subscribedChannel({ photos: { cursor: 5 } }, 9);
  expect(channel.resume(10)).toEqual([]);
  const atHead = subscribedChannel();
  atHead.channel.pause();
  expect(atHead.channel.resume(10)).toEqual([]);
});

test('a paused channel subscribes to nothing until it is resumed', () => {
  const { channel, tell } = openChannel();
  channel.closed(10);
  channel.pause();
  channel.tick(channel.wakeAt(10));
  expect(sent(channel.opened(1_000))).toEqual([]);
  expect(run(channel, 1_000, 30_999)).toEqual([]);
  expect(sent(channel.resume(2_000))).toMatchObject([{ action: 'subscribe', cursor: 5 }]);
  tell(2_000, 'subscribed', { cursor: 5, head: 5 });
});

test('a paused channel learns nothing of another incarnation', () => {
  const { channel, followed, tell } = subscribedChannel();
  channel.pause();
  tell(1_000, 'changes', { ...RANGE, bucket_id: 'other' });
  tell(1_000, 'changes', { ...RANGE, bucket: 'films' });
  expect(followed.head).toBe(5);
});

test.each([
  ['retry_after', { retry_after: 2 }, 2_000],
  ['a second without retry_after', {}, 1_000],
  ['50 ms where retry_after is 0', { retry_after: 0 }, 50],
])('a channel that is rate limited sends nothing for %s', (_what, details, wait) => {
  const { channel, tell } = openChannel();
  tell(100, 'error', { error: { code: 'rate_limited', message: 'slow', details } });
  expect(channel.wakeAt(100)).toBe(100 + wait);
  const again = tell(101, 'reset', { reason: 'cursor_expired', oldest: 1, head: 5 });
  expect(sent(again)).toEqual([]);
  expect(channel.tick(99 + wait)).toEqual([]);
  expect(timesOf(run(channel, 101, 99 + wait), 'send')).toEqual([]);
  expect(timesOf(run(channel, 101, 100 + wait), 'send')).toEqual([100 + wait]);
});

test('a channel sends again at once on a new connection after it was rate limited', () => {
  const { channel, tell } = openChannel();
  const error = { code: 'rate_limited', message: 'slow', details: { retry_after: 60 } };
  tell(100, 'error', { error });
  channel.closed(200);
  channel.tick(channel.wakeAt(200));
  expect(sent(channel.opened(1_000))).toHaveLength(1);
});

test('a channel ignores an error that names no bucket', () => {
  const { channel } = subscribedChannel();
  const error = { code: 'forbidden', message: 'no' };
  expect(channel.received(10, JSON.stringify({ type: 'error', error }))).toEqual([]);
});

test('a channel sends at most 40 messages at once, and then one each 67 ms', () => {
  const names = Array.from({ length: 45 }, (_, n) => [`bucket-${n}`, { cursor: 0 }] as const);
  const { channel, outputs } = openChannel(Object.fromEntries(names));
  expect(sent(outputs)).toHaveLength(40);
  expect(timesOf(run(channel, 0, 400), 'send')).toEqual([67, 134, 201, 267, 334]);
});

test('a channel has a full message rate on each connection', () => {
  const names = Array.from({ length: 40 }, (_, n) => [`bucket-${n}`, { cursor: 0 }] as const);
  const { channel } = openChannel(Object.fromEntries(names));
  channel.closed(10);
  channel.tick(channel.wakeAt(10));
  expect(sent(channel.opened(300))).toHaveLength(40);
});

test('a channel answers nothing to a pong, and asks for what a head above its cursor shows', () => {
  const { channel, followed, tell } = subscribedChannel();
  expect(sent(channel.tick(30_000))).toEqual([ping({ cursors: { photos: 5 } })]);
  expect(tell(30_100, 'pong', { heads: { photos: 8, films: 4 } })).toEqual([]);
  expect(followed.head).toBe(8);
  const [first] = run(channel, 30_100, 40_000);
  expect(first?.[0]).toBe(31_100);
  expect(sent(first ? [first[1]] : [])).toEqual([ping({ cursors: { photos: 5 } })]);
});

test('a channel that subscribes from now begins where the service says', () => {
  const { channel, outputs, tell } = openChannel({ photos: {} });
  expect(sent(outputs)).toEqual([{ action: 'subscribe', bucket: 'photos' }]);
  const cursor = { type: 'cursor', bucket: 'photos', bucketId: ID, cursor: 3, head: 4 };
  expect(events(tell(10, 'subscribed', { cursor: 3, head: 4 }))).toEqual([cursor]);
  expect(tell(20, 'subscribed', { cursor: 2, head: 4 })).toEqual([]);
  expect(channel.wakeAt(20)).toBe(1_020);
});

test('a channel that knows its cursor announces it when it learns the incarnation', () => {
  const { tell } = openChannel();
  const cursor = { type: 'cursor', bucket: 'photos', bucketId: ID, cursor: 5, head: 6 };
  expect(events(tell(10, 'subscribed', { cursor: 4, head: 6 }))).toEqual([cursor]);
  const known = openChannel({ photos: { cursor: 5, bucketId: ID } });
  expect(known.tell(10, 'subscribed', { cursor: 5, head: 6 })).toEqual([]);
});

test('a channel that gets another error than rate_limited continues to send', () => {
  const { tell } = subscribedChannel();
  const error = { code: 'unavailable', message: 'busy' };
  expect(tell(10, 'error', { bucket: 'films', error })).toEqual([]);
  expect(sent(tell(20, 'changes', { ...RANGE, from: 6 }))).toMatchObject([{ cursor: 5 }]);
});

test.each([
  ['later than without the error', 10, 10_100],
  ['no earlier than without the error', 1, 3_000],
  ['no earlier than without the error', undefined, 3_000],
])('a channel asks for an unavailable bucket again, %s', (_what, retryAfter, expected) => {
  const { channel, tell } = openChannel();
  const details = retryAfter === undefined ? {} : { retry_after: retryAfter };
  tell(100, 'error', { error: { code: 'unavailable', message: 'busy', details } });
  expect(channel.wakeAt(100)).toBe(expected);
});

test('a channel pings for a confirmed bucket after an error, when the service says', () => {
  const { channel, tell } = subscribedChannel();
  const error = { code: 'unavailable', message: 'busy', details: { retry_after: 2 } };
  tell(100, 'error', { error });
  expect(run(channel, 100, 2_099)).toEqual([]);
  expect(sent(channel.tick(2_100))).toEqual([ping({ cursors: { photos: 5 } })]);
});

test('a channel believes that a bucket was replaced only after it has asked again', () => {
  const { channel, followed, tell } = subscribedChannel();
  const reset = { reason: 'bucket_replaced', oldest: 1, head: 2 };
  expect(sent(tell(10, 'reset', reset))).toMatchObject([{ action: 'subscribe', bucket_id: ID }]);
  // Not a ping: the service may not know the subscription.
  const again = run(channel, 10, 8_000).map(([at, output]) => [at, sent([output])[0].action]);
  expect(again).toEqual([1_010, 3_010, 7_010].map((at) => [at, 'subscribe']));
  expect(events(tell(9_000, 'reset', reset))).toMatchObject([{ type: 'reset', ...reset }]);
  expect(followed.hasEnded).toBe(true);
});

test('a channel subscribes again to what has not ended', () => {
  const { channel, tell } = openChannel({ photos: { cursor: 5 }, films: { cursor: 1 } });
  tell(10, 'error', { error: { code: 'not_found', message: 'none' } });
  channel.closed(20);
  channel.tick(channel.wakeAt(20));
  expect(sent(channel.opened(1_000))).toMatchObject([{ bucket: 'films' }]);
});
