/** When the client pings, and how it keeps to the rates of the service. */
import {
  answeredPings,
  events,
  ID,
  isGrowing,
  openChannel,
  run,
  secondsBetween,
  sent,
  subscribedChannel,
  timesOf,
} from './open-channel';

const RANGE = { from: 5, to: 7, head: 7, changes: [] };
const QUIET_S = 240;
const LONGEST_S = 300;
const limited = (details: object) => ({
  error: { code: 'rate_limited', message: 'slow', details },
});
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`bucket-${n}`, { cursor: 0 }]));

const secondsOf = (pings: readonly { readonly at: number }[], begin = 0) =>
  secondsBetween(
    pings.map(({ at }) => at),
    begin,
  );

test('a quiet channel pings with its cursors after half a minute, then every four minutes', () => {
  const pings = answeredPings(subscribedChannel(), 0, 600_000);
  for (const { cursors } of pings) expect(cursors).toEqual({ photos: 5 });
  expect(secondsOf(pings)).toEqual([30, QUIET_S, QUIET_S]);
});

test('a change that ends a long silence brings the next ping half a minute after it', () => {
  const world = subscribedChannel();
  answeredPings(world, 0, 300_000);
  world.tell(400_000, 'changes', { ...RANGE, to: 6, head: 6 });
  const [next] = answeredPings(world, 400_000, 600_000);
  expect(secondsOf(next ? [next] : [], 400_000)).toEqual([30]);
});

/** The pings of ten minutes in which changes of photos arrive every ten seconds. */
function pingsAmongChanges(world: ReturnType<typeof openChannel>, heads: object) {
  const pings: { readonly at: number }[] = [];
  for (let now = 10_000, cursor = 5; now <= 600_000; now += 10_000, cursor++) {
    pings.push(...answeredPings(world, now - 10_000, now, heads));
    world.tell(now, 'changes', { ...RANGE, from: cursor, to: cursor + 1, head: cursor + 1 });
  }
  return secondsOf(pings);
}

test('changes take the place of pings, but not for more than five minutes', () => {
  const seconds = pingsAmongChanges(subscribedChannel(), {});
  expect(seconds.length).toBeGreaterThan(0);
  expect(Math.min(...seconds)).toBeGreaterThan(QUIET_S);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(LONGEST_S);
});

test('a quiet bucket beside a busy one is asked for every half minute', () => {
  const world = subscribedChannel({ photos: { cursor: 5 }, films: { cursor: 1 } });
  world.tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 1 });
  const seconds = pingsAmongChanges(world, { photos: 0, films: 1 });
  expect(seconds.length).toBeGreaterThan(15);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(31);
});

test('a client that is behind pings after a second, then at growing intervals up to 30 s', () => {
  const world = subscribedChannel(undefined, 9);
  const seconds = secondsOf(answeredPings(world, 0, 120_000, { photos: 9 }));
  expect(seconds[0]).toBe(1);
  expect(isGrowing(seconds)).toBe(true);
  expect([seconds.length > 5, Math.max(...seconds)]).toEqual([true, 30]);
});

test('a pong with a head above the cursor makes the client ask for the changes within 2 s', () => {
  const { channel, position, tell } = subscribedChannel();
  const pingedAt = channel.wakeAt(0);
  channel.tick(pingedAt);
  expect(tell(pingedAt + 100, 'pong', { heads: { photos: 8, films: 4 } })).toEqual([]);
  expect(position.head).toBe(8);
  const [asked] = run(channel, pingedAt + 100, pingedAt + 2_100);
  expect(sent(asked ? [asked[1]] : [])).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
});

test('an old range that names a newer head makes the client ask for the changes within 2 s', () => {
  const { channel, tell } = subscribedChannel();
  tell(10, 'changes', RANGE);
  expect(tell(20, 'changes', { ...RANGE, head: 9 })).toEqual([]);
  const [asked] = run(channel, 20, 2_020);
  expect(sent(asked ? [asked[1]] : [])).toEqual([{ action: 'ping', cursors: { photos: 7 } }]);
});

test('a ping about one bucket names that bucket only, and does not put off another', () => {
  const { channel, tell } = subscribedChannel({ photos: { cursor: 5 }, films: { cursor: 1 } });
  tell(0, 'subscribed', { bucket: 'films', cursor: 1, head: 1 });
  tell(29_500, 'changes', { ...RANGE, bucket: 'films', from: 1, to: 2, head: 3 });
  const pings = run(channel, 29_500, 31_000).flatMap(([, output]) => sent([output]));
  expect(pings).toEqual([
    { action: 'ping', cursors: { photos: 5, films: 2 } },
    { action: 'ping', cursors: { films: 2 } },
  ]);
});

test('a ping names only the buckets whose subscription is confirmed', () => {
  const { channel } = subscribedChannel({ photos: { cursor: 5 }, films: { cursor: 1 } });
  const messages = run(channel, 0, 31_000).flatMap(([, output]) => sent([output]));
  expect(messages.filter(({ action }) => action === 'ping')).toEqual([
    { action: 'ping', cursors: { photos: 5 } },
  ]);
});

test('a ping without a pong is repeated, then the connection is closed and opened again', () => {
  const { channel } = subscribedChannel();
  const all = run(channel, 0, 45_000);
  expect(all.map(([, { type }]) => type)).toEqual(['send', 'send', 'close', 'event', 'connect']);
  expect(all[2]?.[1]).toMatchObject({ code: 4000, reason: expect.stringContaining('pong') });
  const [pinged = 0] = timesOf(all, 'send');
  const [closed = 0] = timesOf(all, 'close');
  expect(secondsBetween([pinged, closed])).toEqual([30, 10]);
});

test('a client whose own timer is late waits for the pong once more', () => {
  const { channel, tell } = subscribedChannel();
  channel.tick(30_000);
  expect(timesOf(run(channel, 55_000, 55_000), 'close')).toEqual([]);
  tell(55_001, 'pong', { heads: { photos: 5 } });
  expect(run(channel, 55_001, 80_000)).toEqual([]);
});

test('a paused client drops changes, pings without cursors, and asks again when resumed', () => {
  const { channel, position, tell } = subscribedChannel();
  channel.pause();
  expect(tell(1_000, 'changes', RANGE)).toEqual([]);
  expect([position.cursor, position.head]).toEqual([5, 7]);
  const [ping] = run(channel, 1_000, 31_000).flatMap(([, output]) => sent([output]));
  expect(ping).toEqual({ action: 'ping', cursors: {} });
  tell(31_000, 'pong', { heads: {} });
  expect(sent(channel.resume(40_000))).toEqual([
    { action: 'subscribe', bucket: 'photos', cursor: 5, bucket_id: ID },
  ]);
  expect(channel.resume(40_001)).toEqual([]);
  tell(40_100, 'changes', RANGE);
  expect(position.cursor).toBe(7);
});

test('a paused client subscribes to nothing until it is resumed', () => {
  const { channel } = openChannel();
  channel.closed(10);
  channel.pause();
  channel.tick(channel.wakeAt(10));
  expect(sent(channel.opened(1_000))).toEqual([]);
  expect(run(channel, 1_000, 29_000)).toEqual([]);
  expect(sent(channel.resume(29_000))).toMatchObject([{ action: 'subscribe', cursor: 5 }]);
});

test.each([
  ['retry_after', { retry_after: 2 }, 2_000],
  ['a second where retry_after is absent', {}, 1_000],
  ['a moment where retry_after is 0', { retry_after: 0 }, 20],
])('a client that is rate limited sends nothing for %s', (_what, details, wait) => {
  const { channel, tell } = openChannel();
  tell(100, 'error', limited(details));
  expect(tell(101, 'reset', { reason: 'cursor_expired', oldest: 1, head: 5 })).toEqual([]);
  expect(run(channel, 101, 99 + wait)).toEqual([]);
  const [next] = run(channel, 99 + wait, 5_000);
  expect(sent(next ? [next[1]] : [])).toMatchObject([{ action: 'subscribe', bucket: 'photos' }]);
});

test('a client that is rate limited on a confirmed subscription pings afterwards', () => {
  const { channel, tell } = subscribedChannel();
  tell(100, 'error', limited({ retry_after: 2 }));
  const [next] = run(channel, 100, 10_000);
  expect(sent(next ? [next[1]] : [])).toEqual([{ action: 'ping', cursors: { photos: 5 } }]);
});

test('a new connection has the full message rate, also after the last one was rate limited', () => {
  const { channel, outputs, tell } = openChannel(many(40));
  expect(sent(outputs)).toHaveLength(40);
  tell(100, 'error', limited({ retry_after: 60 }));
  channel.closed(200);
  channel.tick(channel.wakeAt(200));
  expect(sent(channel.opened(1_000))).toHaveLength(40);
});

test('the client keeps below the rate of the service when it subscribes to 100 buckets', () => {
  const { channel, outputs } = openChannel(many(100));
  const rest = timesOf(run(channel, 0, 2_900), 'send');
  // The service permits 50 messages at once, and 20 per second.
  expect(sent(outputs).length).toBeLessThan(50);
  expect(rest.filter((at) => at < 1_000).length).toBeLessThan(20);
  expect(rest.length).toBeGreaterThan(30);
});

test.each([10, 1])(
  'a bucket that is unavailable for %i s is asked for again after it',
  (seconds) => {
    const { channel, tell } = openChannel();
    const details = { retry_after: seconds };
    tell(100, 'error', { error: { code: 'unavailable', message: 'busy', details } });
    const [asked = 0] = timesOf(run(channel, 100, 20_000), 'send');
    expect(asked).toBeGreaterThanOrEqual(seconds * 1000);
  },
);

test('an error about another bucket does not keep the client from sending', () => {
  const { tell } = subscribedChannel();
  const error = { code: 'unavailable', message: 'busy' };
  expect(tell(10, 'error', { bucket: 'films', error })).toEqual([]);
  expect(sent(tell(20, 'changes', { ...RANGE, from: 6 }))).toMatchObject([{ cursor: 5 }]);
  expect(events(tell(30, 'changes', RANGE))).toMatchObject([{ type: 'cursor', cursor: 7 }]);
});

/** Returns the cursors that pings have stored for the consumer, with their times. */
const stored = (world: ReturnType<typeof openChannel>, from: number, until: number) =>
  answeredPings(world, from, until, { photos: 9 }).flatMap(({ at, consumed }) =>
    consumed ? [{ at, consumed }] : [],
  );

test('the client stores the cursor of its reader for the consumer, once in half a minute at most', () => {
  const world = openChannel({ photos: { consumer: 'indexer' } });
  const subscribe = { action: 'subscribe', consumer: 'indexer', bucket: 'photos' };
  expect(sent(world.outputs)).toEqual([subscribe]);
  world.tell(0, 'subscribed', { cursor: 4, head: 9 });
  world.tell(0, 'changes', { from: 4, to: 9, head: 9, changes: [] });
  // The client has received these changes; the reader is not done with them.
  expect(stored(world, 0, 40_000)).toEqual([]);
  world.position.consumed = 6;
  const [first] = stored(world, 40_000, 75_000);
  world.position.consumed = 9;
  const [next] = stored(world, 75_000, 150_000);
  expect([first?.consumed, next?.consumed]).toEqual([{ photos: 6 }, { photos: 9 }]);
  expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(29_000);
});

test('a paused client stores nothing', () => {
  const world = openChannel({ photos: { consumer: 'indexer' } });
  world.tell(0, 'subscribed', { cursor: 4, head: 4 });
  world.channel.pause();
  world.position.consumed = 4;
  expect(stored(world, 0, 100_000)).toEqual([]);
});
