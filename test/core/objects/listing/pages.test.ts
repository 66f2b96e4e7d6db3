/** The bounds of a page. Property test of what pages show: pages.property.test.ts. */
import { LIMITS } from '../../../../core/limits';
import { prefixRange } from '../../../../core/names';
import { type ListQuery, listObjects } from '../../../../core/objects/listing';
import type { NameRange } from '../../../../core/pages';
import type { ShownRecord } from '../../../../core/store/objects';
import { ID, record, stored } from './listed';

const QUERY: ListQuery = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit: 1000 };

const NAME = 'a'.repeat(100);

/** `count` records, each with `length` characters of metadata or in a folder of that name. */
function described(count: number, length: number, state: 'live' | 'folder' = 'live') {
  const key = (n: number) => `${n + 1000}${state === 'folder' ? 'x'.repeat(length) : ''}`;
  const items = Array.from({ length: count }, (_, n): ShownRecord => {
    if (state === 'folder') return record(`${key(n)}/a`);
    return {
      ...record(key(n)),
      metadata: { [NAME]: 'x'.repeat(length - NAME.length) },
    } as ShownRecord;
  });
  const listShown = async (_: string, { from }: NameRange, limit: number) => {
    const rest = items.filter((one) => one.key >= from);
    return { items: rest.slice(0, limit), more: rest.length > limit };
  };
  return { listShown };
}

test('a page ends when it is larger than LIMITS.pageBytes', async () => {
  const length = 1894;
  // 4 KiB of each: what every descriptor has, its key, and its metadata, which JSON may escape.
  const fit = Math.floor(LIMITS.pageBytes / (300 + 2 * 4 + 2 * length)) + 1;
  const page = await listObjects(described(1000, length), ID, QUERY, '');
  expect([page.objects.length, page.next]).toEqual([fit, String(1000 + fit)]);
  const long = described(1000, 6000, 'folder');
  const folders = await listObjects(long, ID, QUERY, '');
  expect(folders.prefixes).toHaveLength(Math.floor(LIMITS.pageBytes / 6005) + 1);
});

test('a page takes at most LIMITS.pageQueries queries', async () => {
  // Each query ends early, as at 1 MB in DynamoDB.
  const { objects } = stored(Array.from({ length: 300 }, (_, n) => `k${n + 100}`));
  let queries = 0;
  const short = {
    listShown: async (id: string, range: NameRange) => {
      queries += 1;
      return objects.listShown(id, range, 1);
    },
  };
  const page = await listObjects(short, ID, QUERY, '');
  expect([page.objects.length, queries]).toEqual([LIMITS.pageQueries, LIMITS.pageQueries]);
  expect(page.next).toBe('k199\0');
});
