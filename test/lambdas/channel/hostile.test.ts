/**
 * Clients at their worst: they catch up with everything at once, on connections that accept each
 * message slowly or not at all.
 */
import { createBucket } from '../../../core/buckets/buckets';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

/** The timeout of the function that serves messages. */
const TIMEOUT_MS = 29_000;
const METADATA = { x: 'm'.repeat(2000) };

/**
 * A channel at which each post takes this long; `busy`: it then reports that the connection is
 * busy.
 */
async function slowChannel(milliseconds: number, busy = false) {
  const world = await openChannelWorld();
  const channel = await world.open();
  const { post } = world.deps.channels;
  const begin = () =>
    jest.spyOn(world.deps.channels, 'post').mockImplementation(async (...message) => {
      world.deps.clock.advance(milliseconds);
      return busy ? 'busy' : post.apply(world.deps.channels, message);
    });
  const took = async (message: unknown) => {
    const start = world.deps.clock.now();
    const news = await channel.say(message);
    expect(world.deps.clock.now() - start).toBeLessThan(TIMEOUT_MS - 4_000);
    return news;
  };
  return { ...world, channel, begin, took };
}

test('catching up with large changes at a slow client ends in time, and continues with the next ping', async () => {
  const { deps, begin, took } = await slowChannel(1_400);
  for (let n = 0; n < 500; n++) await put(deps, `${n}`, 'x', METADATA);
  begin();
  const follow = (cursor: number) => took({ action: 'subscribe', bucket: BUCKET, cursor });
  const first = await follow(0);
  const { to, head, more } = first.at(-1);
  expect(more).toBe(true);
  expect(to).toBeGreaterThan(0);
  expect(head).toBeGreaterThan(to);
  const [, second] = await follow(to);
  expect(second).toMatchObject({ from: to });
});

test('a ping that is behind in many buckets gets its response in time, and changes of each bucket', async () => {
  const { deps, channel, begin, took } = await slowChannel(1_000);
  const names = Array.from({ length: 6 }, (_, n) => `bucket-${n}`);
  for (const name of names) {
    const bucket = await createBucket(deps, name);
    if (!bucket) throw new Error('no bucket');
    await channel.say({ action: 'subscribe', bucket: name });
    deps.clock.advance(1000);
    for (let n = 0; n < 3000; n++) {
      const cursor = await deps.commits.allocate({ name, id: bucket.id });
      if (!cursor) throw new Error('no number');
      const at = deps.clock.iso();
      await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: name, cursor, at });
    }
  }
  deps.clock.advance(60_000);
  begin();
  const cursors = Object.fromEntries(names.map((name) => [name, 0]));
  const news = await took({ action: 'ping', cursors });
  expect(Object.keys(news[0].heads)).toHaveLength(6);
  const served = new Set(news.slice(1).map(({ bucket }) => bucket));
  // Without shares the first bucket would take nearly all of the time.
  expect(served.size).toBeGreaterThan(2);
});

test('a ping about buckets that all fail ends in time on a slow channel', async () => {
  const { deps, channel, begin, took } = await slowChannel(1_400, true);
  const names = Array.from({ length: 12 }, (_, n) => `bucket-${n}`);
  for (const name of names) {
    await createBucket(deps, name);
    await channel.say({ action: 'subscribe', bucket: name });
    deps.clock.advance(1000);
  }
  begin();
  await took({ action: 'ping', cursors: Object.fromEntries(names.map((name) => [name, 9])) });
});
