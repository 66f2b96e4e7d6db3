/** The pause between two pushes of a bucket with many subscribers. */
import type { DynamoDBRecord } from 'aws-lambda';
import { createBucket } from '../../../core/buckets/buckets';
import { createFanout } from '../../../lambdas/fanout/app';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const changed = (bucket: string, SequenceNumber: string): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber, NewImage: { bucket: { S: bucket } } },
});

async function setUp(subscribers: number) {
  const world = await openChannelWorld();
  const channels: Awaited<ReturnType<typeof world.open>>[] = [];
  for (let n = 0; n < subscribers; n++) {
    const channel = await world.open(`c${n}`);
    await channel.say({ action: 'subscribe', bucket: BUCKET });
    channels.push(channel);
  }
  const { deps } = world;
  const [fanout, other] = [createFanout(deps), createFanout(deps)];
  const pauses: number[] = [];
  /** What happens in the next pauses. */
  const meanwhile: (() => Promise<void>)[] = [];
  const { sleep } = deps.clock;
  jest.spyOn(deps.clock, 'sleep').mockImplementation(async (milliseconds) => {
    pauses.push(milliseconds);
    await meanwhile.shift()?.();
    await sleep.call(deps.clock, milliseconds);
  });
  /** The cursors in each message of each channel. */
  const received = () =>
    channels.map((channel) =>
      channel
        .news()
        .map(({ changes = [] }) => changes.map(({ cursor }: { cursor: number }) => cursor)),
    );
  return { deps, fanout, other, pauses, meanwhile, received };
}

test('changes that come in the pause after a push travel in one message, whatever instances they wake', async () => {
  const { deps, fanout, other, pauses, meanwhile, received } = await setUp(100);
  meanwhile.push(async () => {
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 1 });
    for (const key of ['b', 'c', 'd']) {
      await put(deps, key, 'x');
      await other({ Records: [changed(BUCKET, '2')] });
    }
  });
  await put(deps, 'a', 'x');
  expect(await fanout({ Records: [changed(BUCKET, '1')] })).toEqual({ batchItemFailures: [] });
  expect(received()).toEqual(Array(100).fill([[1], [2, 3, 4]]));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(250);
  expect((await deps.buckets.stats(BUCKET))?.pushLease?.until ?? 0).toBe(0);
});

test('a push to a few subscribers is followed by no pause', async () => {
  const { deps, fanout, pauses } = await setUp(9);
  await put(deps, 'a', 'x');
  await fanout({ Records: [changed(BUCKET, '1')] });
  expect(pauses).toEqual([]);
});

test('the changes of another bucket in the batch do not wait for a pause', async () => {
  const { deps, fanout, pauses } = await setUp(20);
  await createBucket(deps, 'another');
  await put(deps, 'a', 'x');
  await fanout({ Records: [changed(BUCKET, '1'), changed('another', '2')] });
  expect(pauses).toEqual([]);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 1 });
});

test('changes in each pause of a busy bucket are all pushed, the last ones without a pause', async () => {
  const { deps, fanout, other, pauses, meanwhile, received } = await setUp(100);
  for (const key of ['b', 'c']) {
    meanwhile.push(async () => {
      await put(deps, key, 'x');
      await other({ Records: [changed(BUCKET, '2')] });
    });
  }
  await put(deps, 'a', 'x');
  await fanout({ Records: [changed(BUCKET, '1')] });
  expect(received()).toEqual(Array(100).fill([[1], [2], [3]]));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(250);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 3 });
});
