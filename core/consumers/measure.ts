/** The largest lag of all consumers, as one metric: CloudWatch bills each of its own. */
import { forEachConcurrently } from '../concurrency';
import type { StopSignal } from '../stop-signal';
import type { ListedBucket } from '../store/buckets';
import type { Meter } from '../system';
import { type LagDeps, lagOf } from './lag';
import type { Consumer, Consumers } from './ports';

/** Reads of as many buckets. */
const READS_AT_ONCE = 8;

export interface MeasureDeps extends LagDeps {
  readonly consumers: Pick<Consumers, 'all'>;
  readonly meter: Meter;
}

/**
 * Reports the age of the oldest change that some consumer is not done with, if there is one. Of a
 * bucket only the consumer that is furthest behind is looked at. When it is stopped, or a read
 * fails, it reports what it has until then, and throws the error of the read. AWS calls: 1 Query,
 * and those of `lagOf` for each bucket with a consumer that is behind.
 */
export async function measureConsumers(
  deps: MeasureDeps,
  buckets: readonly ListedBucket[],
  signal: StopSignal,
): Promise<void> {
  const lowest = new Map<string, Consumer>();
  for (const consumer of await deps.consumers.all()) {
    const other = lowest.get(consumer.bucketId);
    if (!other || consumer.cursor < other.cursor) lowest.set(consumer.bucketId, consumer);
  }
  let seconds = 0;
  let failure: unknown;
  await forEachConcurrently(buckets, READS_AT_ONCE, async (bucket) => {
    const consumer = lowest.get(bucket.record.id);
    if (consumer === undefined || signal.aborted) return;
    try {
      const lag = await lagOf(deps, bucket, consumer);
      seconds = Math.max(seconds, lag.seconds);
    } catch (error) {
      failure ??= error;
    }
  });
  // CloudWatch bills the hours with a report.
  if (seconds > 0) deps.meter.add('ConsumerLag', seconds);
  if (failure !== undefined) throw failure;
}
