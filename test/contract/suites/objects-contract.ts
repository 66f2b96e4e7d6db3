import fc from 'fast-check';
import { dueSlotOf } from '../../../core/objects/expiry';
import type { NameRange } from '../../../core/pages';
import type { DueObject, ObjectRecord } from '../../../core/store/objects';
import { shownOf } from '../../support/fakes/shown';
import { change, liveObject, newName, tombstone } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

/**
 * Keys whose order differs between UTF-8 bytes, UTF-16 code units and locales, and keys that a
 * database might change.
 */
const PIECES = [
  'a',
  'B',
  'é',
  'e\u0301',
  '\uFF21',
  '\uFFFD',
  '😀',
  '𐀀',
  '/',
  ' ',
  '%2F',
  "'",
  '\u0000',
];

export function objectsContract(name: string, open: OpenData): void {
  describe(`Objects: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('get returns a record as it was committed', async () => {
      const id = newName('id');
      const bare = { headers: {}, metadata: {}, checksumSha256: undefined, size: 0 };
      const records = [
        liveObject({ key: 'full', cursor: 1, ancestors: [9, 8, 4] }),
        liveObject({ key: 'bare', cursor: 2, ...bare }),
        tombstone({ key: 'gone', cursor: 3 }),
        liveObject({ key: 'huge', cursor: 4, size: 5 * 1024 ** 4 }),
        liveObject({ key: 'brief', cursor: 5, expiresAt: '2027-01-31T12:00:00.000Z' }),
        tombstone({ key: 'over', cursor: 6, cause: 'expired' }),
      ];

      await commitAll(id, records);

      for (const record of records) {
        expect(await ports.objects.get(id, record.key)).toEqual(record);
      }
      expect(await ports.objects.get(id, 'other')).toBeUndefined();
      expect(await ports.objects.get(newName('id'), 'full')).toBeUndefined();
    });

    test('due returns the expiring objects of a slot, the earliest first, across pages', async () => {
      const id = newName('id');
      // An hour of its own, because the suites share their tables.
      const year = 3000 + Math.floor(Math.random() * 6000);
      const at = (minute: number) => `${year}-01-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
      // One of the shards: only keys that share it are in the slot.
      const objects = Array.from({ length: 60 }, (_, n) =>
        liveObject({ key: `k${n}`, cursor: n + 1, expiresAt: at(n) }),
      );
      const slot = dueSlotOf(liveObject({ key: 'k0', expiresAt: at(0) })) ?? '';
      const inSlot = objects.filter((one) => dueSlotOf(one) === slot);
      await commitAll(id, [
        ...objects,
        liveObject({ key: 'forever', cursor: 90 }),
        tombstone({ key: 'gone', cursor: 91 }),
      ]);

      const found: DueObject[] = [];
      for (let after: DueObject | undefined; ; ) {
        const page = await ports.objects.due(slot, at(50), 2, after);
        expect(page.items.length).toBeLessThanOrEqual(2);
        found.push(...page.items);
        after = page.items.at(-1);
        if (!page.more || after === undefined) break;
      }

      const wanted = inSlot.filter(({ expiresAt = '' }) => expiresAt <= at(50));
      expect(wanted.length).toBeGreaterThan(2);
      expect(found).toEqual(wanted.map(({ key, expiresAt }) => ({ bucketId: id, key, expiresAt })));
    });

    test('due omits an object whose expiry was removed or changed', async () => {
      const id = newName('id');
      const year = 3000 + Math.floor(Math.random() * 6000);
      const expiresAt = `${year}-02-01T10:00:00.000Z`;
      const first = liveObject({ key: 'a', cursor: 1, expiresAt });
      const slot = dueSlotOf(first) ?? '';
      await commitAll(id, [first]);
      expect((await ports.objects.due(slot, expiresAt, 10)).items).toHaveLength(1);
      const second = liveObject({ key: 'a', cursor: 2, version: 2 });
      await ports.commits.commit(change(id, second, { previous: first }));
      expect(await ports.objects.due(slot, expiresAt, 10)).toEqual({ items: [], more: false });
    });

    test('get returns metadata named like a built-in property', async () => {
      const id = newName('id');
      const metadata = JSON.parse('{"constructor":"a","__proto__":"b"}');
      await commitAll(id, [liveObject({ metadata })]);

      const found = await ports.objects.get(id, 'a/b.txt');
      const pairs = found?.state === 'live' ? Object.entries(found.metadata) : [];
      expect(new Map(pairs)).toEqual(new Map(Object.entries(metadata)));
      expect(pairs).toHaveLength(2);
    });

    test('getMany returns each record once and omits missing keys', async () => {
      const id = newName('id');
      const keys = Array.from({ length: 130 }, (_, index) => `key ${1000 + index}`);
      await commitKeys(id, keys);

      const found = await ports.objects.getMany(id, [...keys, ...keys, 'missing']);

      expect(found.map(({ key }) => key).sort()).toEqual(keys);
      expect(await ports.objects.getMany(id, [])).toEqual([]);
    });

    test('list returns a half-open range in UTF-8 byte order, including tombstones', async () => {
      const id = newName('id');
      const keys = ['A', 'a', 'a/b', 'a0', 'z', 'é', '\uFF21', '😀'];
      await commitKeys(id, [...keys].reverse());

      expect(await keysIn(id, { from: '' })).toEqual(keys);
      expect(await keysIn(id, { from: 'a', before: 'a0' })).toEqual(['a', 'a/b']);
      expect(await keysIn(id, { from: 'a\u0000', before: 'z' })).toEqual(['a/b', 'a0']);
      expect(await keysIn(id, { from: '\uFF21', before: '😀' })).toEqual(['\uFF21']);
      expect(await keysIn(id, { from: '😀' })).toEqual(['😀']);
      expect(await keysIn(id, { from: '', before: 'a' })).toEqual(['A']);
      expect(await keysIn(id, { from: '', before: '' })).toEqual([]);
      expect(await keysIn(id, { from: 'a', before: 'a' })).toEqual([]);
      expect(await keysIn(id, { from: '😀', before: '\uFF21' })).toEqual([]);
      expect(await keysIn(newName('id'), { from: '' })).toEqual([]);
    });

    test('listShown returns the records of list without the fields that no list shows', async () => {
      const id = newName('id');
      await commitAll(id, [
        liveObject({ key: 'a', cursor: 1, ancestors: [9, 8] }),
        liveObject({ key: 'b', cursor: 2, headers: {}, metadata: {}, checksumSha256: undefined }),
        tombstone({ key: 'c', cursor: 3, cause: 'expired' }),
        liveObject({ key: 'd', cursor: 4, expiresAt: '2027-01-31T12:00:00.000Z' }),
        tombstone({ key: 'e', cursor: 5 }),
      ]);

      const ranges: readonly [NameRange, number][] = [
        [{ from: '' }, 10],
        [{ from: 'b', before: 'e' }, 2],
        [{ from: 'a', before: 'b' }, 10],
        [{ from: 'z' }, 10],
      ];
      for (const [range, limit] of ranges) {
        const { items, more } = await ports.objects.list(id, range, limit);
        const shown = await ports.objects.listShown(id, range, limit);
        expect(shown).toStrictEqual({ items: items.map(shownOf), more });
      }
    });

    test('list returns `more: false` when only the excluded end follows', async () => {
      const id = newName('id');
      await commitKeys(id, ['a', 'b', 'c']);

      for (const limit of [2, 10]) {
        const page = await ports.objects.list(id, { from: 'a', before: 'b' }, limit);

        expect(page.items.map(({ key }) => key)).toEqual(['a']);
        expect(page.more).toBe(false);
      }
    });

    test('list returns each record once across pages, for any keys and range', async () => {
      const key = fc
        .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })
        .map((pieces) => pieces.join(''));
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(key, { maxLength: 12 }),
          fc.option(key, { nil: '' }),
          fc.option(key, { nil: undefined }),
          fc.integer({ min: 1, max: 5 }),
          async (keys, from, before, limit) => {
            const id = newName('id');
            await commitKeys(id, keys);

            const inRange = keys
              .filter(
                (each) => utf8(from, each) <= 0 && (before === undefined || utf8(each, before) < 0),
              )
              .sort(utf8);
            expect(await walk(id, { from, before }, limit)).toEqual(inRange);
          },
        ),
        { numRuns: 40 },
      );
    });

    test('list continues after the 1 MB that one DynamoDB response can hold', async () => {
      const id = newName('id');
      const metadata = { big: 'x'.repeat(150_000) };
      const keys = Array.from({ length: 12 }, (_, index) => `key ${10 + index}`);
      await commitAll(
        id,
        keys.map((key, index) => liveObject({ key, cursor: index + 1, metadata })),
      );

      expect(await walk(id, { from: '' }, 1000)).toEqual(keys);
      expect(await ports.objects.getMany(id, keys)).toHaveLength(12);
    });

    test('forget removes the tombstone of that cursor and nothing else', async () => {
      const id = newName('id');
      await commitAll(id, [
        liveObject({ key: 'live', cursor: 1 }),
        tombstone({ key: 'gone', cursor: 2 }),
      ]);

      await ports.objects.removeTombstone(id, 'live', 1);
      await ports.objects.removeTombstone(id, 'gone', 1);
      await ports.objects.removeTombstone(id, 'never', 1);
      expect(await keysIn(id, { from: '' })).toEqual(['gone', 'live']);

      await ports.objects.removeTombstone(id, 'gone', 2);
      expect(await keysIn(id, { from: '' })).toEqual(['live']);
    });

    async function commitAll(id: string, records: readonly ObjectRecord[]): Promise<void> {
      const outcomes = await Promise.all(
        records.map((record) => ports.commits.commit(change(id, record))),
      );
      expect(outcomes).toEqual(records.map(() => ({ result: 'committed' })));
    }

    function commitKeys(id: string, keys: readonly string[]): Promise<void> {
      const records = keys.map((key, index) =>
        index % 3 === 2
          ? tombstone({ key, cursor: index + 1 })
          : liveObject({ key, cursor: index + 1 }),
      );
      return commitAll(id, records);
    }

    async function keysIn(id: string, range: NameRange): Promise<string[]> {
      return (await ports.objects.list(id, range, 1000)).items.map(({ key }) => key);
    }

    async function walk(id: string, range: NameRange, limit: number): Promise<string[]> {
      const keys: string[] = [];
      for (let rest: NameRange | undefined = range; rest; ) {
        const page = await ports.objects.list(id, rest, limit);
        keys.push(...page.items.map(({ key }) => key));
        const last = keys.at(-1);
        rest = page.more && last !== undefined ? { ...range, from: `${last}\u0000` } : undefined;
      }
      return keys;
    }
  });
}

function utf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
