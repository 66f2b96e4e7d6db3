/** Pages of changes over HTTP, with long polling. */
import { LIMITS } from '../limits';
import type { Clock } from '../system';
import type { SubscribeRequest } from './actions';
import { changeView, visibleChanges } from './messages';
import {
  type ChangesRun,
  checkCursor,
  currentCursor,
  type ReadChangesDeps,
  readAfter,
  readBucketState,
} from './read-changes';

export interface PageRequest extends SubscribeRequest {
  /** Log entries that the page covers at most: 1-1000. */
  readonly limit: number;
  /** How long to wait for a new entry, seconds: 0-20. */
  readonly wait: number;
  /** Whether the client has the page with that head already. */
  readonly known?: (head: number) => boolean;
}

export interface ChangesPage {
  readonly bucket: string;
  readonly bucket_id: string;
  readonly from: number;
  readonly to: number;
  readonly head: number;
  readonly has_more: boolean;
  readonly changes: readonly ReturnType<typeof changeView>[];
}

export type PageDeps = ReadChangesDeps & { readonly clock: Clock };

/** First and longest delay between two polls of the bucket's record: 23 polls in 20 seconds. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/**
 * The changes after the cursor; only the head if `known` says that the client has them. Throws
 * not_found, invalid_request, cursor_expired. AWS calls: 2 GetItem at the head; with something to
 * read up to 8 Query per 500 entries and 1 GetItem more; while waiting 1 GetItem per poll.
 */
export async function changesPage(
  deps: PageDeps,
  request: PageRequest,
): Promise<ChangesPage | { readonly head: number; readonly changes?: undefined }> {
  const end = deps.clock.now() + request.wait * 1000;
  let found = await readBucketState(deps, request.bucket, request.bucketId);
  const cursor = request.cursor ?? (await currentCursor(deps, found));
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
    checkCursor(found, cursor);
    const run = await readAfter(deps, found, cursor, request.limit);
    const hasEntries = run.to > cursor;
    const left = end - deps.clock.now();
    if (hasEntries || left <= 0) {
      if (request.known?.(run.head)) return { head: run.head };
      return pageOf(found.record, run, request.prefix);
    }
    await deps.clock.sleep(Math.min(delay, left));
    const record = await deps.buckets.get(request.bucket);
    if (record?.id === found.record.id && record.cursor === found.record.cursor) continue;
    found = await readBucketState(deps, request.bucket, found.record.id);
  }
}

function pageOf(
  { name, id }: { readonly name: string; readonly id: string },
  run: ChangesRun,
  prefix: string,
): ChangesPage {
  const changes: ReturnType<typeof changeView>[] = [];
  let bytes = 0;
  let to = run.to;
  for (const entry of visibleChanges(run.entries, prefix)) {
    const change = changeView(entry);
    bytes += Buffer.byteLength(JSON.stringify(change));
    if (bytes > LIMITS.pageBytes && changes.length > 0) {
      to = entry.cursor - 1;
      break;
    }
    changes.push(change);
  }
  const more = run.more || to < run.to;
  return {
    bucket: name,
    bucket_id: id,
    from: run.from,
    to,
    head: Math.max(run.head, to),
    has_more: more,
    changes,
  };
}
