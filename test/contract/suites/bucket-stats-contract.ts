import type { BucketRecord } from '../../../core/store/buckets';
import { newBucket, newName } from '../../support/samples';
import type { DataPorts } from '../subjects/data-subjects';

/**
 * The part of the Buckets contract about the stats of buckets and the list. `opened` returns the
 * ports once the suite has opened them.
 */
export function bucketStatsContract(opened: () => DataPorts): void {
  let ports: DataPorts;
  beforeAll(() => {
    ports = opened();
  });

  describe('stats', () => {
    test('movePublished moves the mark and the counters for one of many concurrent callers', async () => {
      const { name, id } = await created();
      const step = { from: 0, to: 3, objects: 2, bytes: 700 };

      const moved = await Promise.all(
        Array.from({ length: 5 }, () => ports.buckets.movePublished({ name, id }, step)),
      );
      await ports.buckets.movePublished({ name, id }, { from: 3, to: 4, objects: -1, bytes: -300 });

      expect(moved.filter(Boolean)).toHaveLength(1);
      const stats = await ports.buckets.stats(name);
      expect(stats).toMatchObject({ published: 4, objectCount: 1, totalSize: 400 });
    });

    test('movePublished stores the digest with its cursor, and keeps it when a step has none', async () => {
      const { name, id } = await created();
      const digest = { sha256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', since: 0 };
      const step = { objects: 0, bytes: 0 };
      expect(await ports.buckets.stats(name)).not.toHaveProperty('digest');

      await ports.buckets.movePublished({ name, id }, { ...step, from: 0, to: 3, digest });
      await ports.buckets.movePublished({ name, id }, { ...step, from: 0, to: 4 });
      expect((await ports.buckets.stats(name))?.digest).toEqual({ ...digest, at: 3 });

      await ports.buckets.movePublished({ name, id }, { ...step, from: 3, to: 5 });
      expect(await ports.buckets.stats(name)).toMatchObject({
        published: 5,
        digest: { ...digest, at: 3 },
      });
    });

    test('acquirePushLease gives the lease to one of many concurrent callers until it has passed', async () => {
      const { name, id } = await created();
      const acquire = (holder: string, now: number, published = 0) =>
        ports.buckets.acquirePushLease({ name, id }, { holder, until: now + 5000, now, published });
      const now = 1_700_000_000_000;

      const acquired = await Promise.all(
        ['a', 'b', 'c', 'd'].map((holder) => acquire(holder, now)),
      );
      const { holder = '' } = (await ports.buckets.stats(name))?.pushLease ?? {};

      expect(acquired.filter(Boolean)).toHaveLength(1);
      expect(await acquire(holder, now + 1)).toBe(true);
      expect(await acquire('x', now + 5001)).toBe(false);
      expect(await acquire('x', now + 5002, 7)).toBe(false);
      expect(await acquire('x', now + 5002)).toBe(true);
      // A lease that no clock near this one can have written keeps nobody away.
      expect(await acquire('y', now - 60_000)).toBe(true);
      expect((await ports.buckets.stats(name))?.pushLease).toEqual({
        holder: 'y',
        until: now - 55_000,
      });
    });

    test('extendPushLease moves the end for the holder, and movePublished may end the lease', async () => {
      const { name, id } = await created();
      const lease = { holder: 'a', until: 2000, now: 1000, published: 0 };
      await ports.buckets.acquirePushLease({ name, id }, lease);

      expect(await ports.buckets.extendPushLease({ name, id }, { holder: 'b', until: 9 })).toBe(
        false,
      );
      expect(await ports.buckets.extendPushLease({ name, id }, { holder: 'a', until: 3000 })).toBe(
        true,
      );
      const step = { objects: 0, bytes: 0 };
      await ports.buckets.movePublished({ name, id }, { ...step, from: 0, to: 1 });
      expect((await ports.buckets.stats(name))?.pushLease).toEqual({ holder: 'a', until: 3000 });
      await ports.buckets.movePublished({ name, id }, { ...step, from: 1, to: 2, endsLease: true });
      expect((await ports.buckets.stats(name))?.pushLease).toBeUndefined();
      expect(await ports.buckets.extendPushLease({ name, id }, { holder: 'a', until: 3000 })).toBe(
        false,
      );
    });

    test('raiseOldest and raiseTrimmed never lower their marks', async () => {
      const { name, id } = await created();

      await ports.buckets.raiseOldest({ name, id }, 7);
      await ports.buckets.raiseOldest({ name, id }, 5);
      await ports.buckets.raiseTrimmed({ name, id }, 4);
      await ports.buckets.raiseTrimmed({ name, id }, 3);

      expect(await ports.buckets.stats(name)).toMatchObject({ oldest: 7, trimmed: 4 });
    });

    test('correct adds to the counters once for each counted cursor', async () => {
      const { name, id } = await created();

      await ports.buckets.correct({ name, id }, { asOf: 5, objects: 3, bytes: 30 });
      await ports.buckets.correct({ name, id }, { asOf: 5, objects: 3, bytes: 30 });
      await ports.buckets.correct({ name, id }, { asOf: 4, objects: 9, bytes: 9 });
      await ports.buckets.correct({ name, id }, { asOf: 6, objects: -1, bytes: -10 });

      expect(await ports.buckets.stats(name)).toMatchObject({ objectCount: 2, totalSize: 20 });
    });

    test('of another incarnation of the bucket stay unchanged', async () => {
      const { name } = await created();
      const before = await ports.buckets.stats(name);
      const [id, unknown] = [newName(), newName()];
      const step = { from: 0, to: 3, objects: 2, bytes: 700 };

      expect(await ports.buckets.movePublished({ name, id }, step)).toBe(false);
      const lease = { holder: 'a', until: 2000, now: 1000, published: 0 };
      expect(await ports.buckets.acquirePushLease({ name, id }, lease)).toBe(false);
      expect(await ports.buckets.extendPushLease({ name, id }, lease)).toBe(false);
      await ports.buckets.raiseOldest({ name, id }, 7);
      await ports.buckets.raiseTrimmed({ name, id }, 7);
      await ports.buckets.correct({ name, id }, { asOf: 1, objects: 1, bytes: 1 });
      await ports.buckets.correct({ name: unknown, id }, { asOf: 1, objects: 1, bytes: 1 });

      expect(await ports.buckets.stats(name)).toEqual(before);
      expect(await ports.buckets.stats(unknown)).toBeUndefined();
    });
  });

  describe('list', () => {
    test('returns records and stats of a half-open range in name order, page by page', async () => {
      const prefix = newName();
      const names = ['a', 'b', 'b-1', 'c', 'd'].map((end) => `${prefix}${end}`);
      for (const each of [...names].reverse()) await created(each);
      const [a = '', b = '', , , d = ''] = names;

      const all = await ports.buckets.list({ from: a, before: `${prefix}~` }, 1000);
      expect(all.items.map(({ record }) => record.name)).toEqual(names);
      expect(all.items[0]?.stats).toMatchObject({ oldest: 1, published: 0 });
      expect(all.more).toBe(false);

      const half = await ports.buckets.list({ from: b, before: d }, 10);
      expect(half.items.map(({ record }) => record.name)).toEqual(names.slice(1, 4));
      expect(half.more).toBe(false);

      const first = await ports.buckets.list({ from: a, before: d }, 2);
      expect(first.items.map(({ record }) => record.name)).toEqual(names.slice(0, 2));
      expect(first.more).toBe(true);
      const rest = await ports.buckets.list({ from: `${b}\u0000`, before: d }, 1000);
      expect(rest.items.map(({ record }) => record.name)).toEqual(names.slice(2, 4));
    });

    test('returns `more: false` when only the excluded end follows', async () => {
      const prefix = newName();
      for (const end of ['a', 'b']) await created(`${prefix}${end}`);

      const range = { from: `${prefix}a`, before: `${prefix}b` };
      const { items, more } = await ports.buckets.list(range, 2);

      expect(items.map(({ record }) => record.name)).toEqual([`${prefix}a`]);
      expect(more).toBe(false);
    });

    test('returns nothing for an empty range and everything from the empty name', async () => {
      const { name } = await created();

      expect(await ports.buckets.list({ from: name, before: name }, 10)).toEqual({
        items: [],
        more: false,
      });
      const all = await ports.buckets.list({ from: '' }, 1000);
      expect(all.items.map(({ record }) => record.name)).toContain(name);
    });

    test('returns more than one batch', async () => {
      const prefix = newName();
      const names = Array.from({ length: 120 }, (_, index) => `${prefix}${1000 + index}`);
      await Promise.all(names.map((each) => created(each)));

      const page = await ports.buckets.list({ from: prefix, before: `${prefix}~` }, 1000);

      expect(page.items.map(({ record }) => record.name)).toEqual(names);
    });
  });

  async function created(name = newName('photos')): Promise<BucketRecord> {
    const record = newBucket({ name });
    await ports.buckets.create(record);
    return record;
  }
}
