import { createBucket } from '../../../core/buckets/buckets';
import { walkBuckets } from '../../../core/buckets/walk';
import { measureConsumers } from '../../../core/consumers/measure';
import { publishChanges } from '../../../core/log/publish';
import { NEVER_STOP, type StopSignal } from '../../../core/stop-signal';
import type { ListedBucket } from '../../../core/store/buckets';
import { openBucket } from '../../support/bucket-world';
import { putExpiring } from '../maintenance/expiry/world';

/** Buckets with one change each, and a consumer that has not read it. */
async function open(count: number) {
  const { deps } = await openBucket();
  for (let n = 0; n < count; n++) {
    const name = `bucket-${n}`;
    const bucket = await createBucket(deps, name);
    if (!bucket) throw new Error('no bucket');
    await putExpiring(deps, 'a', undefined, name);
    await publishChanges(deps, name);
    const consumer = { bucketId: bucket.id, name: 'indexer', prefix: '', cursor: 0 };
    await deps.consumers.put({ ...consumer, updatedAt: deps.clock.iso() }, undefined);
  }
  const buckets: ListedBucket[] = [];
  for await (const bucket of walkBuckets(deps.buckets, NEVER_STOP)) buckets.push(bucket);
  deps.clock.advance(10_000);
  const lags = () => deps.meter.amounts('ConsumerLag');
  const measure = (signal: StopSignal = NEVER_STOP) => measureConsumers(deps, buckets, signal);
  return { deps, lags, measure };
}

afterEach(() => jest.restoreAllMocks());

test('the lag is measured although the log of one bucket cannot be read', async () => {
  const { deps, lags, measure } = await open(20);
  const get = deps.changeLog.get.bind(deps.changeLog);
  let reads = 0;
  jest.spyOn(deps.changeLog, 'get').mockImplementation(async (...parameters) => {
    if (++reads === 1) throw new Error('throttled');
    return get(...parameters);
  });
  await expect(measure()).rejects.toThrow('throttled');
  expect(reads).toBe(20);
  expect(lags()).toEqual([expect.closeTo(10, 0)]);
});

test('nothing is reported when no consumer is behind', async () => {
  const { deps, lags, measure } = await open(2);
  for (const consumer of await deps.consumers.all()) {
    await deps.consumers.put({ ...consumer, cursor: 1 }, consumer.cursor);
  }
  await measure();
  expect(lags()).toEqual([]);
});

test('the lag of a bucket is that of its slowest consumer', async () => {
  const { deps, lags, measure } = await open(1);
  const [behind] = await deps.consumers.all();
  if (!behind) throw new Error('no consumer');
  for (const name of ['early', 'late']) {
    await deps.consumers.put({ ...behind, name, cursor: 1 }, undefined);
  }
  const all = await deps.consumers.all();
  for (const order of [all, all.toReversed()]) {
    jest.spyOn(deps.consumers, 'all').mockResolvedValue(order);
    await measure();
  }
  expect(lags()).toEqual([expect.closeTo(10, 0), expect.closeTo(10, 0)]);
});
