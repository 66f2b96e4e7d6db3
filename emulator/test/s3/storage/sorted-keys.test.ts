import fc from 'fast-check';
import { listKeys } from '../../../src/services/s3/operations/listing';
import { SortedKeys } from '../../../src/services/s3/storage/sorted-keys';

const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Few letters, so that keys share prefixes, and characters below and above the surrogates. */
const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '-', '～', '😀', 'é'),
  minLength: 1,
  maxLength: 6,
});

const PLACE = -1;

function sortedKeys(names: readonly string[]): SortedKeys {
  const sorted = new SortedKeys();
  for (const name of names) sorted.set(name, PLACE);
  return sorted;
}

describe('order of keys', () => {
  it('stays the same after any additions and removals', () => {
    const step = fc.record({ add: fc.boolean(), key });
    fc.assert(
      fc.property(fc.array(key), fc.array(step, { maxLength: 60 }), (first, steps) => {
        const model = new Map(first.map((name) => [name, PLACE]));
        const sorted = sortedKeys(first);
        for (const [place, { add, key: name }] of steps.entries()) {
          if (add) sorted.set(name, place);
          else sorted.remove(name);
          if (add) model.set(name, place);
          else model.delete(name);
        }
        const keys = [...model.keys()].sort(bytes);
        expect([...sorted.walk(() => true)]).toEqual(keys);
        expect(keys.map((name) => sorted.get(name))).toEqual(keys.map((name) => model.get(name)));
        expect(sorted.size).toBe(model.size);
        expect(sorted.get('not there')).toBeUndefined();
      }),
    );
  });

  it('stays the same when blocks of keys are split and emptied', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `${(index * 7919) % 10_000}`);
    const sorted = new SortedKeys();
    for (const [place, name] of names.entries()) sorted.set(name, place);
    expect([...sorted.walk(() => true)]).toEqual([...names].sort(bytes));
    expect(names.map((name) => sorted.get(name))).toEqual(names.map((_, place) => place));
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
        const sorted = sortedKeys(keys);
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

  it('skip the keys of a group without reading them', () => {
    const sorted = sortedKeys(
      Array.from({ length: 50_000 }, (_, index) => `group-${index % 5}/${index}`),
    );
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
