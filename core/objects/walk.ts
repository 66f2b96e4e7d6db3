/** Walks over all records of a kind, one page in memory at a time. */
import { NEVER_STOP, type StopSignal } from '../stop-signal';
import { afterName, clipRange, prefixRange } from './names';
import type { Buckets, ListedBucket, NameRange, ObjectRecord, Objects, Page } from './ports';

/** Of a BatchGetItem: 50 buckets with their statistics each. */
const BUCKETS_PER_PAGE = 100;

const RECORDS_PER_PAGE = 1000;

/**
 * All existing buckets in name order. Ends before the next page when the signal is aborted. AWS
 * calls: 1 Query and 2 BatchGetItem per 100 buckets.
 */
export function walkBuckets(
  buckets: Pick<Buckets, 'list'>,
  signal: StopSignal = NEVER_STOP,
): AsyncGenerator<ListedBucket, void> {
  return walkPages({
    read: (range) => buckets.list(range, BUCKETS_PER_PAGE),
    nameOf: ({ record }) => record.name,
    signal,
  });
}

/** All records of a bucket in key order, tombstones included. AWS calls: 1 Query per 1000. */
export function walkObjects(
  objects: Pick<Objects, 'list'>,
  bucketId: string,
): AsyncGenerator<ObjectRecord, void> {
  return walkPages({
    read: (range) => objects.list(bucketId, range, RECORDS_PER_PAGE),
    nameOf: ({ key }) => key,
    signal: NEVER_STOP,
  });
}

interface Pages<T> {
  readonly read: (range: NameRange) => Promise<Page<T>>;
  readonly nameOf: (item: T) => string;
  readonly signal: StopSignal;
}

async function* walkPages<T>({ read, nameOf, signal }: Pages<T>): AsyncGenerator<T, void> {
  let range: NameRange | undefined = prefixRange('');
  while (range && !signal.aborted) {
    const page: Page<T> = await read(range);
    yield* page.items;
    const last = page.items.at(-1);
    range = page.more && last !== undefined ? clipRange(range, afterName(nameOf(last))) : undefined;
  }
}
