/** What deferred tasks do about a gap, and what is left to the next batch. On the fakes. */
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { createBucket } from '../../../core/buckets/buckets';
import type { DeferredTask } from '../../../core/channel/ports';
import { createFanout } from '../../../lambdas/fanout/app';
import { BUCKET, DAY, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const changed = (bucket = BUCKET): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: '1', NewImage: { bucket: { S: bucket } } },
});

async function setUp() {
  const world = await openChannelWorld();
  const fanout = createFanout(world.deps);
  const wake = (...Records: DynamoDBRecord[]) => fanout({ Records });
  const work = (task: DeferredTask) =>
    fanout({ Records: [{ messageId: 'm1', body: JSON.stringify(task) } as SQSRecord] });
  const channel = await world.open();
  await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 0 });
  return { ...world, channel, wake, work };
}

/** A task for a cursor that no writer filled, and for one that follows it. */
async function withGap() {
  const world = await setUp();
  const { deps, bucket } = world;
  await deps.commits.allocate(bucket);
  await put(deps, 'a', '1');
  await world.wake(changed());
  const advance = { bucket: BUCKET, id: bucket.id, upTo: 2 };
  expect(deps.queue.length).toBe(1);
  return { ...world, advance };
}

test('a task publishes what follows its gap too, without another task', async () => {
  const { deps, channel, advance, work } = await withGap();
  await put(deps, 'b', '2');
  deps.clock.advance(3_000);
  deps.queue.take();
  expect(await work({ advance })).toEqual({ batchItemFailures: [] });
  expect(channel.news()).toMatchObject([
    { from: 0, to: 2 },
    { from: 2, to: 3 },
  ]);
  expect(deps.queue.length).toBe(0);
});

test('a task does not wait for the next push', async () => {
  const { deps, open, advance, work } = await withGap();
  for (let n = 0; n < 20; n++) {
    const channel = await open(`more${n}`);
    await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 0 });
  }
  await put(deps, 'b', '2');
  deps.clock.advance(3_000);
  const pauses = jest.spyOn(deps.clock, 'sleep');
  await work({ advance });
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 3 });
  expect(pauses).not.toHaveBeenCalled();
});

test('a task fills gaps that its writer alone would still wait for', async () => {
  const { deps, advance, work } = await withGap();
  await work({ advance });
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 2 });
});

test('an instance queues one task for each bucket with a gap', async () => {
  const { deps, wake } = await withGap();
  const other = await createBucket(deps, 'other');
  if (!other) throw new Error('no bucket');
  await deps.commits.allocate(other);
  await deps.commits.allocate(other);
  for (let n = 0; n < 3; n++) await wake(changed('other'), changed());
  const tasks = deps.state.deferredTasks.map(({ task }) => task);
  expect(tasks).toMatchObject([{ advance: { bucket: BUCKET } }, { advance: { bucket: 'other' } }]);
});

test('a batch whose entries cannot be trimmed is not repeated, and the failure is logged', async () => {
  const { deps, wake } = await setUp();
  await put(deps, 'a', '1');
  await wake(changed());
  deps.clock.advance(8 * DAY);
  await put(deps, 'a', '2');
  const error = new Error('no response');
  jest.spyOn(deps.changeLog, 'remove').mockRejectedValue(error);
  expect(await wake(changed())).toEqual({ batchItemFailures: [] });
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'trim_failed', fields: { bucket: BUCKET, error } },
  ]);
});
