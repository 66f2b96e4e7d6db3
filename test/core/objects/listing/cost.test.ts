/** Pages of a list, and what they cost. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../../../../core/limits';
import { prefixRange } from '../../../../core/names';
import { listObjects } from '../../../../core/objects/listing';
import { ID, listAll, sorted } from './listed';

test('listObjects reads a page with one query in a bucket of 1,000 or 100,000 objects', async () => {
  for (const size of [1000, 100_000]) {
    const { objects, cost } = sorted(
      Array.from({ length: size }, (_, i) => `k${String(i).padStart(6, '0')}`),
    );
    const query = { ranges: [prefixRange('')], prefix: '', delimiter: '', limit: 100 };
    const page = await listObjects(objects, ID, query, `k${String(size / 2).padStart(6, '0')}`);
    expect(page.objects).toHaveLength(100);
    expect(cost).toEqual({ queries: 1, inSequence: 1, records: 101 });
  }
});

test('listObjects skips a folder of many objects with one query', async () => {
  const live = [...Array.from({ length: 5000 }, (_, i) => `a/${i}`), 'b', 'c/1'];
  const { objects, cost } = sorted(live);
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit: 10 };
  expect(await listAll(objects, query, '')).toEqual({ objects: ['b'], prefixes: ['a/', 'c/'] });
  expect(cost.queries).toBeLessThanOrEqual(3);
});

/** Folders with so many objects each. */
function folders(names: readonly string[], size: number, between: readonly string[] = []) {
  const inFolders = names.flatMap((name) => Array.from({ length: size }, (_, n) => `${name}/${n}`));
  return [...inFolders, ...between].sort();
}

/** What a page of `limit` entries costs in a bucket with these keys. */
async function costOf(keys: readonly string[], limit = 100) {
  const { objects, cost } = sorted(keys);
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit };
  const { objects: plain, prefixes } = await listObjects(objects, ID, query, '');
  expect(plain.length + prefixes.length).toBe(limit);
  // Nothing is read any more that nobody waits for.
  const { queries } = cost;
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(cost.queries).toBe(queries);
  return cost;
}

const DAYS = Array.from({ length: 130 }, (_, n) =>
  new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10),
);
const NUMBERED = DAYS.map((_, n) => `folder-${String(n).padStart(4, '0')}`);
/** `a`, `a0`, `a00` …, which are the same number. */
const ZEROS = DAYS.map((_, n) => `a${'0'.repeat(n)}`);
const HASHES = DAYS.map((day) => createHash('md5').update(day).digest('hex'));
const WORDS = DAYS.map(
  (_, n) => `${'qwertyuiop'[n % 10]}${'zxcvbnm'[n % 7]} ${'.'.repeat(n % 13)}`,
);

/** So many objects beside each folder. */
function beside(names: readonly string[], count: number) {
  return names.flatMap((name) => Array.from({ length: count }, (_, n) => `${name}.${n + 1000}`));
}

type Cost = Awaited<ReturnType<typeof costOf>>;

test.each<[string, () => readonly string[], Cost]>([
  ['1 object', () => folders(NUMBERED, 1), { queries: 1, inSequence: 1, records: 101 }],
  ['5 objects', () => folders(NUMBERED, 5), { queries: 4, inSequence: 4, records: 493 }],
  ['10 objects', () => folders(NUMBERED, 10), { queries: 5, inSequence: 5, records: 976 }],
  ['1,000 objects', () => folders(NUMBERED, 1000), { queries: 101, inSequence: 11, records: 401 }],
  [
    'days of 1,000 objects',
    () => folders(DAYS, 1000),
    { queries: 193, inSequence: 35, records: 545 },
  ],
  [
    'hashes of 1,000 objects',
    () => folders(HASHES, 1000),
    { queries: 130, inSequence: 28, records: 410 },
  ],
  [
    'names in no order',
    () => folders(WORDS, 1000),
    { queries: 100, inSequence: 100, records: 398 },
  ],
  [
    '1,000 objects, with objects between them',
    () =>
      folders(
        NUMBERED,
        1000,
        NUMBERED.map((name) => `${name}.txt`),
      ),
    { queries: 53, inSequence: 8, records: 257 },
  ],
  [
    '1,000 objects, with 5 objects between them',
    () => folders(NUMBERED, 1000, beside(NUMBERED, 5)),
    { queries: 23, inSequence: 23, records: 328 },
  ],
  [
    '30 objects, with 20 objects between them',
    () => folders(NUMBERED, 30, beside(NUMBERED, 20)),
    { queries: 6, inSequence: 6, records: 166 },
  ],
  [
    '1,000 objects, and then of one',
    () => [...folders(NUMBERED.slice(0, 40), 1000), ...folders(NUMBERED.slice(40), 1)],
    { queries: 52, inSequence: 11, records: 279 },
  ],
  [
    'names that are the same number',
    () => folders(ZEROS, 1000),
    { queries: 100, inSequence: 100, records: 398 },
  ],
])('listObjects reads a page of 100 folders of %s with few queries', async (_, keys, most) => {
  const cost = await costOf(keys());
  expect(cost.queries).toBeLessThanOrEqual(most.queries);
  expect(cost.inSequence).toBeLessThanOrEqual(most.inSequence);
  expect(cost.records).toBeLessThanOrEqual(most.records);
});

test('listObjects ends a page early among many tombstones and continues on the next page', async () => {
  const gone = Array.from({ length: 30_000 }, (_, i) => `a${String(i).padStart(6, '0')}~`);
  const { objects, cost } = sorted([...gone, 'z']);
  const query = { ranges: [prefixRange('')], prefix: '', delimiter: '', limit: 999 };
  const page = await listObjects(objects, ID, query, '');
  expect(page).toEqual({ objects: [], prefixes: [], next: `${gone[LIMITS.pageRecords - 1]}\0` });
  expect(cost.queries).toBe(LIMITS.pageRecords / LIMITS.pageMax);
  expect(await listAll(objects, query, '')).toEqual({ objects: ['z'], prefixes: [] });
});
