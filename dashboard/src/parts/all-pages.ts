/** Reading lists that come in pages. */
import type { Page } from '../api/client';

export type ReadPage<T> = (next: string | undefined, signal?: AbortSignal) => Promise<Page<T>>;

/** More pages than a person would ever look through: whoever has more uses the interface. */
const MOST_PAGES = 20;

/** Everything, up to a bound. `isComplete`: the end was reached. */
export async function allPages<T>(
  read: ReadPage<T>,
  signal?: AbortSignal,
): Promise<{ readonly items: readonly T[]; readonly isComplete: boolean }> {
  const items: T[] = [];
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await read(next, signal);
    items.push(...answer.items);
    next = answer.next;
    if (next === undefined) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}

/** The next page that shows something: a page may be empty although others follow. */
export async function nextPage<T>(
  read: ReadPage<T>,
  next: string | undefined,
  signal?: AbortSignal,
): Promise<Page<T>> {
  let answer = await read(next, signal);
  while (answer.items.length === 0 && answer.next !== undefined) {
    answer = await read(answer.next, signal);
  }
  return answer;
}
