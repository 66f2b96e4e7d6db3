/**
 * The fanout function on the fakes: stream records and queue messages come twice, late, out of
 * order or not at all.
 */
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { DeferredTask } from '../../../core/channel/ports';
import { createFanout } from '../../../lambdas/fanout/app';
import { createRevocation } from '../../../lambdas/revocation/app';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const changed = (SequenceNumber: string, bucket = BUCKET): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber, NewImage: { bucket: { S: bucket } } },
});

const queued = (task: DeferredTask | string, messageId = 'm1') =>
  ({
    messageId,
    body: typeof task === 'string' ? task : JSON.stringify(task),
  }) as SQSRecord;

async function setUp() {
  const world = await openChannelWorld();
  const fanout = createFanout(world.deps);
  const wake = (...records: (DynamoDBRecord | SQSRecord)[]) => fanout({ Records: records });
  return { ...world, wake };
}

const follow = { action: 'subscribe', bucket: BUCKET, cursor: 0 };
const cursorsOf = (messages: readonly { changes?: { cursor: number }[] }[]) =>
  messages.flatMap(({ changes = [] }) => changes.map(({ cursor }) => cursor));

test('a subscriber receives each change once when stream records are repeated or out of order', async () => {
  const { deps, open, wake } = await setUp();
  const channel = await open();
  await channel.say(follow);
  for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
  const wakeUps = [changed('3'), changed('1'), changed('1')];
  expect(await wake(...wakeUps)).toEqual({ batchItemFailures: [] });
  await wake(changed('2'));
  expect(channel.news()).toMatchObject([{ from: 0, to: 3, head: 3 }]);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 3, objectCount: 3 });
});

test('a subscriber receives ten thousand changes of one batch', async () => {
  const { deps, open, wake } = await setUp();
  const channel = await open();
  await channel.say(follow);
  for (let n = 0; n < 10_000; n++) await put(deps, `k${n % 100}`, 'x');
  await wake(changed('1'));
  const news = channel.news();
  expect(cursorsOf(news)).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1));
  expect(news.every((message, n) => n === 0 || message.from === news[n - 1].to)).toBe(true);
});

test('each of a thousand subscribers receives everything, and busy connections do not delay the others', async () => {
  const { deps, open, addKey, wake } = await setUp();
  const key = addKey();
  const channels = [];
  for (let n = 0; n < 1000; n++) {
    const channel = await open(`c${n}`, key);
    await channel.say(follow);
    channels.push(channel);
  }
  for (let n = 0; n < 100; n++) deps.gateway.setBusy(`c${n}`, true);
  await put(deps, 'a', '1');
  const before = deps.clock.now();
  await wake(changed('1'));
  await put(deps, 'b', '2');
  await wake(changed('2'));
  expect(deps.clock.now() - before).toBeLessThanOrEqual(1_000);
  for (const channel of channels.slice(100)) expect(cursorsOf(channel.news())).toEqual([1, 2]);
});

test('a subscriber is removed when its connection is gone', async () => {
  const { deps, bucket, open, wake } = await setUp();
  await (await open()).say(follow);
  deps.gateway.close('c1');
  await put(deps, 'a', '1');
  await wake(changed('1'));
  expect(await deps.subscriptions.subscribers(bucket.id)).toEqual([]);
});

test('a channel is closed and receives nothing when its key has expired', async () => {
  const { deps, addKey, open, wake } = await setUp();
  const expiresAt = new Date(deps.clock.now() + 60_000).toISOString();
  const channel = await open('c1', addKey(undefined, { expiresAt }));
  await channel.say(follow);
  deps.clock.advance(60_001);
  await put(deps, 'a', '1');
  await wake(changed('1'));
  expect(channel.isClosed).toBe(true);
  expect(channel.news()).toMatchObject([{ type: 'goodbye', code: 4401 }]);
});

test('a bucket that fails is repeated and does not stop the other buckets of the batch', async () => {
  const { deps, wake } = await setUp();
  await put(deps, 'a', '1');
  const { stats } = deps.buckets;
  jest.spyOn(deps.buckets, 'stats').mockImplementation(async (name) => {
    if (name === 'broken') throw new Error('no response');
    return stats.call(deps.buckets, name);
  });
  expect(await wake(changed('1', 'broken'), changed('2'))).toEqual({
    batchItemFailures: [{ itemIdentifier: '1' }],
  });
  expect(await stats.call(deps.buckets, BUCKET)).toMatchObject({ published: 1 });
});

test('a run is pushed again when the function stops between the push and the count', async () => {
  const { deps, open, wake } = await setUp();
  const channel = await open();
  await channel.say(follow);
  await put(deps, 'a', '1');
  jest.spyOn(deps.buckets, 'movePublished').mockRejectedValueOnce(new Error('died'));
  expect((await wake(changed('1'))).batchItemFailures).toHaveLength(1);
  await wake(changed('1'));
  expect(channel.news()).toMatchObject([
    { from: 0, to: 1 },
    { from: 0, to: 1 },
  ]);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 1, objectCount: 1 });
});

test('a deferred task fills the gap of a dead writer within seconds in a quiet bucket', async () => {
  const { deps, bucket, open, wake } = await setUp();
  const channel = await open();
  await channel.say(follow);
  await deps.commits.allocate(bucket);
  await put(deps, 'a', '1');
  await wake(changed('1'));
  await wake(changed('1'));
  expect(channel.news()).toEqual([]);
  expect(deps.queue.length).toBe(1);
  const from = deps.clock.now();
  await deps.queue.drain(async (task) => {
    await wake(queued(task));
  });
  expect(deps.clock.now() - from).toBeLessThan(5_000);
  expect(channel.news()).toMatchObject([{ from: 0, to: 2, changes: [{ cursor: 2 }] }]);
});

test('a deferred task for a filled gap pushes nothing and queues another task', async () => {
  const { deps, bucket, open, wake } = await setUp();
  const channel = await open();
  await channel.say(follow);
  const late = await deps.commits.allocate(bucket);
  if (!late) throw new Error('no cursor');
  await put(deps, 'a', '1');
  await wake(changed('1'));
  const at = deps.clock.iso();
  await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor: late, at });
  await wake(changed('2'));
  expect(channel.news()).toMatchObject([{ from: 0, to: 2 }]);
  // After the filled gap another writer dies. The instance that was invoked for the entry after it
  // has not published that entry yet.
  await deps.commits.allocate(bucket);
  await put(deps, 'b', '2');
  deps.clock.advance(3_000);
  const [task] = deps.queue.take();
  if (!task) throw new Error('nothing queued');
  await wake(queued(task));
  expect(channel.news()).toEqual([]);
  await deps.queue.drain(async (task) => {
    expect(task).toMatchObject({ advance: { upTo: 4 } });
    await wake(queued(task));
  });
  expect(channel.news()).toMatchObject([{ from: 2, to: 4, changes: [{ cursor: 4 }] }]);
  expect(deps.queue.length).toBe(0);
});

test('a subscription of the handshake starts when the channel is open', async () => {
  const { deps, addKey, connect, wake } = await setUp();
  await put(deps, 'a', '1');
  const headers = { Authorization: `Bearer ${addKey().text}` };
  await connect('c1', { headers, query: { bucket: BUCKET, cursor: '0' } });
  const { sleep } = deps.clock;
  jest.spyOn(deps.clock, 'sleep').mockImplementationOnce(async (wait) => {
    deps.gateway.open('c1');
    await sleep.call(deps.clock, wait);
  });
  const [begin] = deps.queue.take();
  if (!begin) throw new Error('nothing queued');
  expect(await wake(queued(begin))).toEqual({ batchItemFailures: [] });
  expect(deps.gateway.messages('c1').map((text) => JSON.parse(text))).toMatchObject([
    { type: 'subscribed', cursor: 0 },
    { type: 'changes', from: 0, to: 1 },
  ]);
});

test('a channel that never opens leaves no rows', async () => {
  const { deps, addKey, connect, wake } = await setUp();
  const headers = { Authorization: `Bearer ${addKey().text}` };
  await connect('c1', { headers, query: { bucket: BUCKET } });
  const [begin] = deps.queue.take();
  if (!begin) throw new Error('nothing queued');
  expect(await wake(queued(begin))).toEqual({ batchItemFailures: [] });
  expect(deps.state.connections.size).toBe(0);
});

test('an unknown queue message fails, so that the queue moves it to the dead-letter queue', async () => {
  const { deps, bucket, wake } = await setUp();
  const good = { advance: { bucket: BUCKET, id: bucket.id, upTo: 0 } };
  expect(await wake(queued('{"x":1}', 'bad'), queued(good, 'good'))).toEqual({
    batchItemFailures: [{ itemIdentifier: 'bad' }],
  });
  expect(deps.log.lines).toMatchObject([{ event: 'fanout_failed', fields: { id: 'bad' } }]);
});

describe('when an API key changes', () => {
  const record = (id: string, SequenceNumber: string): DynamoDBRecord => ({
    dynamodb: { SequenceNumber, Keys: { id: { S: id } } },
  });

  async function withChannels() {
    const world = await setUp();
    const key = world.addKey();
    const idle = await world.open('idle', key);
    const channel = await world.open('follows', key);
    await channel.say(follow);
    const other = await world.open('other', world.addKey());
    await other.say(follow);
    const revocation = createRevocation(world.deps);
    const review = (...records: DynamoDBRecord[]) => revocation({ Records: records });
    const change = (extra: object) =>
      world.deps.state.apiKeys.set(key.id, { ...key.record, ...extra });
    return { ...world, key, idle, channel, other, review, change };
  }

  test('only the channels of a revoked key are closed', async () => {
    const { deps, bucket, key, idle, channel, other, review, change } = await withChannels();
    change({ revokedAt: deps.clock.iso() });
    expect(await review(record(key.id, '1'), record(key.id, '2'))).toEqual({
      batchItemFailures: [],
    });
    expect([idle, channel, other].map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
    for (const { news } of [idle, channel]) expect(news()).toMatchObject([{ code: 4401 }]);
    expect(await deps.subscriptions.subscribers(bucket.id)).toHaveLength(1);
  });

  test('channels are closed when the key loses a permission that they use', async () => {
    const { key, idle, channel, review, change } = await withChannels();
    change({ permissions: [{ buckets: ['*'], prefix: 'a/', actions: ['sync'] }] });
    await review(record(key.id, '1'));
    expect([idle, channel].map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  test('channels stay open when the key still permits their subscriptions', async () => {
    const { key, idle, channel, review, change } = await withChannels();
    change({ name: 'renamed' });
    await review(record(key.id, '1'));
    expect([idle, channel].map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });

  test('channels are closed when the key is deleted', async () => {
    const { deps, key, idle, review } = await withChannels();
    deps.state.apiKeys.delete(key.id);
    await review(record(key.id, '1'));
    expect(idle.isClosed).toBe(true);
  });

  test('only the failed record of a batch is repeated', async () => {
    const { deps, key, channel, other, review, change } = await withChannels();
    change({ revokedAt: deps.clock.iso() });
    const { connectionsOf } = deps.subscriptions;
    jest.spyOn(deps.subscriptions, 'connectionsOf').mockImplementation(async (id) => {
      if (id === other.key.id) throw new Error('no response');
      return connectionsOf.call(deps.subscriptions, id);
    });
    expect(await review(record(other.key.id, '1'), record(key.id, '2'))).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }],
    });
    expect(channel.isClosed).toBe(true);
  });
});
