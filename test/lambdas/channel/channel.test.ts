/** The change channel's function, on the fakes. */

import { mintTicket } from '../../../core/channel/handshake';
import { trimBucket } from '../../../core/log/trim';
import { deleteBucket } from '../../../core/objects/buckets';
import { BUCKET, DAY, put, remove } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const following = (actions: 'sync'[] | 'read'[], prefix?: string) => [
  { buckets: [BUCKET], actions, ...(prefix !== undefined && { prefix }) },
];

describe('the handshake', () => {
  test.each([
    ['no key', {}],
    ['another scheme', { Authorization: 'Basic eDp5' }],
    ['no key of ours', { Authorization: 'Bearer x' }],
  ])('is refused with %s, in the shape of every error', async (_name, headers) => {
    const { connect, deps } = await openChannelWorld();
    const answer = await connect('c1', { headers });
    expect(answer.statusCode).toBe(401);
    expect(JSON.parse(answer.body).error).toMatchObject({
      code: 'unauthorized',
      request_id: 'request-1',
    });
    expect(deps.state.connections.size).toBe(0);
  });

  test('is refused to a key that was revoked, or is revoked at that very moment', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const { text, record } = addKey();
    const headers = { authorization: `bearer ${text}` };
    deps.state.apiKeys.set(record.id, { ...record, revokedAt: deps.clock.iso() });
    expect(await connect('c1', { headers })).toMatchObject({ statusCode: 401 });

    deps.state.apiKeys.set(record.id, record);
    const { open } = deps.subscriptions;
    jest.spyOn(deps.subscriptions, 'open').mockImplementationOnce(async (connection) => {
      deps.state.apiKeys.set(record.id, { ...record, revokedAt: deps.clock.iso() });
      await open.call(deps.subscriptions, connection);
    });
    expect(await connect('c2', { headers })).toMatchObject({ statusCode: 401 });
    expect(deps.state.connections.size).toBe(0);
  });

  test('queues the subscription that it asks for, if the key may follow that', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const headers = { Authorization: `Bearer ${addKey(following(['sync'], 'a/')).text}` };
    const ask = (query: Record<string, string>) => connect('c1', { headers, query });
    expect(await ask({ bucket: BUCKET })).toMatchObject({ statusCode: 403 });
    expect(await ask({ bucket: 'other', prefix: 'a/' })).toMatchObject({ statusCode: 403 });
    expect(await ask({ bucket: BUCKET, cursor: 'x' })).toMatchObject({ statusCode: 400 });
    expect(deps.queue.length).toBe(0);
    expect(await ask({ bucket: BUCKET, prefix: 'a/b', cursor: '0' })).toMatchObject({
      statusCode: 200,
    });
    const begin = { connectionId: 'c1', bucket: BUCKET, prefix: 'a/b', cursor: 0 };
    expect(deps.queue.take()).toEqual([{ begin }]);
  });

  test('of a page is refused unless its origin is allowed', async () => {
    const { connect, addKey } = await openChannelWorld({ allowedOrigins: ['https://app.example'] });
    const authorization = `Bearer ${addKey().text}`;
    const ask = (Origin: string) => connect('c1', { headers: { authorization, Origin } });
    expect(await ask('https://evil.example')).toMatchObject({ statusCode: 403 });
    expect(await ask('null')).toMatchObject({ statusCode: 403 });
    expect(await ask('https://app.example')).toMatchObject({ statusCode: 200 });
  });

  test('takes a ticket once, within its minute, for its bucket and prefix', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const { id: keyId } = addKey();
    const mint = async () => (await mintTicket(deps, { keyId, bucket: BUCKET, prefix: 'a/' })).text;
    const query = { bucket: BUCKET, prefix: 'a/' };
    const first = await mint();
    expect(await connect('c1', { query: { ...query, ticket: first } })).toMatchObject({
      statusCode: 200,
    });
    expect(await connect('c2', { query: { ...query, ticket: first } })).toMatchObject({
      statusCode: 401,
    });
    const wider = { bucket: BUCKET, ticket: await mint() };
    expect(await connect('c3', { query: wider })).toMatchObject({ statusCode: 403 });
    const late = { ...query, ticket: await mint() };
    deps.clock.advance(60_001);
    expect(await connect('c4', { query: late })).toMatchObject({ statusCode: 401 });
    expect(await deps.subscriptions.get('c1')).toMatchObject({
      keyId,
      scope: { bucket: BUCKET, prefix: 'a/' },
    });
  });
});

describe('subscribe', () => {
  test('from now: nothing earlier, everything later', async () => {
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

  test('from a position: what follows it comes at once, in messages of at most 32 KiB', async () => {
    const { deps, open } = await openChannelWorld();
    for (let n = 0; n < 250; n++) await put(deps, `${'ä'.repeat(100)}${n}`, 'x');
    const channel = await open();
    const messages = await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 3 });
    const [subscribed, ...changes] = messages;
    expect(subscribed).toMatchObject({ type: 'subscribed', cursor: 3 });
    expect(changes.length).toBeGreaterThan(2);
    let position = 3;
    for (const message of changes) {
      expect(message.from).toBe(position);
      position = message.to;
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(32 * 1024);
    }
    expect(position).toBe(250);
    const cursors = changes.flatMap((message) =>
      message.changes.map((c: { cursor: number }) => c.cursor),
    );
    expect(cursors).toEqual(Array.from({ length: 247 }, (_, n) => n + 4));
  });

  test('with a prefix: the range is covered, and only what lies below it is told', async () => {
    const { deps, open, push } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET, prefix: 'a/', cursor: 0 });
    for (const key of ['b/1', 'a/1', 'b/2']) await put(deps, key, 'x');
    await push();
    const [message, ...more] = channel.news();
    expect(message).toMatchObject({ from: 0, to: 3, changes: [{ cursor: 2 }] });
    expect(more).toEqual([]);
  });

  test('without the permission for the whole prefix is forbidden, and tells nothing else', async () => {
    const { addKey, open, deps } = await openChannelWorld();
    const channel = await open('c1', addKey(following(['sync'], 'a/')));
    for (const wanted of [{ bucket: BUCKET }, { bucket: 'none', prefix: 'a/' }]) {
      expect(await channel.say({ action: 'subscribe', ...wanted })).toEqual([
        {
          type: 'error',
          bucket: wanted.bucket,
          error: expect.objectContaining({ code: 'forbidden', details: { action: 'sync' } }),
        },
      ]);
    }
    expect((await deps.subscriptions.get('c1'))?.subscriptions.size).toBe(0);
  });

  test('says what is wrong with a bucket or position', async () => {
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

  test('below the retention is a reset', async () => {
    const { deps, bucket, open, push } = await openChannelWorld();
    for (let n = 0; n < 5; n++) await put(deps, 'a', String(n));
    await push();
    deps.clock.advance(8 * DAY);
    await put(deps, 'a', 'new');
    const feed = await push();
    if (!feed) throw new Error('no feed');
    await trimBucket(deps, feed.record, feed.stats, { entries: 100 });
    const channel = await open();
    expect(await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 2 })).toEqual([
      { type: 'reset', bucket: BUCKET, reason: 'cursor_expired', oldest: 6, head: 6 },
    ]);
    const atTheEdge = await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 5 });
    expect(atTheEdge).toMatchObject([{ cursor: 5 }, { from: 5, to: 6 }]);
    expect(deps.state.changesOf(bucket.id).size).toBe(1);
  });

  test('a reader whose entries are trimmed under it is told, and fences nothing', async () => {
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

  test('of a key that is narrowed meanwhile ends the channel', async () => {
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
  test('answers the heads, and makes up for what was lost', async () => {
    const { deps, open, push } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    await put(deps, 'a', '1');
    await push();
    channel.news();
    const ping = (cursor: number) =>
      channel.say({ action: 'ping', cursors: { [BUCKET]: cursor, unknown: 3 } });
    expect(await ping(1)).toEqual([{ type: 'pong', heads: { [BUCKET]: 1 } }]);
    expect(await ping(0)).toMatchObject([
      { type: 'pong', heads: { [BUCKET]: 1 } },
      { type: 'changes', from: 0, to: 1, changes: [{ cursor: 1 }] },
    ]);
    expect(await channel.say({ action: 'ping' })).toEqual([{ type: 'pong', heads: {} }]);
  });

  test('leaves to fanout what is being pushed, unless it takes too long', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    await put(deps, 'a', '1');
    const ping = () => channel.say({ action: 'ping', cursors: { [BUCKET]: 0 } });
    expect(await ping()).toMatchObject([{ type: 'pong' }]);
    deps.clock.advance(30_000);
    expect(await ping()).toMatchObject([{ type: 'pong' }, { type: 'changes', from: 0, to: 1 }]);
  });

  test('tells that the bucket is gone, or another one', async () => {
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

  test('of a key that lost a permission ends the channel', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    deps.state.apiKeys.set(channel.key.id, { ...channel.key.record, permissions: [] });
    await channel.say({ action: 'ping', cursors: {} });
    expect(channel.isClosed).toBe(true);
    expect(deps.state.connections.size).toBe(0);
  });

  test('ten minutes before API Gateway’s cut asks the client to connect again', async () => {
    const { deps, open } = await openChannelWorld();
    const channel = await open();
    const cut = deps.clock.now() + 2 * 3600 * 1000;
    deps.clock.advance(110 * 60 * 1000 + 1);
    const [, goodbye] = await channel.say({ action: 'ping' });
    expect(goodbye).toMatchObject({ type: 'goodbye', code: 1001 });
    expect(Date.parse(goodbye.reconnect_before)).toBeLessThan(cut);
  });
});

test('unsubscribe ends what was followed, and may be repeated', async () => {
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

test('what is no action is answered, and the channel stays', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  for (const text of ['nonsense', '{"action":"publish"}', '\u0000']) {
    expect(await channel.say(text)).toMatchObject([
      { type: 'error', error: { code: 'invalid_request' } },
    ]);
  }
  expect(await channel.say({ action: 'ping' })).toHaveLength(1);
});

test('a client that sends too much is told when to go on, and at last cut off with 4429', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  for (let n = 0; n < 50; n++) await channel.say({ action: 'ping' });
  const [refused] = await channel.say({ action: 'ping' });
  expect(refused).toMatchObject({ type: 'error', error: { code: 'rate_limited' } });
  expect(refused.error.details.retry_after).toBeGreaterThan(0);
  for (let n = 0; n < 100 && !channel.isClosed; n++) await channel.say({ action: 'ping' });
  expect(channel.isClosed).toBe(true);
});

test('a connection that is not on record is cut', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  await channel.end();
  await channel.end();
  await channel.say({ action: 'ping' });
  expect(channel.isClosed).toBe(true);
});

test('a failure inside is told without its cause', async () => {
  const { deps, open } = await openChannelWorld();
  const channel = await open();
  jest.spyOn(deps.buckets, 'get').mockRejectedValue(new Error('secret of the house'));
  const [message] = await channel.say({ action: 'subscribe', bucket: BUCKET });
  expect(message).toMatchObject({ type: 'error', error: { code: 'internal' } });
  expect(JSON.stringify(message)).not.toContain('secret');
  expect(deps.log.lines.some(({ event }) => event === 'message_failed')).toBe(true);
});
