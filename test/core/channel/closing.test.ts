import {
  closeChannel,
  isPermitted,
  postWithRetries,
  reviewChannel,
  sayUnauthorized,
  untilClosable,
} from '../../../core/channel/closing';
import { BUCKET, openBucket } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

/** A key, and a channel of it that follows the bucket. */
async function open() {
  const { deps, bucket } = await openBucket();
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  const { channels, clock, gateway, slots, subscriptions } = deps;
  const now = clock.now();
  await subscriptions.open({ id: 'c1', keyId: key.id, connectedAt: now });
  await slots.take(key.id, 'channel', { limit: 1, holder: 'c1', now, until: now + 1 });
  const connection = await subscriptions.get('c1');
  if (!connection) throw new Error('no connection');
  const followed = { bucket: BUCKET, bucketId: bucket.id, prefix: '' };
  await subscriptions.subscribe(connection, followed, { limit: 50 });
  let isClosed = false;
  gateway.open('c1', undefined, () => {
    isClosed = true;
  });
  const messages = () => gateway.messages('c1').map((text) => JSON.parse(text));
  const post = jest.spyOn(channels, 'post');
  const change = (settings: object) => deps.state.apiKeys.set(key.id, { ...key, ...settings });
  const end = () => ({ isClosed, rows: deps.state.connections.size, sleeps: clock.sleeps });
  return { deps, bucket, key, messages, post, change, end };
}

describe('a post', () => {
  test('is repeated after 50, 200 and 800 ms while the connection is busy', async () => {
    const { deps, post } = await open();
    deps.gateway.setBusy('c1', true);
    expect(await postWithRetries(deps, 'c1', '{}')).toBe('busy');
    expect(post).toHaveBeenCalledTimes(4);
    expect(deps.clock.sleeps).toEqual([50, 200, 800]);
  });

  test('is not repeated when it was sent, or the connection is gone', async () => {
    const { deps, post } = await open();
    expect(await postWithRetries(deps, 'c1', '{}')).toBe('sent');
    expect(await postWithRetries(deps, 'other', '{}')).toBe('gone');
    expect(post).toHaveBeenCalledTimes(2);
    expect(deps.clock.sleeps).toEqual([]);
  });
});

test.each([
  [0, [1_000]],
  [999, [1]],
  [1_000, []],
  [2_000, []],
])('a client that was asked %i ms ago has the rest of a second: %j', async (elapsed, sleeps) => {
  const { deps } = await open();
  const askedAt = deps.clock.now();
  deps.clock.advance(elapsed);
  await untilClosable(deps, askedAt);
  expect(deps.clock.sleeps).toEqual(sleeps);
});

test('closeChannel frees the slot, says why, and disconnects after a second', async () => {
  const { deps, bucket, key, messages, end } = await open();
  await closeChannel(deps, 'c1', 4429, 'too many messages');
  expect(messages()).toEqual([{ type: 'goodbye', code: 4429, reason: 'too many messages' }]);
  expect(end()).toEqual({ isClosed: true, rows: 0, sleeps: [1_000] });
  expect((await deps.slots.holders(key.id, 'channel')).size).toBe(0);
  expect(await deps.subscriptions.subscribers(bucket.id)).toEqual([]);
});

test('sayUnauthorized closes nothing', async () => {
  const { deps, messages, end } = await open();
  await sayUnauthorized(deps, 'c1');
  expect(messages()).toMatchObject([{ type: 'goodbye', code: 4401 }]);
  expect(end()).toEqual({ isClosed: false, rows: 1, sleeps: [] });
});

describe('a review of a channel', () => {
  test('leaves it open, and stores when its key expires', async () => {
    const { deps, bucket, change, messages, end } = await open();
    const expiresAt = new Date(deps.clock.now() + 1).toISOString();
    change({ expiresAt });
    expect(await reviewChannel(deps, 'c1')).toBe(true);
    expect(end()).toEqual({ isClosed: false, rows: 1, sleeps: [] });
    expect(messages()).toEqual([]);
    expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([
      { expiresAt: Date.parse(expiresAt) },
    ]);
    change({});
    await reviewChannel(deps, 'c1');
    const [subscriber] = await deps.subscriptions.subscribers(bucket.id);
    expect(subscriber?.expiresAt).toBeUndefined();
  });

  test.each([
    ['is revoked', { revokedAt: '2026-01-01T00:00:00.000Z' }],
    ['has expired', { expiresAt: '2026-01-01T00:00:00.000Z' }],
    ['has another secret', { generation: 1 }],
    ['may follow another bucket', { permissions: [{ buckets: ['other'], actions: ['sync'] }] }],
    ['may only read', { permissions: [{ buckets: ['*'], actions: ['read'] }] }],
  ])('closes it when its key %s', async (_, settings) => {
    const { deps, change, messages, end } = await open();
    change(settings);
    expect(await reviewChannel(deps, 'c1')).toBe(false);
    expect(messages()).toMatchObject([{ type: 'goodbye', code: 4401 }]);
    expect(end()).toEqual({ isClosed: true, rows: 0, sleeps: [1_000] });
  });

  test('permits no connection that is not stored, and reads no key for it', async () => {
    const { deps } = await open();
    const read = jest.fn(async () => undefined);
    expect(await isPermitted(deps, 'other', read)).toBe(false);
    expect(read).not.toHaveBeenCalled();
    expect(await isPermitted(deps, 'c1', read)).toBe(false);
  });
});
