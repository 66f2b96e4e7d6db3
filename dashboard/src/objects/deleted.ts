/** Finds deleted objects in the change log. */
import type { DeletedObject } from '../../../client/resources';
import type { StorageApi } from '../api/storage';
import { oldestOf } from '../changes/read-changes';

/** Most changes that are read, a thousand with each request. */
export const CHANGES_READ = 20_000;

export interface Deletions {
  readonly deleted: readonly DeletedObject[];
  /** Whether all changes that the log still has were read. */
  readonly isComplete: boolean;
}

/** Returns the keys below the prefix whose last change is a deletion. */
export async function deletionsBelow(
  storage: Pick<StorageApi, 'changes'>,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  signal: AbortSignal,
): Promise<Deletions> {
  const { head } = await storage.changes(bucket, {}, signal);
  const found = new Map<string, DeletedObject>();
  let cursor = Math.max(0, head - CHANGES_READ);
  let isComplete = cursor === 0;
  while (cursor < head) {
    try {
      const page = await storage.changes(bucket, { cursor, prefix }, signal);
      for (const { type, object } of page.changes) {
        found.delete(object.key);
        if (type === 'delete') found.set(object.key, object as DeletedObject);
      }
      cursor = page.to;
    } catch (error) {
      const oldest = oldestOf(error);
      if (oldest === undefined || oldest - 1 <= cursor) throw error;
      cursor = oldest - 1;
      isComplete = true;
    }
  }
  return { deleted: [...found.values()], isComplete };
}
