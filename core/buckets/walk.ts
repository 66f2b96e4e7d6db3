/** Walks over all buckets, one page in memory at a time. */

import { afterName, clipRange, prefixRange } from '../names';
import type { NameRange, Page } from '../pages';
import { NEVER_STOP, type StopSignal } from '../stop-signal';
import type { Buckets, ListedBucket } from '../store/buckets';

/** Two BatchGetItem of 50 buckets, each with its record and statistics. */
const BUCKETS_PER_PAGE = 100;

/**
 * Yields all existing buckets in name order. Ends before the next page when the signal is aborted.
 * AWS calls: 1 Query and 2 BatchGetItem per 100 buckets.
 */
export async function* walkBuckets(
  buckets: Pick<Buckets, 'list'>,
  signal: StopSignal = NEVER_STOP,
): AsyncGenerator<ListedBucket, void> {
  let range: NameRange | undefined = prefixRange('');
  while (range && !signal.aborted) {
    const page: Page<ListedBucket> = await buckets.list(range, BUCKETS_PER_PAGE);
    yield* page.items;
    const last = page.items.at(-1)?.record.name;
    range = page.more && last !== undefined ? clipRange(range, afterName(last)) : undefined;
  }
}
