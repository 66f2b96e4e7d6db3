/** The change channel's function, on the fakes. */

import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { LIMITS } from '../../../core/limits';
import { trimBucket } from '../../../core/log/trim';
import { BUCKET, DAY, put, remove } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const following = (actions: 'sync'[] | 'read'[], prefix?: string) => [
  { buckets: [BUCKET], actions, ...(prefix !== undefined && { prefix }) },
];

describe('subscribe', () => {
  test('sends only later changes when the request has no cursor', async () => {
    const { deps, bucket, open, push } = await openChannelWorld();
    await put(deps, 'a', '1');
    const channel = await open();
    expect(await channel.say({ action: 'subscribe', bucket: BUCKET })).toEqual([
      { type: 'subscribed', bucket: BUCKET, bucket_id: bucket.id, cursor: 1, head: 1 },
    ]);
    await put(deps, 'b', '22');
    await remove(deps, 'a');
    await push();
    expect(channel.news()).toEqual([
      {
        type: 'changes',
        bucket: BUCKET,
        bucket_id: bucket.id,
        from: 0,
        to: 3,
        head: 3,
        digest: { sha256: expect.any(String), since: 0 },
        changes: [
          expect.objectContaining({ cursor: 1, type: 'put' }),
          expect.objectContaining({ cursor: 2, type: 'put' }),
          {
            cursor: 3,
            type: 'delete',
            object: {
              bucket: BUCKET,
              key: 'a',
              version: 2,
              cursor: 3,
              deleted_at: expect.any(String),
            },
          },
        ],
      },
    ]);
  });

  test('sends the changes after the cursor at once, in messages of at most 32 KiB', async () => {
    const { deps, open } = await openChannelWorld();
    for (let n = 0; n < 250; n++) await put(deps, `${'ä'.repeat(100)}${n}`, 'x');
    const channel = await open();
    const messages = await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 3 });
    const [subscribed, ...changes] = messages;
    expect(subscribed).toMatchObject({ type: 'subscribed', cursor: 3 });
    expect(changes.length).toBeGreaterThan(2);
    let cursor = 3;
    for (const message of changes) {
      expect(message.from).toBe(cursor);
      cursor = message.to;
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(32 * 1024);
    }
    expect(cursor).toBe(250);
    const cursors = changes.flatMap((message) =>
      message.changes.map((c: { cursor: number }) => c.cursor),
    );
    expect(cursors).toEqual(Array.from({ length: 247 }, (_, n) => n + 4));
  });

  test('sends only changes below the prefix, in ranges without gaps', async () => {
    const { deps, open, push } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET, prefix: 'a/', cursor: 0 });
    for (const key of ['b/1', 'a/1', 'b/2']) await put(deps, key, 'x');
    await push();
    const [message, ...more] = channel.news();
    expect(message).toMatchObject({ from: 0, to: 3, changes: [{ cursor: 2 }] });
    expect(more).toEqual([]);
  });

  test('fails with forbidden when the key lacks the permission for the whole prefix', async () => {
    const { addKey, open, deps } = await openChannelWorld();
    const channel = await open('c1', addKey(following(['sync'], 'a/')));
    for (const wanted of [{ bucket: BUCKET }, { bucket: 'none', prefix: 'a/' }]) {
      expect(await channel.say({ action: 'subscribe', ...wanted })).toEqual([
        {
          type: 'error',
          bucket: wanted.bucket,
          error: expect.objectContaining({
            code: 'forbidden',
            details: { action: 'sync', ...wanted },
          }),
        },
      ]);
    }
    expect((await deps.subscriptions.get('c1'))?.subscriptions.size).toBe(0);
  });

  test('returns an error that names the wrong bucket or cursor', async () => {
    const { deps, open } = await openChannelWorld();
    await put(deps, 'a', '1');
    const channel = await open();
    const ask = async (wanted: object) =>
      (await channel.say({ action: 'subscribe', bucket: BUCKET, ...wanted }))[0];
    expect(await ask({ bucket: 'none' })).toMatchObject({ error: { code: 'not_found' } });
    expect(await ask({ cursor: 2 })).toMatchObject({
      error: { code: 'invalid_request', details: { field: 'cursor', head: 1 } },
    });
    expect(await ask({ cursor: 1, bucket_id: 'b99999999999' })).toMatchObject({
      type: 'reset',
      reason: 'bucket_replaced',
    });
    expect((await deps.subscriptions.get('c1'))?.subscriptions.size).toBe(0);
  });

  test('is refused when the connection follows 50 buckets', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    for (let n = 0; n < LIMITS.subscriptionsPerConnection; n++) {
      await createBucket(deps, `bucket-${n}`);
      // Keeps to the rate of messages.
      deps.clock.advance(100);
      const [answer] = await channel.say({ action: 'subscribe', bucket: `bucket-${n}` });
      expect(answer).toMatchObject({ type: 'subscribed' });
    }
    const details = { field: 'bucket', rule: 'too many subscriptions' };
    expect(await channel.say({ action: 'subscribe', bucket: BUCKET })).toMatchObject([
      { type: 'error', error: { code: 'invalid_request', details } },
    ]);
  });

  test('sends a reset when the cursor is below the retention', async () => {
    const { deps, bucket, open, push } = await openChannelWorld();
    for (let n = 0; n < 5; n++) await put(deps, 'a', String(n));
    await push();
    deps.clock.advance(8 * DAY);
    await put(deps, 'a', 'new');
    const log = await push();
    if (!log) throw new Error('no bucket');
    await trimBucket(deps, log.record, log.stats, { entries: 100 });
    const channel = await open();
    expect(await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 2 })).toEqual([
      { type: 'reset', bucket: BUCKET, reason: 'cursor_expired', oldest: 6, head: 6 },
    ]);
    const atOldest = await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 5 });
    expect(atOldest).toMatchObject([{ cursor: 5 }, { from: 5, to: 6 }]);
    expect(deps.state.changesOf(bucket.id).size).toBe(1);
  });

  test('sends a reset and fills no gap when entries are trimmed while they are read', async () => {
    const { deps, bucket, open, push } = await openChannelWorld();
    for (let n = 0; n < 5; n++) await put(deps, 'a', String(n));
    await push();
    deps.clock.advance(8 * DAY);
    const { read } = deps.changeLog;
    jest.spyOn(deps.changeLog, 'read').mockImplementationOnce(async (...range) => {
      await deps.buckets.raiseOldest(bucket, 5);
      await deps.changeLog.remove(bucket.id, [2, 3]);
      return read.apply(deps.changeLog, range);
    });
    const channel = await open();
    const messages = await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 0 });
    expect(messages.at(-1)).toMatchObject({ type: 'reset', reason: 'cursor_expired', oldest: 5 });
    expect([...deps.state.changesOf(bucket.id).keys()].sort()).toEqual([1, 4, 5]);
  });

  test('closes the channel when the key loses the permission during the request', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    const { subscribe } = deps.subscriptions;
    jest.spyOn(deps.subscriptions, 'subscribe').mockImplementationOnce(async (...parameters) => {
      deps.state.apiKeys.set(channel.key.id, { ...channel.key.record, permissions: [] });
      return subscribe.apply(deps.subscriptions, parameters);
    });
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    expect(channel.isClosed).toBe(true);
    expect(await deps.subscriptions.subscribers('b00000000001')).toEqual([]);
  });
});

describe('ping', () => {
  test('returns the heads, and sends lost changes again', async () => {
    const { deps, open, push } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    await put(deps, 'a', '1');
    await push();
    channel.news();
    const ping = (cursor: number) =>
      channel.say({ action: 'ping', cursors: { [BUCKET]: cursor, unknown: 3 } });
    const digest = { sha256: expect.any(String), since: 0 };
    expect(await ping(1)).toEqual([
      { type: 'pong', heads: { [BUCKET]: 1 }, digests: { [BUCKET]: digest } },
    ]);
    expect(await ping(0)).toMatchObject([
      { type: 'pong', heads: { [BUCKET]: 1 } },
      { type: 'changes', from: 0, to: 1, changes: [{ cursor: 1 }] },
    ]);
    expect(await channel.say({ action: 'ping' })).toEqual([{ type: 'pong', heads: {} }]);
  });

  test('sends an unpublished change only when it is 30 seconds old', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    await put(deps, 'a', '1');
    const ping = () => channel.say({ action: 'ping', cursors: { [BUCKET]: 0 } });
    expect(await ping()).toMatchObject([{ type: 'pong' }]);
    deps.clock.advance(30_000);
    expect(await ping()).toMatchObject([{ type: 'pong' }, { type: 'changes', from: 0, to: 1 }]);
  });

  test('reports a deleted bucket once, and ends its subscription', async () => {
    const { deps, bucket, open } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    await deleteBucket(deps, bucket);
    const ping = () => channel.say({ action: 'ping', cursors: { [BUCKET]: 0 } });
    expect(await ping()).toMatchObject([
      { type: 'error', bucket: BUCKET, error: { code: 'not_found' } },
      { type: 'pong', heads: {} },
    ]);
    expect(await ping()).toEqual([{ type: 'pong', heads: {} }]);
  });

  test('closes the channel when the key lost a permission', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    deps.state.apiKeys.set(channel.key.id, { ...channel.key.record, permissions: [] });
    await channel.say({ action: 'ping', cursors: {} });
    expect(channel.isClosed).toBe(true);
    expect(deps.state.connections.size).toBe(0);
  });

  test('asks the client to reconnect ten minutes before API Gateway closes the connection', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    const cut = deps.clock.now() + 2 * 3600 * 1000;
    deps.clock.advance(110 * 60 * 1000 + 1);
    const [, goodbye] = await channel.say({ action: 'ping' });
    expect(goodbye).toMatchObject({ type: 'goodbye', code: 1001 });
    expect(Date.parse(goodbye.reconnect_before)).toBeLessThan(cut);
  });
});

test('unsubscribe ends the subscription, and may be repeated', async () => {
  const { deps, bucket, open } = await openChannelWorld();
  const channel = await open();
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  for (let i = 0; i < 2; i++) {
    expect(await channel.say({ action: 'unsubscribe', bucket: BUCKET })).toEqual([
      { type: 'unsubscribed', bucket: BUCKET },
    ]);
  }
  expect(await deps.subscriptions.subscribers(bucket.id)).toEqual([]);
});

test('an invalid message gets an error, and the channel stays open', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  for (const text of ['nonsense', '{"action":"publish"}', '\u0000']) {
    expect(await channel.say(text)).toMatchObject([
      { type: 'error', error: { code: 'invalid_request' } },
    ]);
  }
  expect(await channel.say({ action: 'ping' })).toHaveLength(1);
});

test('a client that sends too many messages gets Retry-After, and is disconnected in the end', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  for (let n = 0; n < 50; n++) await channel.say({ action: 'ping' });
  const [refused] = await channel.say({ action: 'ping' });
  expect(refused).toMatchObject({ type: 'error', error: { code: 'rate_limited' } });
  expect(refused.error.details.retry_after).toBeGreaterThan(0);
  for (let n = 0; n < 100 && !channel.isClosed; n++) await channel.say({ action: 'ping' });
  expect(channel.isClosed).toBe(true);
});

test('a connection without a row is disconnected', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  await channel.end();
  await channel.end();
  await channel.say({ action: 'ping' });
  expect(channel.isClosed).toBe(true);
});

test('an internal failure is reported without its cause', async () => {
  const { deps, open } = await openChannelWorld();
  const channel = await open();
  jest.spyOn(deps.buckets, 'get').mockRejectedValue(new Error('secret of the house'));
  const [message] = await channel.say({ action: 'subscribe', bucket: BUCKET });
  expect(message).toMatchObject({ type: 'error', error: { code: 'internal' } });
  expect(JSON.stringify(message)).not.toContain('secret');
  expect(deps.log.lines.some(({ event }) => event === 'message_failed')).toBe(true);
});
