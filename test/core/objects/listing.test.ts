import fc from 'fast-check';
import { listableRanges } from '../../../core/access/permissions';
import { LIMITS } from '../../../core/limits';
import { listObjects, listStart } from '../../../core/objects/listing';
import { compareNames, prefixRange } from '../../../core/objects/names';
import type { ObjectRecord, Objects } from '../../../core/objects/ports';
import { createFakes } from '../../support/fakes/fakes';

const ID = 'b00000000001';

function record(key: string, state: 'live' | 'deleted' = 'live'): ObjectRecord {
  const common = { bucket: 'photos', key, version: 1, cursor: 1, ancestors: [] };
  const at = '2026-01-01T00:00:00.000Z';
  if (state === 'deleted') return { ...common, state, deletedAt: at };
  return {
    ...common,
    state,
    size: 1,
    etag: 'e',
    createdAt: at,
    updatedAt: at,
    contentType: 'a/b',
    headers: {},
    metadata: {},
    blob: key,
  };
}

function stored(live: readonly string[], deleted: readonly string[] = []) {
  const fakes = createFakes();
  const records = fakes.state.objectsOf(ID);
  for (const key of deleted) records.set(key, record(key, 'deleted'));
  for (const key of live) records.set(key, record(key));
  let queries = 0;
  const objects: Pick<Objects, 'list'> = {
    list: (...parameters) => {
      queries += 1;
      return fakes.objects.list(...parameters);
    },
  };
  return { objects, queries: () => queries };
}

/** The complete list by S3's rule, without pages. */
function expected(keys: readonly string[], prefix: string, delimiter: string, startAfter?: string) {
  const objects: string[] = [];
  const prefixes = new Set<string>();
  for (const key of [...new Set(keys)].sort(compareNames)) {
    if (!key.startsWith(prefix)) continue;
    if (startAfter !== undefined && compareNames(key, startAfter) <= 0) continue;
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (at < 0) objects.push(key);
    else prefixes.add(key.slice(0, at + delimiter.length));
  }
  return { objects, prefixes: [...prefixes] };
}

async function all(
  objects: Pick<Objects, 'list'>,
  query: Parameters<typeof listObjects>[2],
  start: string,
) {
  const pages: { objects: string[]; prefixes: string[] } = { objects: [], prefixes: [] };
  let from: string | undefined = start;
  while (from !== undefined) {
    const page: Awaited<ReturnType<typeof listObjects>> = await listObjects(
      objects,
      ID,
      query,
      from,
    );
    expect(page.objects.length + page.prefixes.length).toBeLessThanOrEqual(query.limit);
    pages.objects.push(...page.objects.map(({ key }) => key));
    pages.prefixes.push(...page.prefixes);
    from = page.next;
  }
  return pages;
}

const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '0', '\uffff', '\u{1f600}'),
  minLength: 1,
  maxLength: 6,
});
const part = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\u{1f600}'), maxLength: 2 });

test('listObjects returns pages that add up to the list for any prefix, delimiter, start and limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 40 }),
      fc.array(key, { maxLength: 10 }),
      part,
      part,
      fc.option(key, { nil: undefined }),
      fc.integer({ min: 1, max: 7 }),
      async (live, gone, prefix, delimiter, startAfter, limit) => {
        const { objects } = stored(live, gone);
        const query = { ranges: [prefixRange(prefix)], prefix, delimiter, limit };
        expect(await all(objects, query, listStart(startAfter, prefix))).toEqual(
          expected(live, prefix, delimiter, startAfter),
        );
      },
    ),
  );
});

test('listObjects shows only the prefixes that the API key may list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 40 }),
      part,
      part,
      part,
      async (live, one, two, prefix) => {
        const { objects } = stored(live);
        const caller = {
          keyId: 'k',
          permissions: [one, two].map((p) => ({
            buckets: ['*'],
            prefix: p,
            actions: ['list' as const],
          })),
        };
        const ranges = listableRanges(caller, 'photos', prefix);
        const mine = live.filter((k) => k.startsWith(one) || k.startsWith(two));
        const query = { ranges, prefix, delimiter: '/', limit: 3 };
        expect(await all(objects, query, prefix)).toEqual(expected(mine, prefix, '/'));
      },
    ),
  );
});

test('listObjects reads a page with one query in a bucket of 1,000 or 100,000 objects', async () => {
  for (const size of [1000, 100_000]) {
    const { objects, queries } = stored(
      Array.from({ length: size }, (_, i) => `k${String(i).padStart(6, '0')}`),
    );
    const query = { ranges: [prefixRange('')], prefix: '', delimiter: '', limit: 100 };
    const page = await listObjects(objects, ID, query, `k${String(size / 2).padStart(6, '0')}`);
    expect(page.objects).toHaveLength(100);
    expect(queries()).toBe(1);
  }
});

test('listObjects skips a folder of many objects with one query', async () => {
  const live = [...Array.from({ length: 5000 }, (_, i) => `a/${i}`), 'b', 'c/1'];
  const { objects, queries } = stored(live);
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit: 10 };
  expect(await all(objects, query, '')).toEqual({ objects: ['b'], prefixes: ['a/', 'c/'] });
  expect(queries()).toBeLessThanOrEqual(3);
});

test('listObjects ends a page early among many tombstones and continues on the next page', async () => {
  const gone = Array.from({ length: 30_000 }, (_, i) => `a${String(i).padStart(6, '0')}`);
  const { objects, queries } = stored(['z'], gone);
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '', limit: 999 };
  const page = await listObjects(objects, ID, query, '');
  expect(page.objects).toEqual([]);
  expect(page.next).toBeDefined();
  expect(queries()).toBe(LIMITS.pageQueries);
  expect(await all(objects, query, '')).toEqual({ objects: ['z'], prefixes: [] });
});
