import { announceDisconnect, Pusher, type PushOptions } from '../../../core/channel/push';
import type { Run } from '../../../core/log/reader';
import { BUCKET, openBucket, put } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

const HOUR = 3_600_000;

/** A bucket with one change, and that many subscribers. */
async function open(count: number, prefixOf: (n: number) => string = () => '') {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a/1', 'x');
  const { channels, clock, gateway, subscriptions } = deps;
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  const ids = Array.from({ length: count }, (_, n) => `c${n}`);
  for (const [n, id] of ids.entries()) {
    await subscriptions.open({ id, keyId: key.id, connectedAt: clock.now() });
    const connection = await subscriptions.get(id);
    if (!connection) throw new Error('no connection');
    const followed = { bucket: BUCKET, bucketId: bucket.id, prefix: prefixOf(n) };
    await subscriptions.subscribe(connection, followed, { limit: 50 });
    gateway.open(id);
  }
  const pusher = new Pusher(deps);
  const entries: Run['entries'] = await deps.changeLog.read(bucket.id, 0, 9);
  const digest = { sha256: 'x', since: 0 };
  const push = (options?: PushOptions) =>
    pusher.push({ ...bucket, cursor: 1 }, 0, { entries, digest }, options);
  const messages = (id: string) => gateway.messages(id).map((text) => JSON.parse(text));
  const post = jest.spyOn(channels, 'post');
  return { deps, bucket, key, push, messages, post };
}

test.each([
  [0, 0],
  [1, 0],
  [9, 0],
  [10, 25],
  [40, 100],
  [100, 250],
  [120, 250],
])('a push to %i subscribers is followed by a pause of %i ms', async (count, pause) => {
  const { deps, push, post } = await open(count);
  expect(await push()).toBe(deps.clock.now() + pause);
  expect(post).toHaveBeenCalledTimes(count);
});

test('each subscriber receives what its prefix shows, however many prefixes there are', async () => {
  const { bucket, push, messages } = await open(40, (n) => (n % 2 ? 'a/' : `b${n}/`));
  await push();
  const range = { type: 'changes', bucket: BUCKET, bucket_id: bucket.id, from: 0, to: 1, head: 1 };
  for (let n = 0; n < 40; n++) {
    const shown = n % 2 ? [expect.objectContaining({ cursor: 1 })] : [];
    expect(messages(`c${n}`)).toEqual([
      { ...range, prefix: n % 2 ? 'a/' : `b${n}/`, changes: shown },
    ]);
  }
});

test('the whole log has its digest', async () => {
  const { push, messages } = await open(1);
  await push();
  expect(messages('c0')).toMatchObject([{ from: 0, to: 1, digest: { sha256: 'x', since: 0 } }]);
});

test('a busy connection is skipped for half a minute', async () => {
  const { deps, push, post } = await open(1);
  deps.gateway.setBusy('c0', true);
  await push();
  expect(deps.meter.sum('PushFailures')).toBe(1);
  deps.clock.advance(29_999);
  await push();
  expect(post).toHaveBeenCalledTimes(1);
  deps.clock.advance(1);
  await push();
  expect(post).toHaveBeenCalledTimes(2);
  expect(deps.meter.sum('PushFailures')).toBe(2);
});

test('a connection at which a post fails is skipped, and one that is gone is removed', async () => {
  const { deps, bucket, push, post } = await open(2);
  const error = new Error('no response');
  post.mockRejectedValueOnce(error);
  deps.gateway.close('c1');
  await push();
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'push_failed', fields: { connectionId: 'c0', error } },
  ]);
  expect(deps.meter.sum('PushFailures')).toBe(1);
  expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([{ connectionId: 'c0' }]);
  await push();
  expect(post).toHaveBeenCalledTimes(2);
});

test('a push reads no subscribers when it has to end at once', async () => {
  const { deps, push } = await open(1);
  const read = jest.spyOn(deps.subscriptions, 'subscribers');
  expect(await push({ signal: { aborted: true } })).toBe(deps.clock.now());
  expect(read).not.toHaveBeenCalled();
});

test('a push that ends early begins the next time with those that it left out', async () => {
  const { deps, push, post } = await open(200);
  let limit = 150;
  const signal = {
    get aborted() {
      return post.mock.calls.length >= limit;
    },
  };
  await push({ signal });
  const first = new Set(post.mock.calls.map(([id]) => id));
  const left = 200 - first.size;
  expect(deps.meter.sum('PushFailures')).toBe(left);
  expect(deps.log.lines).toEqual([
    { level: 'info', event: 'push_cut_short', fields: { bucket: BUCKET, to: 1, left } },
  ]);
  post.mockClear();
  limit = left;
  await push({ signal });
  const second = post.mock.calls.map(([id]) => id).slice(0, left);
  expect(second.filter((id) => first.has(id))).toEqual([]);
});

test('a channel whose key has expired is reviewed, and stays when its key has a later expiry', async () => {
  const { deps, bucket, key, push, messages } = await open(2);
  const now = deps.clock.now();
  await deps.subscriptions.setKeyExpiry(bucket.id, 'c0', now);
  await deps.subscriptions.setKeyExpiry(bucket.id, 'c1', now + 1);
  const reads = jest.spyOn(deps.apiKeys, 'get');
  await push();
  expect(reads).toHaveBeenCalledTimes(1);
  expect([messages('c0'), messages('c1')]).toMatchObject([[{ to: 1 }], [{ to: 1 }]]);
  deps.state.apiKeys.set(key.id, { ...key, revokedAt: deps.clock.iso() });
  await deps.subscriptions.setKeyExpiry(bucket.id, 'c0', now);
  await push();
  expect(messages('c0').slice(1)).toMatchObject([{ type: 'goodbye', code: 4401 }]);
});

describe('the end of a connection', () => {
  test('is announced once, ten minutes before', async () => {
    const { deps, push, messages } = await open(1);
    const end = deps.clock.now() + 2 * HOUR;
    const types = () => messages('c0').map(({ type }) => type);
    deps.clock.advance(2 * HOUR - 600_001);
    await push();
    expect(types()).toEqual(['changes']);
    deps.clock.advance(1);
    await push();
    await push();
    expect(types()).toEqual(['changes', 'changes', 'goodbye', 'changes']);
    expect(messages('c0')[2]).toMatchObject({
      code: 1001,
      reconnect_before: new Date(end - 60_000).toISOString(),
    });
  });

  test('is announced ten minutes before it or later, not earlier', async () => {
    const { deps } = await open(1);
    const now = deps.clock.now();
    expect(await announceDisconnect(deps, 'c0', now - 2 * HOUR + 600_001)).toBe(false);
    expect(await announceDisconnect(deps, 'c0', now - 2 * HOUR + 600_000)).toBe(true);
  });
});
