/** Pages of a list of which the caller sees a part. */
import fc from 'fast-check';
import { type Listing, visiblePage } from '../../core/pages';

interface Item {
  readonly name: string;
  readonly isMine: boolean;
}

/** A store with this number of items. The caller may see those at the given places. */
function listingOf(count: number, mine: ReadonlySet<number>) {
  const items = Array.from({ length: count }, (_, at) => ({
    name: String(at).padStart(6, '0'),
    isMine: mine.has(at),
  }));
  const listing: Listing<Item> = {
    async read(limit, after = '') {
      const rest = items.filter(({ name }) => name > after);
      // A store may say that there is more when nothing follows, as DynamoDB does.
      return { items: rest.slice(0, limit), more: rest.length >= limit };
    },
    nameOf: ({ name }) => name,
    isVisible: ({ isMine }) => isMine,
  };
  return { items, listing };
}

async function pagesOf(listing: Listing<Item>, limit: number) {
  const pages: (readonly Item[])[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await visiblePage(listing, limit, after);
    pages.push(items);
    after = next;
  } while (after !== undefined);
  return pages;
}

test('the pages are those of a list that has the visible items alone', async () => {
  const world = fc.record({
    count: fc.nat(60),
    mine: fc.uniqueArray(fc.nat(60)),
    limit: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(world, async ({ count, mine, limit }) => {
      const { items, listing } = listingOf(count, new Set(mine));
      const seen = items.filter(({ isMine }) => isMine);
      const pages = await pagesOf(listing, limit);
      expect(pages.flat()).toEqual(seen);
      expect(pages).toHaveLength(Math.max(1, Math.ceil(seen.length / limit)));
    }),
  );
});

test('a page ends after many items of others, and the next one continues', async () => {
  const { items, listing } = listingOf(30_000, new Set([29_999]));
  const pages = await pagesOf(listing, 1);
  expect(pages.flat()).toEqual([items[29_999]]);
  expect(pages.length).toBeLessThan(5);
});
