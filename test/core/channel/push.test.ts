import { Pusher, type PushOptions } from '../../../core/channel/push';
import type { Run } from '../../../core/log/reader';
import { BUCKET, openBucket, put } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

const HOUR = 3_600_000;

/** A bucket with one change, and `count` subscribers. */
async function open(count: number, prefixOf: (n: number) => string = () => '') {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a/1', 'x');
  const { clock, gateway, subscriptions } = deps;
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
  return { deps, bucket, key, ids, push, messages };
}

test('each of 40 subscribers receives the changes below its prefix', async () => {
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

test('a message to a subscriber of the whole bucket has the digest', async () => {
  const { push, messages } = await open(1);
  await push();
  expect(messages('c0')).toMatchObject([{ from: 0, to: 1, digest: { sha256: 'x', since: 0 } }]);
});

test('a busy connection receives nothing for half a minute', async () => {
  const { deps, push, messages } = await open(1);
  deps.gateway.setBusy('c0', true);
  await push();
  expect(deps.meter.sum('PushFailures')).toBe(1);
  deps.gateway.setBusy('c0', false);
  deps.clock.advance(29_999);
  await push();
  expect(messages('c0')).toEqual([]);
  deps.clock.advance(1);
  await push();
  expect(messages('c0')).toHaveLength(1);
});

test('a failed post is logged, and a connection that is gone is removed', async () => {
  const { deps, bucket, push } = await open(2);
  const error = new Error('no response');
  jest.spyOn(deps.channels, 'post').mockRejectedValueOnce(error);
  deps.gateway.close('c1');
  await push();
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'push_failed', fields: { connectionId: 'c0', error } },
  ]);
  expect(deps.meter.sum('PushFailures')).toBe(1);
  expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([{ connectionId: 'c0' }]);
});

test('a push serves first the subscribers that the last one left out', async () => {
  const { deps, push, ids, messages } = await open(200);
  const served = () => ids.filter((id) => messages(id).length > 0).length;
  let limit = 150;
  const signal = {
    get aborted() {
      return served() >= limit;
    },
  };
  await push({ signal });
  const left = 200 - served();
  expect(left).toBeGreaterThan(0);
  expect(deps.meter.sum('PushFailures')).toBe(left);
  expect(deps.log.lines).toEqual([
    { level: 'info', event: 'push_cut_short', fields: { bucket: BUCKET, to: 1, left } },
  ]);
  limit = 200;
  await push({ signal });
  expect(served()).toBe(200);
});

test('a channel is reviewed when its key has expired, and stays when the expiry is later now', async () => {
  const { deps, bucket, key, push, messages } = await open(2);
  const now = deps.clock.now();
  await deps.subscriptions.setKeyExpiry(bucket.id, 'c0', now);
  await deps.subscriptions.setKeyExpiry(bucket.id, 'c1', now + 1);
  await push();
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
});
