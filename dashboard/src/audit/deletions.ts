/** The deletions of objects that a bucket's change log still has, and who made them. */

import type { Page } from '../api/client';
import { changesBefore } from '../changes/read-changes';
import { concurrently } from '../parts/concurrently';
import type { Session } from '../session/session';

export interface Deletion {
  readonly id: string;
  readonly key: string;
  readonly at: string;
  readonly cursor: number;
  /** Whether the service deleted the object because it had expired. */
  readonly isExpired: boolean;
  /** The id of the API key; undefined: not known. */
  readonly by?: string;
}

type Source = Pick<Session, 'client' | 'storage'>;

/** Number of cursors in a request. */
const STEP = 200;

/** Number of requests without a deletion after which the user has to ask for more. */
const MOST_STEPS = 10;

const REQUESTS_AT_ONCE = 6;

/**
 * Returns the deletions up to the cursor `next`, newest first; without `next`, up to the newest
 * cursor. The change log has the deleted keys, and the versions of a key have who deleted it.
 */
export async function deletionPage(
  source: Source,
  bucket: string,
  next: string | undefined,
  signal?: AbortSignal,
): Promise<Page<Deletion>> {
  const { client, storage } = source;
  let upTo =
    next === undefined ? (await client.buckets.get(bucket, { signal })).cursor : Number(next);
  for (let steps = 0; steps < MOST_STEPS && upTo > 0; steps++) {
    const part = await changesBefore(storage, bucket, upTo, { limit: STEP, signal });
    upTo = part.isOldest ? 0 : part.after;
    const deletions = part.changes.filter((change) => change.type === 'delete');
    if (deletions.length === 0) continue;
    const items = await concurrently(deletions, REQUESTS_AT_ONCE, async ({ object, ...change }) => {
      const { key, version, cursor, deleted_at: at } = object;
      const isExpired = change.cause === 'expired';
      const by = isExpired ? undefined : await makerOf(source, { bucket, key, version }, signal);
      return { id: String(cursor), key, at, cursor, isExpired, by };
    });
    return { items, ...(upTo > 0 && { next: String(upTo) }) };
  }
  return { items: [], ...(upTo > 0 && { next: String(upTo) }) };
}

async function makerOf(
  { client }: Source,
  deleted: { readonly bucket: string; readonly key: string; readonly version: number },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { bucket, key, version } = deleted;
  const page = await client.versions(bucket, key, { before: version + 1, limit: 1, signal });
  const [found] = page.versions;
  return found?.version === version ? found.by : undefined;
}
