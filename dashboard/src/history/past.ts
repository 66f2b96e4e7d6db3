/** Reads earlier states of a bucket, and the cursors for which the service still has them. */
import type { ListPage, ObjectDescriptor, RestoreResult } from '../../../client/resources';
import type { StorageApi } from '../api/storage';
import { oldestOf, timeOf } from '../changes/read-changes';
import type { Session } from '../session/session';

/** The published client, with the key of the session. */
type PastSession = Pick<Session, 'client'>;

/** The first and the last cursor for which the service has the state of the bucket. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** Sends two small requests. A refused cursor tells which cursors are still available. */
export async function readSpan(
  session: PastSession,
  bucket: string,
  signal: AbortSignal,
): Promise<Span> {
  const { client } = session;
  const { cursor } = await client.buckets.get(bucket, { signal });
  try {
    await client.list(bucket, { asOf: 0, limit: 1, signal });
    return { first: 0, last: cursor };
  } catch (error) {
    const oldest = oldestOf(error);
    if (oldest === undefined) throw error;
    return { first: oldest - 1, last: Math.max(cursor, oldest - 1) };
  }
}

/** Returns the time of the last change up to a cursor; undefined when none is kept. */
export async function timeAt(
  storage: StorageApi,
  bucket: string,
  cursor: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (cursor === 0) return undefined;
  try {
    const page = await storage.changes(bucket, { cursor: cursor - 1, limit: 1 }, signal);
    const [change] = page.changes;
    return change && change.cursor === cursor ? timeOf(change) : undefined;
  } catch (error) {
    if (oldestOf(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Returns the last cursor of the span whose change was made at or before `time` (epoch
 * milliseconds). Searches by bisection, because times grow with cursors.
 */
export async function cursorAt(
  storage: StorageApi,
  bucket: string,
  { span, time }: { readonly span: Span; readonly time: number },
  signal: AbortSignal,
): Promise<number> {
  let { first: low, last: high } = span;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const page = await storage.changes(bucket, { cursor: middle, limit: 1 }, signal);
    const [next] = page.changes;
    if (next === undefined || next.cursor > high) high = middle;
    else if (Date.parse(timeOf(next)) <= time) low = Math.max(middle + 1, next.cursor);
    else high = middle;
  }
  return low;
}

export interface Difference {
  /** The changes that a restore would make. */
  readonly changes: NonNullable<RestoreResult['changes']>;
  readonly restored: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Objects that a restore would leave as they are. */
  readonly failed: number;
  /** Whether there are more differences than were read. */
  readonly isPartial: boolean;
}

/** Most requests of a comparison, each for at most 1000 objects. */
const MOST_PAGES = 10;

/** Compares the bucket at a cursor with its current state, by a dry run of a restore. */
export async function compare(
  session: PastSession,
  bucket: string,
  past: { readonly asOf: number; readonly prefix: string },
  signal: AbortSignal,
): Promise<Difference> {
  return restoreAll(session, bucket, { ...past, dryRun: true, mostPages: MOST_PAGES }, { signal });
}

/** Restores the objects to an earlier state. `progress` is called after each request. */
export async function restoreAll(
  session: PastSession,
  bucket: string,
  past: {
    readonly asOf: number;
    readonly prefix: string;
    readonly dryRun?: boolean;
    readonly mostPages?: number;
  },
  options: {
    readonly signal?: AbortSignal;
    readonly progress?: (done: Difference) => void;
  } = {},
): Promise<Difference> {
  const { asOf, prefix, dryRun, mostPages = Number.POSITIVE_INFINITY } = past;
  const { signal } = options;
  let sum: Difference = {
    changes: [],
    restored: 0,
    deleted: 0,
    unchanged: 0,
    failed: 0,
    isPartial: true,
  };
  let pageToken: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await session.client.restore(bucket, {
      asOf,
      prefix: prefix || undefined,
      dryRun,
      pageToken,
      signal,
    });
    pageToken = page.next_page_token;
    sum = {
      changes: [...sum.changes, ...(page.changes ?? [])],
      restored: sum.restored + page.restored,
      deleted: sum.deleted + page.deleted,
      unchanged: sum.unchanged + page.unchanged,
      failed: sum.failed + (page.failed?.length ?? 0),
      isPartial: pageToken !== undefined,
    };
    options.progress?.(sum);
    if (pageToken === undefined) break;
  }
  return sum;
}

/** Returns one page of the objects at a cursor. */
export async function objectsAt(
  session: PastSession,
  bucket: string,
  past: { readonly asOf: number; readonly prefix: string; readonly next?: string },
  signal?: AbortSignal,
): Promise<{ readonly items: readonly ObjectDescriptor[]; readonly next?: string }> {
  const { asOf, prefix, next: pageToken } = past;
  const page: ListPage = await session.client.list(bucket, {
    asOf,
    prefix: prefix || undefined,
    pageToken,
    limit: 200,
    signal,
  });
  return { items: page.objects, next: page.next_page_token };
}
