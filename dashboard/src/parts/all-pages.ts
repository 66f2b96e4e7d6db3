/** Reads paged lists. */
import type { Page } from '../api/client';

export type ReadPage<T> = (next: string | undefined, signal?: AbortSignal) => Promise<Page<T>>;

/** Most pages that are read; users read longer lists with the API. */
const MAX_PAGES = 20;

/** Returns the items of up to MAX_PAGES pages, and whether these are all. */
export async function allPages<T>(
  read: ReadPage<T>,
  signal?: AbortSignal,
): Promise<{ readonly items: readonly T[]; readonly isComplete: boolean }> {
  const items: T[] = [];
  let next: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await read(next, signal);
    items.push(...page.items);
    next = page.next;
    if (next === undefined) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}

/** Returns the next page with items: a page may be empty although others follow. */
export async function nextPage<T>(
  read: ReadPage<T>,
  next: string | undefined,
  signal?: AbortSignal,
): Promise<Page<T>> {
  let page = await read(next, signal);
  while (page.items.length === 0 && page.next !== undefined) {
    page = await read(page.next, signal);
  }
  return page;
}
