/** How stores list: a range of names, a page at a time. */
import { LIMITS } from './limits';

/**
 * A half-open range of UTF-8 byte order (= code point order): from <= name < before. `before`
 * absent = no end.
 */
export interface NameRange {
  readonly from: string;
  readonly before?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** False only when nothing in the range follows the last item. May be true in that case too. */
  readonly more: boolean;
}

/** A list of a store in the order of names, of which a caller sees a part. */
export interface Listing<T> {
  /** Reads at most `limit` items after that name. */
  read(limit: number, after?: string): Promise<Page<T>>;
  nameOf(item: T): string;
  isVisible(item: T): boolean;
}

/** Reads of a store for one page. */
const READS_PER_PAGE = 10;

/**
 * Returns the visible items after that name, at most `limit`, and the name after which the next
 * page begins, if there is one. Passes over the others, because pages that end with them show how
 * many there are. So a page is shorter than `limit` only after 9,000 others.
 */
export async function visiblePage<T>(
  { read, nameOf, isVisible }: Listing<T>,
  limit: number,
  after?: string,
): Promise<{ readonly items: readonly T[]; readonly next?: string }> {
  const items: T[] = [];
  let at = after;
  for (let reads = 0; reads < READS_PER_PAGE; reads++) {
    // One item more than the page has: whether there is a next one.
    const page = await read(reads === 0 ? limit + 1 : LIMITS.pageMax, at);
    items.push(...page.items.filter(isVisible));
    const last = items.length > limit ? items[limit - 1] : page.items.at(-1);
    if (items.length > limit && last) return { items: items.slice(0, limit), next: nameOf(last) };
    if (!page.more || !last) return { items };
    at = nameOf(last);
  }
  return { items, ...(at !== undefined && { next: at }) };
}
