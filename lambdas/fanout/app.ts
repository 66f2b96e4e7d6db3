/**
 * Follows the stream of the Changes table. A record is only a wake-up: for each bucket named in the batch the log is
 * read on from `delivered`, so records may come twice, late or out of order.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { advanceFeed, type FeedDeps } from '../../core/feed';
import type { Log } from '../../core/ports';
import { type TrimDeps, trimBucket } from '../../core/trim';

export type FanoutDeps = FeedDeps & TrimDeps & { readonly log: Log };

/** Entries trimmed per bucket and batch, so that the work spreads over the writes. */
const TRIM_ENTRIES = 500;

/**
 * AWS calls per bucket in a batch: those of advanceFeed and trimBucket: 3 GetItem, 8 Query and 1 UpdateItem for up to
 * 500 entries when nothing is trimmed.
 */
export function createFanout(deps: FanoutDeps) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const first = new Map<string, string>();
    for (const { dynamodb } of event.Records) {
      const bucket = dynamodb?.NewImage?.bucket?.S;
      const sequence = dynamodb?.SequenceNumber;
      if (bucket !== undefined && sequence !== undefined && !first.has(bucket)) {
        first.set(bucket, sequence);
      }
    }
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const [bucket, sequence] of first) {
      try {
        await follow(deps, bucket);
      } catch (error) {
        deps.log.error('fanout_failed', { bucket, error });
        batchItemFailures.push({ itemIdentifier: sequence });
      }
    }
    return { batchItemFailures };
  };
}

async function follow(deps: FanoutDeps, name: string): Promise<void> {
  const feed = await advanceFeed(deps, name);
  if (!feed) return;
  try {
    await trimBucket(deps, feed.record, feed.stats, { entries: TRIM_ENTRIES });
  } catch (error) {
    // What is not trimmed now is trimmed later; the delivery must not be repeated for it.
    deps.log.error('trim_failed', { bucket: name, error });
  }
}
