/** The largest lag of all consumers, as one metric: CloudWatch bills each of its own. */
import type { ListedBucket } from '../objects/ports';
import type { Meter } from '../system';
import { type LagDeps, lagOf } from './lag';
import type { Consumer, Consumers } from './ports';

export interface MeasureDeps extends LagDeps {
  readonly consumers: Pick<Consumers, 'all'>;
  readonly meter: Meter;
}

/**
 * Reports the age of the oldest change that some consumer is not done with, if there is one. Of a
 * bucket only the consumer that is furthest behind is looked at. AWS calls: 1 Query, and those of
 * `lagOf` for each bucket with a consumer that is behind.
 */
export async function measureConsumers(
  deps: MeasureDeps,
  buckets: readonly ListedBucket[],
): Promise<void> {
  const lowest = new Map<string, Consumer>();
  for (const consumer of await deps.consumers.all()) {
    const other = lowest.get(consumer.bucketId);
    if (!other || consumer.cursor < other.cursor) lowest.set(consumer.bucketId, consumer);
  }
  let seconds = 0;
  for (const bucket of buckets) {
    const consumer = lowest.get(bucket.record.id);
    if (consumer === undefined) continue;
    const lag = await lagOf(deps, bucket, consumer);
    seconds = Math.max(seconds, lag.seconds);
  }
  // CloudWatch bills the hours with a report.
  if (seconds > 0) deps.meter.add('ConsumerLag', seconds);
}
