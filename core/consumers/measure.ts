/** Reports the largest lag of all consumers as one metric, because CloudWatch bills each metric. */
import { forEachConcurrently } from '../concurrency';
import type { StopSignal } from '../stop-signal';
import type { ListedBucket } from '../store/buckets';
import type { Meter } from '../system';
import { type LagDeps, lagOf } from './lag';
import type { Consumer, Consumers } from './ports';

/** Buckets read concurrently. */
const READS_AT_ONCE = 8;

export interface MeasureDeps extends LagDeps {
  readonly consumers: Pick<Consumers, 'all'>;
  readonly meter: Meter;
}

/**
 * Reports the age of the oldest change that some consumer has not processed, if there is one.
 * Checks only the consumer of each bucket that is furthest behind. When it is stopped, or a read
 * fails, it reports the largest lag so far, and throws the error of the read. AWS calls: 1 Query,
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
  // CloudWatch bills every hour with a report, so a lag of zero is not reported.
  if (seconds > 0) deps.meter.add('ConsumerLag', seconds);
  if (failure !== undefined) throw failure;
}
