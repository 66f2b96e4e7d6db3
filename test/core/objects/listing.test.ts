import { createHash } from 'node:crypto';
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
  const objects: Pick<Objects, 'listShown'> = {
    listShown: (...parameters) => {
      queries += 1;
      return fakes.objects.listShown(...parameters);
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
  objects: Pick<Objects, 'listShown'>,
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

/** The keys of folders whose names the list can guess in part, with objects between them. */
const shape = fc
  .record({
    names: fc.uniqueArray(
      fc.oneof(
        fc.integer({ min: 0, max: 99 }).map((n) => `f${String(n).padStart(2, '0')}`),
        fc.integer({ min: 0, max: 200 }).map(String),
        fc.integer({ min: 0, max: 255 }).map((n) => n.toString(16)),
        fc.string({ unit: fc.constantFrom('a', '~', '\u{1f600}'), minLength: 1, maxLength: 3 }),
      ),
      { maxLength: 40 },
    ),
    sizes: fc.array(fc.constantFrom(0, 1, 2, 5, 40), { minLength: 1, maxLength: 5 }),
  })
  .map(({ names, sizes }) =>
    names.flatMap((name, n) => {
      const size = sizes[n % sizes.length] ?? 0;
      return size === 0 ? [name] : Array.from({ length: size }, (_, i) => `${name}/${i}`);
    }),
  );

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

test('listObjects returns the list or the error of a read, in whatever order the reads end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      shape,
      shape,
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.boolean(), { maxLength: 10 }),
      async (scheduler, live, gone, limit, fails) => {
        const { objects } = stored(live, gone);
        let reads = 0;
        const throttled: Pick<Objects, 'listShown'> = {
          listShown: async (...parameters) => {
            const isThrottled = fails[reads++];
            await scheduler.schedule(Promise.resolve());
            if (isThrottled) throw new Error('throttled');
            return objects.listShown(...parameters);
          },
        };
        const query = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit };
        const list = (): ReturnType<typeof all> =>
          all(throttled, query, '').catch((error: Error) => {
            expect(error.message).toBe('throttled');
            return list();
          });
        expect(await scheduler.waitFor(list())).toEqual(expected(live, '', '/'));
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

/** Folders with so many objects each. */
function folders(names: readonly string[], size: number, between: readonly string[] = []) {
  const inFolders = names.flatMap((name) => Array.from({ length: size }, (_, n) => `${name}/${n}`));
  return [...inFolders, ...between].sort(compareNames);
}

/** What a page of 100 entries costs in a bucket with these keys. */
async function costOf(keys: readonly string[]) {
  const cost = { queries: 0, inSequence: 0, records: 0 };
  const waiting: (() => void)[] = [];
  const indexOf = (name: string) => {
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareNames(keys[middle] ?? '', name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const objects: Pick<Objects, 'listShown'> = {
    listShown: async (_, { from, before }, limit) => {
      cost.queries += 1;
      if (waiting.length === 0) {
        // Those that are asked for at the same time are answered at the same time.
        setImmediate(() => {
          cost.inSequence += 1;
          for (const answer of waiting.splice(0)) answer();
        });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
      const found = keys.slice(indexOf(from), before === undefined ? undefined : indexOf(before));
      const items = found.slice(0, limit).map((key) => record(key));
      cost.records += items.length;
      return { items, more: found.length >= limit };
    },
  };
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit: 100 };
  const { objects: plain, prefixes } = await listObjects(objects, ID, query, '');
  expect(plain.length + prefixes.length).toBe(100);
  return cost;
}

const DAYS = Array.from({ length: 130 }, (_, n) =>
  new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10),
);
const NUMBERED = DAYS.map((_, n) => `folder-${String(n).padStart(4, '0')}`);
const HASHES = DAYS.map((day) => createHash('md5').update(day).digest('hex'));
const WORDS = DAYS.map(
  (_, n) => `${'qwertyuiop'[n % 10]}${'zxcvbnm'[n % 7]} ${'.'.repeat(n % 13)}`,
);

test.each([
  ['1 object', folders(NUMBERED, 1), { queries: 1, inSequence: 1, records: 101 }],
  ['5 objects', folders(NUMBERED, 5), { queries: 5, inSequence: 5, records: 510 }],
  ['1,000 objects', folders(NUMBERED, 1000), { queries: 105, inSequence: 12, records: 420 }],
  ['days of 1,000 objects', folders(DAYS, 1000), { queries: 200, inSequence: 45, records: 550 }],
  [
    'hashes of 1,000 objects',
    folders(HASHES, 1000),
    { queries: 160, inSequence: 50, records: 450 },
  ],
  ['names in no order', folders(WORDS, 1000), { queries: 150, inSequence: 100, records: 500 }],
  [
    '1,000 objects, with objects between them',
    folders(
      NUMBERED,
      1000,
      NUMBERED.map((name) => `${name}.txt`),
    ),
    { queries: 60, inSequence: 12, records: 280 },
  ],
])('listObjects reads a page of 100 folders of %s with few queries', async (_, keys, most) => {
  const cost = await costOf(keys);
  expect(cost.queries).toBeLessThanOrEqual(most.queries);
  expect(cost.inSequence).toBeLessThanOrEqual(most.inSequence);
  expect(cost.records).toBeLessThanOrEqual(most.records);
});

test('listObjects ends a page early among many tombstones and continues on the next page', async () => {
  const gone = Array.from({ length: 30_000 }, (_, i) => `a${String(i).padStart(6, '0')}`);
  const { objects, queries } = stored(['z'], gone);
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '', limit: 999 };
  const page = await listObjects(objects, ID, query, '');
  expect(page.objects).toEqual([]);
  expect(page.next).toBeDefined();
  expect(queries()).toBe(LIMITS.pageRecords / LIMITS.pageMax);
  expect(await all(objects, query, '')).toEqual({ objects: ['z'], prefixes: [] });
});
