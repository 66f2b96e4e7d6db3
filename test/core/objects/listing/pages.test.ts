/** Where the pages of a list end, and what each of them shows. */
import { LIMITS } from '../../../../core/limits';
import { prefixRange } from '../../../../core/names';
import { type ListQuery, listObjects, listStart } from '../../../../core/objects/listing';
import type { NameRange } from '../../../../core/pages';
import type { ShownRecord } from '../../../../core/store/objects';
import { ID, listAll, record, sorted, stored } from './listed';

const query = (more: Partial<ListQuery> = {}): ListQuery => {
  const { prefix = '' } = more;
  return { ranges: [prefixRange(prefix)], prefix, delimiter: '/', limit: 10, ...more };
};

test.each([
  [undefined, '', ''],
  [undefined, 'a/', 'a/'],
  ['a', 'a/', 'a/'],
  ['a/', 'a/', 'a/\0'],
  ['a/b', 'a/', 'a/b\0'],
  ['b', '', 'b\0'],
])('a list with start_after %j and prefix %j begins at %j', (startAfter, prefix, start) => {
  expect(listStart(startAfter, prefix)).toBe(start);
});

test('a page shows objects as they are stored, and folders once', async () => {
  const keys = ['a', 'b/1', 'b/2/3', 'c', 'c/', 'd//e'];
  const { objects } = sorted(keys);
  expect(await listObjects(objects, ID, query(), '')).toEqual({
    ...{ objects: [record('a'), record('c')], prefixes: ['b/', 'c/', 'd/'], next: undefined },
  });
  const within = await listObjects(objects, ID, query({ prefix: 'b/' }), 'b/');
  expect(within).toMatchObject({ objects: [{ key: 'b/1' }], prefixes: ['b/2/'] });
  const flat = await listObjects(objects, ID, query({ delimiter: '' }), '');
  expect(flat.objects.map(({ key }) => key)).toEqual(keys);
  expect(flat.prefixes).toEqual([]);
  const long = await listObjects(objects, ID, query({ delimiter: '/2/' }), '');
  expect(long.prefixes).toEqual(['b/2/']);
});

test('a full page names the key at which the next one begins', async () => {
  const { objects } = sorted(['a', 'b/1', 'b/2', 'c', 'd']);
  const page = async (limit: number, from: string) => {
    const { next, ...found } = await listObjects(objects, ID, query({ limit }), from);
    return [found.objects.map(({ key }) => key), found.prefixes, next];
  };
  expect(await page(1, '')).toEqual([['a'], [], 'b/1']);
  expect(await page(2, '')).toEqual([['a'], ['b/'], 'c']);
  expect(await page(4, '')).toEqual([['a', 'c', 'd'], ['b/'], undefined]);
  expect(await page(3, 'b/2')).toEqual([['c', 'd'], ['b/'], undefined]);
});

test('a page leaves out what is deleted, and folders of nothing else', async () => {
  const { objects } = sorted(['/x', 'a/1~', 'a/2~', 'b~', 'c/1', 'c/2~', 'd']);
  expect(await listAll(objects, query(), '')).toEqual({ objects: ['d'], prefixes: ['/', 'c/'] });
  // The folder is shown although the first read finds nothing but what is deleted.
  const late = sorted([...Array.from({ length: 20 }, (_, n) => `a/${n + 10}~`), 'a/99', 'b']);
  expect(await listAll(late.objects, query({ limit: 2 }), '')).toEqual({
    ...{ objects: ['b'], prefixes: ['a/'] },
  });
});

test('a folder that two ranges share is shown once, and what lies between them is not', async () => {
  const { objects } = sorted(['a/1', 'a/2', 'a/3', 'b', 'c']);
  const ranges: NameRange[] = [
    { from: 'a/1', before: 'a/2' },
    { from: 'a/3', before: 'b' },
  ];
  const query1 = query({ ranges: [...ranges, { from: 'c', before: 'd' }] });
  expect(await listObjects(objects, ID, query1, '')).toMatchObject({
    ...{ objects: [{ key: 'c' }], prefixes: ['a/'], next: undefined },
  });
});

const NAME = 'a'.repeat(100);

/** Records with so many characters of metadata each. */
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
  const [length, limit] = [1894, 1000];
  // 4 KiB of each: what every descriptor has, its key, and its metadata, which JSON may escape.
  const fit = Math.floor(LIMITS.pageBytes / (300 + 2 * 4 + 2 * length)) + 1;
  const page = await listObjects(described(1000, length), ID, query({ limit }), '');
  expect([page.objects.length, page.next]).toEqual([fit, String(1000 + fit)]);
  const long = described(1000, 6000, 'folder');
  const folders = await listObjects(long, ID, query({ limit }), '');
  expect(folders.prefixes).toHaveLength(Math.floor(LIMITS.pageBytes / 6005) + 1);
});

test('a page ends after LIMITS.pageQueries queries', async () => {
  // Each query ends early, as at 1 MB in DynamoDB.
  const { objects } = stored(Array.from({ length: 300 }, (_, n) => `k${n + 100}`));
  let queries = 0;
  const short = {
    listShown: async (id: string, range: NameRange) => {
      queries += 1;
      return objects.listShown(id, range, 1);
    },
  };
  const page = await listObjects(short, ID, query({ limit: 1000 }), '');
  expect([page.objects.length, queries]).toEqual([LIMITS.pageQueries, LIMITS.pageQueries]);
  expect(page.next).toBe('k199\0');
});

test('a page ends when its source is spent', async () => {
  const { objects } = stored(['a', 'b', 'c']);
  let reads = 0;
  const source = {
    get isSpent() {
      return reads >= 2;
    },
    listShown: async (id: string, range: NameRange) => {
      reads += 1;
      return objects.listShown(id, range, 1);
    },
  };
  expect(await listObjects(source, ID, query(), '')).toMatchObject({
    ...{ objects: [{ key: 'a' }, { key: 'b' }], next: 'b\0' },
  });
});

test('a page asks for one record more than it has room for, and at most for LIMITS.pageMax', async () => {
  const limits: number[] = [];
  const none = {
    listShown: async (_: string, __: NameRange, limit: number) => {
      limits.push(limit);
      return { items: [], more: false };
    },
  };
  await listObjects(none, ID, query({ limit: 7 }), '');
  await listObjects(none, ID, query({ limit: 1000 }), '');
  expect(limits).toEqual([8, LIMITS.pageMax]);
  // An empty range says nothing about the next one.
  const ranges = [{ from: 'a', before: 'b' }, { from: 'c' }];
  await listObjects(none, ID, query({ limit: 7, ranges }), '');
  expect(limits.slice(2)).toEqual([8, 8]);
});

test('a failed read is thrown, also when a page is read in parts', async () => {
  const keys = Array.from({ length: 40 }, (_, n) =>
    Array.from({ length: 60 }, (_, i) => `f${n + 10}/${i + 10}`),
  ).flat();
  const { objects } = sorted(keys);
  let reads = 0;
  const failing = {
    listShown: async (...parameters: Parameters<typeof objects.listShown>) => {
      reads += 1;
      if (reads === 12) throw new Error('throttled');
      return objects.listShown(...parameters);
    },
  };
  const query1 = query({ limit: 40 });
  await expect(listObjects(failing, ID, query1, '')).rejects.toThrow('throttled');
  const { prefixes, next } = await listObjects(objects, ID, query1, '');
  expect([prefixes.length, prefixes[39], next]).toEqual([40, 'f49/', undefined]);
});
