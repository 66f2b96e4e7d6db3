/** The versions of an object that can be read: neither deletes, nor versions after retention. */
import { StowageError } from '../../../client/errors';
import type { ObjectDescriptor } from '../../../client/resources';
import type { Page } from '../api/client';

/** How many version numbers a page requests. */
const AT_ONCE = 20;

/**
 * Returns versions downwards from `next`, or from the newest. The service has no list of versions,
 * so each number is requested; when a whole page of them is missing, all older ones are missing
 * too.
 */
export async function versionsPage(
  describe: (version: number) => Promise<ObjectDescriptor>,
  newest: number,
  next: string | undefined,
): Promise<Page<ObjectDescriptor>> {
  const from = next === undefined ? newest : Number(next);
  const numbers = Array.from({ length: Math.min(AT_ONCE, from) }, (_, index) => from - index);
  const found = await Promise.all(
    numbers.map((version) =>
      describe(version).catch((error: unknown) => {
        if (error instanceof StowageError && error.code === 'not_found') return undefined;
        throw error;
      }),
    ),
  );
  const items = found.filter((object) => object !== undefined);
  const following = from - numbers.length;
  const hasMore = following > 0 && items.length > 0;
  return { items, ...(hasMore && { next: String(following) }) };
}
