import fc from 'fast-check';
import { listKeys } from '../../src/services/s3/operations/listing';
import { compareKeys, SortedKeys } from '../../src/services/s3/storage/sorted-keys';

const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Few letters, so that keys share prefixes, and characters below and above the surrogates. */
const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '-', '～', '😀', 'é'),
  minLength: 1,
  maxLength: 6,
});

describe('order of keys', () => {
  it('is the order of their UTF-8 bytes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(bytes(a, b));
      }),
    );
  });

  it('stays the same after any additions and removals', () => {
    const step = fc.record({ add: fc.boolean(), key });
    fc.assert(
      fc.property(fc.array(key), fc.array(step, { maxLength: 60 }), (first, steps) => {
        const model = new Set(first);
        const sorted = new SortedKeys();
        sorted.load(model);
        for (const { add, key: name } of steps) {
          if (add && !model.has(name)) sorted.add(name);
          if (!add) sorted.remove(name);
          if (add) model.add(name);
          else model.delete(name);
        }
        expect([...sorted.walk(() => true)]).toEqual([...model].sort(bytes));
      }),
    );
  });

  it('stays the same when blocks of keys are split and emptied', () => {
    const sorted = new SortedKeys();
    const names = Array.from({ length: 10_000 }, (_, index) => `${(index * 7919) % 10_000}`);
    for (const name of names) sorted.add(name);
    expect([...sorted.walk(() => true)]).toEqual([...names].sort(bytes));
    for (const name of names.slice(0, 9990)) sorted.remove(name);
    sorted.remove('never there');
    expect([...sorted.walk(() => true)]).toEqual(names.slice(9990).sort(bytes));
  });
});

describe('pages', () => {
  it('have each key and group of a naive list once, in order, at any page size', () => {
    const query = fc.record({
      prefix: fc.constantFrom('', 'a', 'a/', '😀'),
      delimiter: fc.constantFrom('', '/', '-', '//'),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 40 }), query, (keys, { limit, ...query }) => {
        const sorted = new SortedKeys();
        sorted.load(keys);
        const seen: string[] = [];
        for (let after: { name: string; isPrefix: boolean } | undefined, more = true; more; ) {
          const page = listKeys(sorted, { ...query, limit, after });
          expect(page.keys.length + page.prefixes.length).toBeLessThanOrEqual(limit);
          seen.push(...[...page.keys, ...page.prefixes].sort(bytes));
          after = page.next;
          more = after !== undefined;
        }
        expect(seen).toEqual(naiveList(keys, query.prefix, query.delimiter));
      }),
      { numRuns: 300 },
    );
  });

  it('read as many keys as they return, however large the groups are', () => {
    const sorted = new SortedKeys();
    const names = Array.from({ length: 50_000 }, (_, index) => `group-${index % 5}/${index}`);
    sorted.load(names);
    let read = 0;
    const walk = sorted.walk.bind(sorted);
    sorted.walk = function* (reached) {
      for (const name of walk(reached)) {
        read += 1;
        yield name;
      }
    };
    const page = listKeys(sorted, { prefix: '', delimiter: '/', limit: 1000 });
    expect(page.prefixes).toHaveLength(5);
    expect(read).toBe(5);
  });
});

function naiveList(keys: readonly string[], prefix: string, delimiter: string): string[] {
  const names = keys
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const end = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
      return end === -1 ? name : name.slice(0, end + delimiter.length);
    });
  return [...new Set(names)].sort(bytes);
}
