/** How long a subscription of the handshake waits for its connection, and what is left then. */
import { RateLimiter } from '../../../core/access/rate-limiter';
import { startPendingSubscription } from '../../../core/channel/pending-subscription';
import { BUCKET, openBucket } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

const DELAYS = [20, 50, 100, 200, 400, 800, 1600];

/** A connection whose upgrade has not followed yet, and a subscription that waits for it. */
async function begin() {
  const { deps, bucket } = await openBucket();
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  const { channels, clock, gateway, slots, subscriptions } = deps;
  const now = clock.now();
  await subscriptions.open({ id: 'c1', keyId: key.id, connectedAt: now });
  await slots.take(key.id, 'channel', { limit: 1, holder: 'c1', now, until: now + 1 });
  const checks = jest.spyOn(channels, 'isOpen');
  const { sleep } = clock;
  /** The connection opens in that sleep. */
  const openIn = (nth: number) =>
    jest.spyOn(clock, 'sleep').mockImplementation(async (milliseconds) => {
      await sleep.call(clock, milliseconds);
      if (clock.sleeps.length === nth) gateway.open('c1');
    });
  const limiter = new RateLimiter(deps);
  const start = () =>
    startPendingSubscription({ ...deps, limiter }, { connectionId: 'c1', bucket: BUCKET });
  const types = () => gateway.messages('c1').map((text) => JSON.parse(text).type);
  return { deps, bucket, key, checks, openIn, start, types };
}

test.each([1, 3, 7])('a subscription starts when its channel opens in wait %i', async (nth) => {
  const { deps, bucket, checks, openIn, start, types } = await begin();
  openIn(nth);
  await start();
  expect(deps.clock.sleeps).toEqual(DELAYS.slice(0, nth));
  expect(checks).toHaveBeenCalledTimes(nth + 1);
  expect(types()).toEqual(['subscribed']);
  expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([{ connectionId: 'c1' }]);
});

test('a subscription does not wait when its channel is open', async () => {
  const { deps, checks, start, types } = await begin();
  deps.gateway.open('c1');
  await start();
  expect(deps.clock.sleeps).toEqual([]);
  expect(checks).toHaveBeenCalledTimes(1);
  expect(types()).toEqual(['subscribed']);
});

test('a channel that never opens is logged, and its row and its slot are removed', async () => {
  const { deps, bucket, key, start } = await begin();
  const post = jest.spyOn(deps.channels, 'post');
  await start();
  expect(deps.clock.sleeps).toEqual(DELAYS);
  expect(deps.log.lines).toEqual([
    { level: 'info', event: 'channel_never_opened', fields: { connectionId: 'c1' } },
  ]);
  expect(deps.state.connections.size).toBe(0);
  expect((await deps.slots.holders(key.id, 'channel')).size).toBe(0);
  expect(await deps.subscriptions.subscribers(bucket.id)).toEqual([]);
  expect(post).not.toHaveBeenCalled();
});
