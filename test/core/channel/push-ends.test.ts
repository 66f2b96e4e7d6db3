/** When a push ends early, whom it remembers, and what those get who share a prefix. */
import { Pusher, type PushOptions } from '../../../core/channel/push';
import { PUSH_LEASE_MS, PushLease } from '../../../core/log/push-lease';
import { stopAt } from '../../../core/stop-signal';
import { BUCKET, openBucket, put } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

/** A bucket with 60 changes, which fill several messages, and that many subscribers. */
async function open(count: number) {
  const { deps, bucket } = await openBucket();
  for (let n = 1; n <= 60; n++) await put(deps, `k${n}`, 'x', { note: 'm'.repeat(1900) });
  const { channels, clock, gateway, subscriptions } = deps;
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  const follow = async (id: string) => {
    await subscriptions.open({ id, keyId: key.id, connectedAt: clock.now() });
    const connection = await subscriptions.get(id);
    if (!connection) throw new Error('no connection');
    const followed = { bucket: BUCKET, bucketId: bucket.id, prefix: '' };
    await subscriptions.subscribe(connection, followed, { limit: 50 });
    gateway.open(id);
  };
  for (let n = 0; n < count; n++) await follow(`c${n}`);
  const pusher = new Pusher(deps);
  const all = await deps.changeLog.read(bucket.id, 0, 60);
  const push = (options: PushOptions = {}, entries = all) =>
    pusher.push({ ...bucket, cursor: 60 }, 0, { entries }, options);
  /** Of one message. */
  const pushOne = (options: PushOptions = {}) => push(options, all.slice(0, 1));
  const messages = (id: string) => gateway.messages(id).map((text) => JSON.parse(text));
  const post = jest.spyOn(channels, 'post');
  const lease = new PushLease(deps, 'one');
  /** The lease ends in the next post, and another instance takes it. */
  const loseLeaseInPost = () =>
    post.mockImplementationOnce(async () => {
      clock.advance(PUSH_LEASE_MS + 1);
      await new PushLease(deps, 'other').acquire(bucket, 0);
      return 'sent';
    });
  return { deps, bucket, follow, push, pushOne, messages, post, lease, loseLeaseInPost };
}

describe('a push under a lease', () => {
  test('takes it before the first post, and none when there is nobody to post to', async () => {
    const { deps, follow, pushOne, post, lease } = await open(0);
    const acquire = jest.spyOn(deps.buckets, 'acquirePushLease');
    await pushOne({ lease });
    expect(acquire).not.toHaveBeenCalled();
    await follow('c0');
    await pushOne({ lease });
    expect([acquire.mock.calls.length, post.mock.calls.length]).toEqual([1, 1]);
    expect(lease.isHeld).toBe(true);
  });

  test('posts nothing while another instance has it', async () => {
    const { deps, bucket, pushOne, post, lease } = await open(1);
    await new PushLease(deps, 'other').acquire(bucket, 0);
    await pushOne({ lease });
    expect(post).not.toHaveBeenCalled();
    expect(lease.isLost).toBe(true);
  });

  test('ends between two messages to a subscriber when another instance takes it', async () => {
    const { push, post, lease, loseLeaseInPost } = await open(1);
    loseLeaseInPost();
    await push({ lease });
    expect(post).toHaveBeenCalledTimes(1);
    expect(lease.isLost).toBe(true);
  });

  test('counts nobody as left out when another instance has it as the time ends', async () => {
    const { deps, pushOne, post, lease, loseLeaseInPost } = await open(70);
    loseLeaseInPost();
    await pushOne({ lease, signal: stopAt(deps.clock, deps.clock.now() + PUSH_LEASE_MS) });
    expect(post).toHaveBeenCalledTimes(1);
    expect(lease.isLost).toBe(true);
    expect(deps.meter.sum('PushFailures')).toBe(0);
    expect(deps.log.lines).toEqual([]);
  });
});

test('a push ends between two messages to a subscriber when its time is over', async () => {
  const { push, post } = await open(1);
  const signal = {
    get aborted() {
      return post.mock.calls.length >= 2;
    },
  };
  await push({ signal });
  expect(post).toHaveBeenCalledTimes(2);
});

test('a push begins with those that the last one left out, also when one more follows', async () => {
  const { follow, pushOne, post } = await open(4);
  const signal = {
    get aborted() {
      return post.mock.calls.length >= 2;
    },
  };
  await pushOne({ signal });
  expect(post.mock.calls.map(([id]) => id)).toEqual(['c0', 'c1']);
  await follow('c4');
  post.mockClear();
  await pushOne();
  expect(post.mock.calls.map(([id]) => id)).toEqual(['c2', 'c3', 'c4', 'c0', 'c1']);
});

test('each of two subscribers to one prefix receives every message of a run, in order', async () => {
  const { push, messages } = await open(2);
  await push();
  const ranges = messages('c0').map(({ from, to }) => [from, to]);
  expect(ranges.length).toBeGreaterThan(2);
  expect(ranges.map(([from]) => from)).toEqual([0, ...ranges.slice(0, -1).map(([, to]) => to)]);
  expect(ranges.at(-1)?.[1]).toBe(60);
  expect(messages('c1')).toEqual(messages('c0'));
});

test('each of two busy connections is skipped', async () => {
  const { deps, pushOne, post } = await open(2);
  for (const id of ['c0', 'c1']) deps.gateway.setBusy(id, true);
  await pushOne();
  await pushOne();
  expect(post).toHaveBeenCalledTimes(2);
});

test('the end of each of two connections is announced once', async () => {
  const { deps, pushOne, messages } = await open(2);
  deps.clock.advance(2 * 3_600_000 - 600_000);
  await pushOne();
  await pushOne();
  for (const id of ['c0', 'c1']) {
    expect(messages(id).map(({ type }) => type)).toEqual(['changes', 'goodbye', 'changes']);
  }
});
