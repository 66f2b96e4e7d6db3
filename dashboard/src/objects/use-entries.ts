/** The lists of a folder's page: its entries, the results of a search, and deleted objects. */
import { useCallback, useEffect, useState } from 'react';
import type { Page } from '../api/client';
import { useJobs } from '../jobs/job-panel';
import { useLoad } from '../parts/use-load';
import { usePages } from '../parts/use-pages';
import { useSettled } from '../parts/use-settled';
import { useSession, useSignedIn } from '../session/session-context';
import { useUploads } from '../upload/use-uploads';
import { type Deletions, deletionsBelow } from './deleted';
import { deletedEntry, type Entry, entriesOf, objectEntry } from './entries';

/** Milliseconds between the last key press and the search. */
const TYPING_MS = 300;

/** Number of pages, of a thousand keys each, that a search reads at once. */
const SEARCH_PAGES = 10;

/** Milliseconds from the last of several changes to the reload of the list. */
const SETTLE_MS = 300;

export interface Wanted {
  readonly bucket: string;
  readonly folder: string;
  /** Part of a name; empty: no search. */
  readonly text: string;
}

/** Returns the entries of the folder, or the results of a search and how many keys it has read. */
export function useEntries({ bucket, folder, text }: Wanted) {
  const { client } = useSession();
  const { epoch } = useSignedIn();
  const wanted = useSettled(text.toLowerCase(), text === '' ? 0 : TYPING_MS);
  const [searched, setSearched] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const read = useCallback(
    async (next: string | undefined, signal?: AbortSignal): Promise<Page<Entry>> => {
      if (wanted === '') {
        const page = await client.list(bucket, {
          ...{ prefix: folder, delimiter: '/', limit: 200, pageToken: next, signal },
        });
        return { items: entriesOf(page, folder), next: page.next_page_token };
      }
      if (next === undefined) setSearched(0);
      const items: Entry[] = [];
      let pageToken = next;
      for (let count = 0; count < SEARCH_PAGES; count++) {
        const page = await client.list(bucket, { prefix: folder, limit: 1000, pageToken, signal });
        const found = page.objects.filter(({ key }) =>
          key.slice(folder.length).toLowerCase().includes(wanted),
        );
        items.push(...found.map((object) => objectEntry(object, folder)));
        if (!signal?.aborted) setSearched((before) => before + page.objects.length);
        pageToken = page.next_page_token;
        if (pageToken === undefined) break;
      }
      return { items, next: pageToken };
    },
    [client, bucket, folder, wanted, epoch],
  );
  return { ...usePages(read, wanted === ''), searched };
}

const NOTHING: Deletions = { deleted: [], isComplete: true };

/** Returns the objects that were deleted below the folder. Reads nothing unless `isWanted`. */
export function useDeleted({ bucket, folder, text }: Wanted, isWanted: boolean) {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    async (signal: AbortSignal) =>
      isWanted ? deletionsBelow(storage, { bucket, prefix: folder }, signal) : NOTHING,
    [storage, bucket, folder, isWanted, epoch],
  );
  const { value = NOTHING, error, reload } = useLoad(load);
  const part = text.toLowerCase();
  const items = value.deleted
    .filter(({ key }) => key.slice(folder.length).toLowerCase().includes(part))
    .map((deleted) => deletedEntry(deleted, folder));
  return { items, isComplete: value.isComplete, error, reload };
}

/** Calls `reload` when uploads and jobs have changed the bucket. */
export function useReloadAfterWork(bucket: string, reload: () => void): void {
  const { items } = useUploads();
  const jobs = useJobs();
  const uploaded = items.filter((item) => item.bucket === bucket && item.state === 'done').length;
  const done = jobs.filter(({ buckets, state }) => state === 'done' && buckets.includes(bucket));
  const count = useSettled(uploaded + done.length, SETTLE_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: finished work reloads the list
  useEffect(() => {
    if (count > 0) reload();
  }, [count]);
}
