/** Reads the change log of a bucket backwards, as far as the service keeps it. */
import type { Change } from '../../../client/channel/events';
import { StowageError } from '../../../client/errors';
import type { Schemas } from '../api/client';
import type { StorageApi } from '../api/storage';

interface ReadOptions {
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** The most changes of one response. */
const PAGE = 1000;

export interface EarlierChanges {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Every change after this cursor was read. */
  readonly after: number;
  /** Whether the service keeps no earlier changes. */
  readonly isOldest: boolean;
}

/**
 * Returns the changes of the last `limit` cursors up to `upTo`. There are fewer changes where the
 * log begins, and where cursors have no change.
 */
export async function changesBefore(
  storage: StorageApi,
  bucket: string,
  upTo: number,
  { limit, signal }: ReadOptions,
): Promise<EarlierChanges> {
  let after = Math.max(0, upTo - limit);
  const found: Change[] = [];
  let isOldest = after === 0;
  for (let at = after; at < upTo; ) {
    try {
      const most = Math.min(PAGE, upTo - at);
      const page = await storage.changes(bucket, { cursor: at, limit: most }, signal);
      const { bucket_id: bucketId, changes } = page;
      const wanted = changes.filter(({ cursor }) => cursor <= upTo);
      found.push(...wanted.map((change) => ({ bucket, bucketId, ...change })));
      if (!page.has_more || page.to <= at) break;
      at = page.to;
    } catch (error) {
      const oldest = oldestOf(error);
      if (oldest === undefined || oldest - 1 <= at) throw error;
      at = oldest - 1;
      after = at;
      isOldest = true;
    }
  }
  return { changes: found.reverse(), after, isOldest };
}

/** Returns the oldest available cursor from the error of a request for older ones. */
export function oldestOf(error: unknown): number | undefined {
  if (!(error instanceof StowageError) || error.code !== 'cursor_expired') return undefined;
  const { oldest } = error.details;
  return typeof oldest === 'number' ? oldest : undefined;
}

export function timeOf(change: Schemas['Change']): string {
  return change.type === 'put' ? change.object.updated_at : change.object.deleted_at;
}
