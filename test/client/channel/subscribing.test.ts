/** How the client subscribes, and recovers from messages that are lost, late or wrong. */
import {
  events,
  type Follow,
  ID,
  isGrowing,
  openChannel,
  run,
  secondsBetween,
  sent,
  subscribedChannel,
  types,
} from './open-channel';

const RANGE = { from: 5, to: 7, head: 7, changes: [] };
const FOREIGN = { ...RANGE, bucket_id: 'bucket000002' };
const TWO = { photos: { cursor: 5 }, films: { cursor: 1 } };
const EXPIRED = { reason: 'cursor_expired', oldest: 7, head: 9 };
const REPLACED = { reason: 'bucket_replaced', oldest: 1, head: 9 };
const FORBIDDEN = { code: 'forbidden', message: 'no' };
const cursorAt = (cursor: number, head: number) => ({
  ...{ type: 'cursor', bucket: 'photos', bucketId: ID, cursor, head },
});

test('the client subscribes from its cursor, and again at growing intervals until confirmed', () => {
  const { channel, outputs } = openChannel({ photos: { cursor: 5, prefix: 'a/', bucketId: ID } });
  const place = { bucket: 'photos', cursor: 5, prefix: 'a/', bucket_id: ID };
  const subscribe = { action: 'subscribe', ...place };
  expect(sent(outputs)).toEqual([subscribe]);
  const again = run(channel, 0, 29_000).filter(([, output]) => sent([output])[0]?.action);
  for (const [, output] of again) expect(sent([output])).toEqual([subscribe]);
  const seconds = secondsBetween(again.map(([at]) => at));
  expect(seconds.length).toBeGreaterThan(1);
  expect([isGrowing(seconds), Math.max(...seconds) <= 30]).toEqual([true, true]);
});

test.each<[string, Follow, object[]]>([
  ['from now', { photos: {} }, [cursorAt(4, 6)]],
  ['from now, in a known incarnation', { photos: { bucketId: ID } }, [cursorAt(4, 6)]],
  ['with a cursor of an unknown incarnation', { photos: { cursor: 5 } }, [cursorAt(5, 6)]],
  ['with a cursor of a known incarnation', { photos: { cursor: 5, bucketId: ID } }, []],
])(
  'a client that begins %s announces its cursor unless the reader knows it',
  (_what, follow, announced) => {
    const { tell } = openChannel(follow);
    expect(events(tell(10, 'subscribed', { cursor: 4, head: 6 }))).toEqual(announced);
    expect(tell(20, 'subscribed', { cursor: 2, head: 6 })).toEqual([]);
  },
);

test('the client requests the changes of a gap at once, and once while the response is pending', () => {
  const { position, tell } = subscribedChannel();
  const after = { action: 'subscribe', cursor: 5, bucket_id: ID };
  expect(sent(tell(10, 'changes', { ...RANGE, from: 6 }))).toMatchObject([after]);
  expect(tell(20, 'changes', { ...RANGE, from: 7, to: 8, head: 8 })).toEqual([]);
  tell(30, 'changes', { ...RANGE, to: 8, head: 8 });
  expect(position).toMatchObject({ cursor: 8, isBehind: false });
});

test('the client requests the rest when the server marks a range with `more`', () => {
  const { tell } = subscribedChannel(undefined, 9);
  const cut = tell(10, 'changes', { ...RANGE, head: 9, more: true });
  expect(sent(cut)).toMatchObject([{ action: 'subscribe', cursor: 7 }]);
});

test('a client that awaits changes does not request them again when a later range arrives', () => {
  const { tell } = subscribedChannel(undefined, 9);
  expect(tell(10, 'changes', { ...RANGE, from: 7, to: 8, head: 9 })).toEqual([]);
});

test('the client does not apply changes of another incarnation, and subscribes again once', () => {
  const { tell, position } = subscribedChannel();
  expect(sent(tell(10, 'changes', FOREIGN))).toMatchObject([{ action: 'subscribe' }]);
  expect(tell(20, 'changes', FOREIGN)).toEqual([]);
  expect([position.cursor, position.head]).toEqual([5, 5]);
});

test('changes that arrive before the subscription is confirmed are ignored', () => {
  const { tell, position } = openChannel({ photos: {} });
  expect(tell(10, 'changes', RANGE)).toEqual([]);
  expect(position.cursor).toBeUndefined();
});

test('a client asks again when another incarnation is confirmed, and accepts the reset', () => {
  const { position, tell } = openChannel({ photos: { cursor: 5, bucketId: ID } });
  const other = { bucket_id: 'bucket000002', cursor: 5, head: 8 };
  expect(sent(tell(10, 'subscribed', other))).toMatchObject([{ bucket_id: ID, cursor: 5 }]);
  expect(position.head).toBe(0);
  expect(events(tell(20, 'reset', REPLACED))).toMatchObject([{ type: 'reset' }]);
});

test.each<[string, Follow, object, boolean]>([
  ['before the retention', { photos: { cursor: 5 } }, EXPIRED, true],
  ['at the retention', { photos: { cursor: 5 } }, { ...EXPIRED, oldest: 6 }, false],
  ['from now on', { photos: {} }, EXPIRED, false],
  ['at a consumer', { photos: { consumer: 'c' } }, EXPIRED, true],
  ['in another incarnation', { photos: { cursor: 5, bucketId: ID } }, REPLACED, true],
  ['in no known incarnation', { photos: { cursor: 5 } }, REPLACED, false],
])('a reset of a client %s ends the bucket or is questioned: %#', (_what, follow, reset, ends) => {
  const { tell, position } = openChannel(follow);
  const outputs = tell(10, 'reset', reset);
  expect(position.hasEnded).toBe(ends);
  expect(types(outputs)).toEqual(ends ? ['event', 'close', 'done'] : ['send']);
});

test('the client believes that a bucket was replaced only after it has asked again', () => {
  const { channel, position, tell } = subscribedChannel();
  expect(sent(tell(10, 'reset', REPLACED))).toMatchObject([{ action: 'subscribe' }]);
  // Not a ping: the server may not know the subscription.
  const again = run(channel, 10, 8_000).flatMap(([, output]) => sent([output]));
  expect(again.length).toBeGreaterThan(0);
  expect(new Set(again.map(({ action }) => action))).toEqual(new Set(['subscribe']));
  expect(events(tell(9_000, 'reset', REPLACED))).toMatchObject([{ type: 'reset', ...REPLACED }]);
  expect(position.hasEnded).toBe(true);
});

test('the client subscribes again when a pong lacks a bucket, unless the bucket has ended', () => {
  const { channel, tell } = subscribedChannel(TWO);
  tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 1 });
  channel.tick(channel.wakeAt(0));
  const lacking = tell(30_100, 'pong', { heads: { films: 1 } });
  expect(sent(lacking)).toMatchObject([{ action: 'subscribe', bucket: 'photos', cursor: 5 }]);
  const ended = subscribedChannel(TWO);
  ended.tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 1 });
  ended.channel.tick(ended.channel.wakeAt(0));
  ended.tell(30_010, 'error', { error: FORBIDDEN });
  expect(ended.tell(30_020, 'pong', { heads: { films: 1 } })).toEqual([]);
});

test.each(['changes', 'reset', 'error', 'subscribed'])(
  'the client ignores %s of a bucket that it does not follow',
  (type) => {
    const { tell } = subscribedChannel();
    const fields = { ...RANGE, ...EXPIRED, cursor: 5, error: FORBIDDEN, bucket: 'films' };
    expect(tell(10, type, fields)).toEqual([]);
  },
);

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['a frame of API Gateway', '{"message":"Internal server error","connectionId":"x"}'],
  ['an error without a bucket', `{"type":"error","error":${JSON.stringify(FORBIDDEN)}}`],
  ['an unknown type', '{"type":"news"}'],
])('the client ignores %s', (_what, text) => {
  const { channel, position } = subscribedChannel();
  expect(channel.received(1, text)).toEqual([]);
  expect(position.cursor).toBe(5);
});

test('a client that receives an error about one bucket continues with the others', () => {
  const { channel, tell } = subscribedChannel(TWO);
  expect(events(tell(10, 'error', { error: FORBIDDEN }))).toMatchObject([{ type: 'ended' }]);
  channel.closed(20);
  channel.tick(channel.wakeAt(20));
  expect(sent(channel.opened(1_000))).toMatchObject([{ bucket: 'films' }]);
});

test('the client ends when every bucket has ended, and does nothing more', () => {
  const { channel, tell } = subscribedChannel();
  expect(tell(5, 'error', { error: FORBIDDEN })).toMatchObject([
    { type: 'event', event: { type: 'ended', bucket: 'photos', error: { code: 'forbidden' } } },
    { type: 'close', code: 1000 },
    { type: 'done' },
  ]);
  expect([channel.closed(6), run(channel, 6, 1e9)]).toEqual([[], []]);
});
