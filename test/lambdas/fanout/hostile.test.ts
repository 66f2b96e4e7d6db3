/**
 * Publishing to subscribers at their worst: many, slow, with a prefix each, with connections that
 * fail.
 */
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { DeferredTask, PostOutcome } from '../../../core/channel/ports';
import { createFanout } from '../../../lambdas/fanout/app';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

/** The timeout of the function. */
const TIMEOUT_MS = 60_000;
const DONE = { batchItemFailures: [] };

const changed = (SequenceNumber: string): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber, NewImage: { bucket: { S: BUCKET } } },
});

const queued = (task: DeferredTask, messageId: string) =>
  ({ messageId, body: JSON.stringify(task) }) as SQSRecord;

async function setUp() {
  const world = await openChannelWorld();
  const fanout = createFanout(world.deps);
  const wake = (...records: (DynamoDBRecord | SQSRecord)[]) => fanout({ Records: records });
  const follow = async (id: string, prefix = '', key = world.addKey()) => {
    const channel = await world.open(id, key);
    await channel.say({ action: 'subscribe', bucket: BUCKET, prefix, cursor: 0 });
    return channel;
  };
  /** The outcome of a post, in place of `sent`. */
  const respond = (how: (id: string) => Promise<PostOutcome | undefined>) => {
    const { post } = world.deps.channels;
    return jest
      .spyOn(world.deps.channels, 'post')
      .mockImplementation(
        async (id, text) => (await how(id)) ?? post.call(world.deps.channels, id, text),
      );
  };
  return { ...world, wake, follow, respond };
}

test('a connection at which every post fails does not delay the others', async () => {
  const { deps, wake, follow, respond } = await setUp();
  await follow('broken');
  const channel = await follow('well');
  await put(deps, 'a', '1');
  respond(async (id) => {
    if (id === 'broken') throw new Error('400');
    return undefined;
  });
  expect(await wake(changed('1'))).toEqual(DONE);
  expect(channel.news()).toMatchObject([{ from: 0, to: 1 }]);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 1 });
  expect(deps.log.lines).toMatchObject([{ event: 'push_failed' }]);
});

test('a channel that cannot be closed does not delay the others', async () => {
  const { deps, addKey, wake, follow } = await setUp();
  const expiresAt = new Date(deps.clock.now() + 1000).toISOString();
  await follow('expired', '', addKey(undefined, { expiresAt }));
  const channel = await follow('well');
  deps.clock.advance(1001);
  await put(deps, 'a', '1');
  jest.spyOn(deps.subscriptions, 'close').mockRejectedValue(new Error('no response'));
  expect(await wake(changed('1'))).toEqual(DONE);
  expect(channel.news()).toMatchObject([{ from: 0, to: 1 }]);
});

test('publishing ends in time with more subscribers than it can push to', async () => {
  const { deps, wake, follow, respond } = await setUp();
  for (let n = 0; n < 100; n++) await follow(`c${n}`);
  for (let n = 0; n < 3; n++) await put(deps, 'a', '1');
  const served = new Set<string>();
  respond(async (id) => {
    deps.clock.advance(1_000);
    served.add(id);
    return undefined;
  });
  const before = deps.clock.now();
  for (let n = 0; n < 5; n++) {
    await put(deps, 'a', '1');
    const start = deps.clock.now();
    expect(await wake(changed('1'))).toEqual(DONE);
    expect(deps.clock.now() - start).toBeLessThan(TIMEOUT_MS - 10_000);
  }
  expect(deps.clock.now()).toBeGreaterThan(before);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 8 });
  // Each push leaves out other subscribers, which catch up by their pings.
  expect(served.size).toBe(100);
});

test('pushing a run of many messages to a slow connection ends in time', async () => {
  const { deps, wake, follow, respond } = await setUp();
  await follow('slow');
  const metadata = { x: 'm'.repeat(2000) };
  for (let n = 0; n < 500; n++) await put(deps, `${n}`, 'x', metadata);
  respond(async () => {
    deps.clock.advance(1_400);
    return undefined;
  });
  const start = deps.clock.now();
  expect(await wake(changed('1'))).toEqual(DONE);
  expect(deps.clock.now() - start).toBeLessThan(TIMEOUT_MS - 10_000);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 500 });
});

test('messages name their prefix, so that a client recognizes those of its earlier subscription', async () => {
  const { deps, wake, follow } = await setUp();
  const channel = await follow('c1', 'a/');
  await put(deps, 'b/1', 'x');
  await wake(changed('1'));
  const news = await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 0 });
  // If the first message came before `subscribed`, a client that applied it would lose the change.
  const ranges = news.filter(({ type }) => type === 'changes');
  expect(ranges.map(({ prefix, from, to, changes }) => [prefix, from, to, changes.length])).toEqual(
    [
      ['a/', 0, 1, 0],
      [undefined, 0, 1, 1],
    ],
  );
});

test('each change is serialized once when every subscriber has another prefix', async () => {
  const { deps, wake, follow } = await setUp();
  const key = 'k'.repeat(300);
  for (let n = 0; n < 300; n++) await follow(`c${n}`, key.slice(0, n));
  for (let n = 0; n < 100; n++) await put(deps, key, 'x');
  const written: unknown[] = [];
  const { stringify } = JSON;
  jest.spyOn(JSON, 'stringify').mockImplementation((value, ...rest) => {
    const isChange = typeof value === 'object' && value !== null && 'object' in value;
    if (isChange && !('at' in value)) written.push(value);
    return stringify(value, ...(rest as []));
  });
  expect(await wake(changed('1'))).toEqual(DONE);
  jest.restoreAllMocks();
  expect(written.length).toBe(100);
});

test('pending subscriptions of a batch catch up concurrently', async () => {
  const { deps, addKey, connect, wake, respond } = await setUp();
  for (let n = 0; n < 3000; n++) await put(deps, 'a', 'x');
  const key = addKey();
  const headers = { Authorization: `Bearer ${key.text}` };
  for (let n = 0; n < 10; n++) {
    await connect(`c${n}`, { headers, query: { bucket: BUCKET, cursor: '0' } });
    deps.gateway.open(`c${n}`);
  }
  // Each sleeps on its own, as with a real clock.
  const clocks = new Map<string, number>();
  respond(async (id) => {
    clocks.set(id, (clocks.get(id) ?? 0) + 1);
    return undefined;
  });
  let running = 0;
  let most = 0;
  const { get } = deps.subscriptions;
  jest.spyOn(deps.subscriptions, 'get').mockImplementation(async (id) => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running -= 1;
    return get.call(deps.subscriptions, id);
  });
  const batch: SQSRecord[] = [];
  await deps.queue.drain(async (task) => {
    batch.push(queued(task, `m${batch.length}`));
  });
  expect(batch).toHaveLength(10);
  expect(await wake(...batch)).toEqual(DONE);
  expect(most).toBe(10);
  expect(clocks.size).toBe(10);
});

test('a deferred task for a gap is queued by the next batch when it could not be queued before', async () => {
  const { deps, bucket, wake } = await setUp();
  await deps.commits.allocate(bucket);
  await put(deps, 'a', '1');
  jest.spyOn(deps.deferredTasks, 'add').mockRejectedValueOnce(new Error('no response'));
  expect((await wake(changed('1'))).batchItemFailures).toHaveLength(1);
  expect(await wake(changed('1'))).toEqual(DONE);
  expect(deps.queue.length).toBe(1);
});

test('a pending subscription does not replace a later subscription of a message', async () => {
  const { deps, bucket, addKey, connect, wake } = await setUp();
  const headers = { Authorization: `Bearer ${addKey().text}` };
  await connect('c1', { headers, query: { bucket: BUCKET, prefix: 'a/' } });
  deps.gateway.open('c1');
  const connection = await deps.subscriptions.get('c1');
  if (!connection) throw new Error('no connection');
  const all = { bucket: BUCKET, bucketId: bucket.id, prefix: '' };
  await deps.subscriptions.subscribe(connection, all, { limit: 50 });
  await deps.queue.drain(async (task) => {
    expect(await wake(queued(task, 'm1'))).toEqual(DONE);
  });
  expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([{ prefix: '' }]);
});
