/** Consumers on the change channel, on the fakes. */

import { parseDeferredTask } from '../../../adapters/sqs/deferred-tasks';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { startPendingSubscription } from '../../../core/channel/pending-subscription';
import type { PendingSubscription } from '../../../core/channel/ports';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const SUBSCRIBE = { action: 'subscribe', bucket: BUCKET, consumer: 'indexer' };

/** Five published changes, and a consumer that is at the second. */
async function open(prefix = '') {
  const world = await openChannelWorld();
  const { deps, bucket } = world;
  for (let n = 1; n <= 5; n++) await put(deps, `a/${n}`, 'x');
  await world.push();
  const id = { bucketId: bucket.id, name: 'indexer' };
  const updatedAt = deps.clock.iso();
  await deps.consumers.put({ ...id, prefix, cursor: 2, updatedAt }, undefined);
  deps.clock.advance(60_000);
  const stored = async () => (await deps.consumers.get(id))?.cursor;
  const channel = await world.open();
  const ping = (consumed: number, cursor = 5) => {
    const cursors = { [BUCKET]: cursor };
    return channel.say({ action: 'ping', cursors, consumed: { [BUCKET]: consumed } });
  };
  const limiter = new RateLimiter(deps);
  /** Of a handshake that named the bucket. */
  const begin = (pending: PendingSubscription) =>
    startPendingSubscription({ ...deps, limiter }, pending);
  return { ...world, id, stored, channel, ping, begin };
}

test('a consumer continues at its stored cursor, or at the cursor of the request', async () => {
  const { channel, stored } = await open();
  const [subscribed, changes] = await channel.say(SUBSCRIBE);
  expect(subscribed).toMatchObject({ type: 'subscribed', cursor: 2 });
  expect(changes).toMatchObject({ from: 2, to: 5 });
  const [again] = await channel.say({ ...SUBSCRIBE, cursor: 4 });
  expect(again).toMatchObject({ type: 'subscribed', cursor: 4 });
  expect(await stored()).toBe(2);
});

test('a ping stores the consumed cursor at most every 30 seconds', async () => {
  const { deps, channel, stored, ping } = await open();
  await channel.say(SUBSCRIBE);
  expect(await channel.say({ action: 'ping', cursors: { [BUCKET]: 5 } })).toMatchObject([
    { type: 'pong' },
  ]);
  expect(await stored()).toBe(2);
  expect(await ping(3)).toMatchObject([{ type: 'pong' }]);
  expect(await stored()).toBe(3);
  deps.clock.advance(29_999);
  await ping(4);
  expect(await stored()).toBe(3);
  deps.clock.advance(1);
  await ping(4);
  expect(await stored()).toBe(4);
  deps.clock.advance(30_000);
  await ping(3);
  expect(await stored()).toBe(4);
});

test('a ping moves no cursor past the changes that the client received, or past the head', async () => {
  const { channel, stored, ping } = await open();
  await channel.say(SUBSCRIBE);
  const [refused] = await ping(5, 4);
  expect(refused).toMatchObject({
    error: { code: 'invalid_request', details: { field: `consumed.${BUCKET}` } },
  });
  const messages = await ping(6, 6);
  expect(messages).toContainEqual(expect.objectContaining({ type: 'error', bucket: BUCKET }));
  expect(await stored()).toBe(2);
});

test('a ping of a subscription without a consumer stores nothing', async () => {
  const { channel, stored, ping } = await open();
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  await ping(5);
  expect(await stored()).toBe(2);
});

test('unsubscribe stores the last cursor however soon, if the bucket has it', async () => {
  const { channel, stored, ping } = await open();
  await channel.say(SUBSCRIBE);
  await ping(3);
  const end = { action: 'unsubscribe', bucket: BUCKET };
  expect(await channel.say({ ...end, consumed: 6 })).toMatchObject([{ type: 'unsubscribed' }]);
  expect(await stored()).toBe(3);
  await channel.say(SUBSCRIBE);
  expect(await channel.say({ ...end, consumed: 5 })).toMatchObject([{ type: 'unsubscribed' }]);
  expect(await stored()).toBe(5);
});

test('a consumer that does not exist, or has another prefix, is refused', async () => {
  const { channel } = await open('a/');
  expect(await channel.say({ ...SUBSCRIBE, consumer: 'other', prefix: 'a/' })).toMatchObject([
    { type: 'error', bucket: BUCKET, error: { code: 'not_found' } },
  ]);
  expect(await channel.say(SUBSCRIBE)).toMatchObject([
    { error: { code: 'invalid_request', details: { field: 'prefix' } } },
  ]);
  const [subscribed] = await channel.say({ ...SUBSCRIBE, prefix: 'a/' });
  expect(subscribed).toMatchObject({ cursor: 2 });
});

test('a subscription with a cursor is refused when its consumer could not be stored', async () => {
  const { deps, channel } = await open('a/');
  const ahead = { ...SUBSCRIBE, cursor: 4 };
  expect(await channel.say({ ...ahead, consumer: 'other', prefix: 'a/' })).toMatchObject([
    { type: 'error', bucket: BUCKET, error: { code: 'not_found' } },
  ]);
  expect(await channel.say(ahead)).toMatchObject([
    { error: { code: 'invalid_request', details: { field: 'prefix' } } },
  ]);
  expect((await deps.subscriptions.get('c1'))?.subscriptions).toEqual(new Map());
});

test('a handshake that is processed late does not replace later subscriptions', async () => {
  const { deps, channel, id, begin } = await open();
  const updatedAt = deps.clock.iso();
  await deps.consumers.put({ ...id, name: 'other', prefix: '', cursor: 4, updatedAt }, undefined);
  const pending = { connectionId: 'c1', bucket: BUCKET, consumer: 'indexer' };
  await channel.say({ ...SUBSCRIBE, consumer: 'other' });
  await begin(pending);
  expect(channel.news()).toEqual([]);
  const followed = async () => (await deps.subscriptions.get('c1'))?.subscriptions.get(BUCKET);
  expect(await followed()).toMatchObject({ consumer: 'other' });
  await channel.say({ action: 'unsubscribe', bucket: BUCKET });
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  await begin(pending);
  expect(channel.news()).toEqual([]);
  expect((await followed())?.consumer).toBeUndefined();
});

test('a handshake that is processed twice subscribes its consumer twice', async () => {
  const { channel, begin } = await open();
  const pending = { connectionId: 'c1', bucket: BUCKET, consumer: 'indexer' };
  for (let time = 1; time <= 2; time++) {
    await begin(pending);
    expect(channel.news()[0]).toMatchObject({ type: 'subscribed', cursor: 2 });
  }
});

test('a ping does not move a consumer that was created again for other keys', async () => {
  const { deps, channel, id, stored, ping } = await open();
  await channel.say(SUBSCRIBE);
  await deps.consumers.remove(id);
  const updatedAt = '2026-01-01T00:00:00.000Z';
  await deps.consumers.put({ ...id, prefix: 'b/', cursor: 1, updatedAt }, undefined);
  await ping(4);
  expect(await stored()).toBe(1);
});

test('a consumer that is behind the retention gets reset', async () => {
  const { deps, bucket, channel } = await open();
  const stats = deps.state.stats.get(BUCKET);
  if (!stats) throw new Error('no stats');
  deps.state.stats.set(BUCKET, { ...stats, id: bucket.id, oldest: 4 });
  expect(await channel.say(SUBSCRIBE)).toMatchObject([{ type: 'reset', oldest: 4 }]);
});

test('a handshake with a consumer passes it on', () => {
  const begin = { connectionId: 'c1', bucket: BUCKET, consumer: 'indexer' };
  expect(parseDeferredTask(JSON.stringify({ begin }))).toEqual({ begin });
});
