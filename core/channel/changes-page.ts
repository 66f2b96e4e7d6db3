/** Pages of changes over HTTP, with long polling. */

import { LIMITS } from '../limits';
import {
  type ChangesRun,
  checkCursor,
  currentCursor,
  type ReadChangesDeps,
  readAfter,
  readBucketState,
} from '../log/cursor-reads';
import { byCommit } from '../log/entries';
import type { LogDigest } from '../store/buckets';
import type { Clock } from '../system';
import type { SubscribeRequest } from './actions';
import type { Waiting } from './long-poll';
import { type SerializedChange, serializeChanges } from './messages';

export interface PageRequest extends SubscribeRequest {
  /** Maximum number of log entries that the page covers: 1-1000. */
  readonly limit: number;
  /** How long to wait for a new entry, seconds: 0-20. */
  readonly wait: number;
  /** Reports whether the client already has the page with that head. */
  readonly known?: (head: number) => boolean;
}

export interface ChangesPage {
  readonly bucket: string;
  readonly bucket_id: string;
  readonly from: number;
  readonly to: number;
  readonly head: number;
  readonly has_more: boolean;
  /** The digest of the log up to `to`, if that is the published mark. */
  readonly digest?: LogDigest;
  readonly changes: readonly SerializedChange[];
}

export interface PageAnswer {
  readonly head: number;
  /** Absent: the client has the page already. */
  readonly page?: ChangesPage;
  /**
   * Seconds until the client asks again. Present when the request did not wait and there is nothing
   * new.
   */
  readonly retryAfter?: number;
}

export type PageDeps = ReadChangesDeps & { readonly clock: Clock };

/** First and longest delay between two polls of the bucket's record: 23 polls in 20 seconds. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/** Length of a wait after which the key is checked again, because it may have changed. */
const CHECK_AFTER_MS = 2_000;

/** Retry-After in place of a wait; the rate limit of waiting requests allows this rate. */
const RETRY_SECONDS = 2;

/**
 * Returns the changes after the cursor. Throws not_found, invalid_request, cursor_expired, and any
 * error of `waiting`. AWS calls: 2 GetItem at the head; with something to read up to 8 Query per
 * 500 entries and 1 GetItem more; while waiting 1 GetItem per poll, and those of `waiting`.
 */
export async function changesPage(
  deps: PageDeps,
  request: PageRequest,
  waiting: Waiting,
): Promise<PageAnswer> {
  const started = deps.clock.now();
  const end = started + request.wait * 1000;
  let found = await readBucketState(deps, request.bucket, request.bucketId);
  const cursor = request.cursor ?? (await currentCursor(deps, found));
  const read = async () => {
    checkCursor(found, cursor);
    const run = await readAfter(deps, found, cursor, request.limit);
    return { run, isEmpty: run.to <= cursor };
  };
  const answer = ({ run }: Awaited<ReturnType<typeof read>>): PageAnswer =>
    request.known?.(run.head)
      ? { head: run.head }
      : { head: run.head, page: pageOf(found.record, run, request.prefix) };

  let seen = await read();
  if (!seen.isEmpty || request.wait === 0) return answer(seen);
  if (!(await waiting.begin(end))) return { ...answer(seen), retryAfter: RETRY_SECONDS };
  try {
    for (let delay = FIRST_DELAY_MS; seen.isEmpty; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
      const left = end - deps.clock.now();
      if (left <= 0) break;
      await deps.clock.sleep(Math.min(delay, left));
      const record = await deps.buckets.get(request.bucket);
      const isSame = record?.id === found.record.id && record.cursor === found.record.cursor;
      if (!isSame) found = await readBucketState(deps, request.bucket, found.record.id);
      seen = await read();
    }
    // The check follows the read, so that a change written after a revocation is not sent.
    if (deps.clock.now() - started >= CHECK_AFTER_MS) await waiting.check();
    return answer(seen);
  } finally {
    await waiting.end();
  }
}

function pageOf(
  { name, id }: { readonly name: string; readonly id: string },
  run: ChangesRun,
  prefix: string,
): ChangesPage {
  const changes: SerializedChange[] = [];
  let bytes = 0;
  let to = run.to;
  for (const unit of byCommit(serializeChanges(run.entries, prefix))) {
    for (const change of unit.changes) bytes += change.bytes;
    // The first unit is far smaller: LIMITS.commitBytes.
    if (bytes > LIMITS.pageBytes) {
      to = unit.first - 1;
      break;
    }
    changes.push(...unit.changes);
  }
  const more = run.more || to < run.to;
  const digest = to === run.to && prefix === '' ? run.digest : undefined;
  return {
    bucket: name,
    bucket_id: id,
    from: run.from,
    to,
    head: Math.max(run.head, to),
    has_more: more,
    ...(digest && { digest }),
    changes,
  };
}

/** Returns the page as JSON. */
export function pageText({ changes, ...page }: ChangesPage): string {
  return `${JSON.stringify(page).slice(0, -1)},"changes":[${changes.map(({ text }) => text).join()}]}`;
}
