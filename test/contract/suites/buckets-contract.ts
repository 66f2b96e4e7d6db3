import type { BucketRecord, DeletedBucket } from '../../../core/objects/ports';
import { AT, LATER, NOW, newBucket, newIdempotencyRecord, newName } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

const graveOf = ({ name, id, cursor }: BucketRecord): DeletedBucket => ({
  name,
  id,
  cursor,
  trimmed: 1,
  deletedAt: LATER,
});

export function bucketsContract(name: string, open: OpenData): void {
  describe(`Buckets: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    }, 30_000);
    afterAll(() => ports.close());

    describe('create', () => {
      test('makes the record and its stats', async () => {
        const record = newBucket();

        expect(await ports.buckets.get(record.name)).toBeUndefined();
        expect(await ports.buckets.stats(record.name)).toBeUndefined();
        expect(await ports.buckets.create(record)).toBe('created');

        expect(await ports.buckets.get(record.name)).toEqual(record);
        expect(await ports.buckets.stats(record.name)).toEqual({
          id: record.id,
          oldest: 1,
          trimmed: 1,
          published: 0,
          objectCount: 0,
          totalSize: 0,
        });
      });

      test('leaves an existing bucket alone, and keeps no replay then', async () => {
        const record = newBucket();
        const replay = newIdempotencyRecord();
        await ports.buckets.create(record);
        await ports.buckets.allocate(record);

        expect(await ports.buckets.create({ ...record, id: newName() }, replay)).toBe('exists');

        expect(await ports.buckets.get(record.name)).toEqual({ ...record, cursor: 1 });
        expect(await ports.uploads.getIdempotencyRecord(replay.id, NOW)).toBeUndefined();
      });

      test('keeps the replay, and under a used idempotency key does nothing', async () => {
        const [first, second] = [newBucket(), newBucket()];
        const replay = newIdempotencyRecord();

        expect(await ports.buckets.create(first, replay)).toBe('created');
        expect(await ports.buckets.create(second, { ...replay, body: 'other' })).toBe('replayed');
        expect(await ports.buckets.create(first, replay)).toBe('replayed');

        expect(await ports.uploads.getIdempotencyRecord(replay.id, NOW)).toEqual(replay);
        expect(await ports.buckets.get(second.name)).toBeUndefined();
      });

      test('uses an idempotency key again once the replay has expired', async () => {
        const [first, second] = [newBucket(), newBucket()];
        const replay = newIdempotencyRecord({ expiresAt: NOW });
        const again = { ...replay, body: 'other', expiresAt: NOW + 60 };

        await ports.buckets.create({ ...first, createdAt: '2025-12-31T23:59:59.000Z' }, replay);

        expect(await ports.buckets.create(second, again)).toBe('created');
        expect(await ports.uploads.getIdempotencyRecord(replay.id, NOW)).toEqual(again);
      });

      test('lets one of many racing creations win', async () => {
        const record = newBucket();

        const results = await Promise.all(
          Array.from({ length: 10 }, () => ports.buckets.create({ ...record, id: newName() })),
        );

        expect(results.filter((result) => result === 'created')).toHaveLength(1);
        expect(results.filter((result) => result === 'exists')).toHaveLength(9);
      });
    });

    describe('allocate', () => {
      test('hands out 1, 2, 3, … without a gap to 50 callers at once', async () => {
        const record = newBucket();
        await ports.buckets.create(record);

        const numbers = await Promise.all(
          Array.from({ length: 50 }, () => ports.buckets.allocate(record)),
        );

        expect(numbers.map(Number).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 50 }, (_, index) => index + 1),
        );
        expect((await ports.buckets.get(record.name))?.cursor).toBe(50);
      });

      test('hands out nothing for an unknown bucket or another life of it', async () => {
        const record = newBucket();
        await ports.buckets.create(record);

        expect(await ports.buckets.allocate({ name: newName(), id: record.id })).toBeUndefined();
        expect(await ports.buckets.allocate({ name: record.name, id: newName() })).toBeUndefined();
        expect(await ports.buckets.get(record.name)).toEqual(record);
      });

      test('hands out nothing while the bucket is closing, and goes on when it is open again', async () => {
        const { name, id } = newBucket();
        await ports.buckets.create(newBucket({ name, id }));
        await ports.buckets.allocate({ name, id });

        await ports.buckets.close({ name, id }, AT);
        expect(await ports.buckets.allocate({ name, id })).toBeUndefined();

        await ports.buckets.reopen({ name, id });
        expect(await ports.buckets.allocate({ name, id })).toBe(2);
      });
    });

    describe('close and reopen', () => {
      test('answer and store the closing record, repeatedly', async () => {
        const record = newBucket();
        await ports.buckets.create(record);

        const closed = await ports.buckets.close(record, AT);
        const closedAgain = await ports.buckets.close(record, LATER);

        expect(closed).toEqual({ ...record, closingAt: AT });
        expect(closedAgain).toEqual({ ...record, closingAt: LATER });
        expect(await ports.buckets.get(record.name)).toEqual(closedAgain);
        await ports.buckets.reopen(record);
        expect(await ports.buckets.get(record.name)).toEqual(record);
      });

      test('change nothing of another life of the bucket, and make none', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        const unknown = newName();

        expect(await ports.buckets.close({ name: record.name, id: newName() }, AT)).toBeUndefined();
        expect(await ports.buckets.close({ name: unknown, id: record.id }, AT)).toBeUndefined();
        await ports.buckets.reopen({ name: unknown, id: record.id });

        expect(await ports.buckets.get(record.name)).toEqual(record);
        expect(await ports.buckets.get(unknown)).toBeUndefined();
      });
    });

    describe('remove', () => {
      test('removes a closing bucket and leaves a grave', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.buckets.allocate(record);
        const closing = await ports.buckets.close(record, AT);
        if (closing === undefined) throw new Error('not closed');
        const replay = newIdempotencyRecord();
        const grave = graveOf(closing);

        expect(await ports.buckets.remove(grave, replay)).toBe(true);

        expect(await ports.buckets.get(record.name)).toBeUndefined();
        expect(await ports.buckets.stats(record.name)).toBeUndefined();
        expect(await listed(record.name)).toEqual([]);
        expect(await ports.uploads.getIdempotencyRecord(replay.id, NOW)).toEqual(replay);
        expect(await ports.buckets.deletedBuckets()).toContainEqual(grave);
        expect(await ports.buckets.remove(grave)).toBe(false);

        await ports.buckets.purge(record.id);
        expect(await ports.buckets.deletedBuckets()).not.toContainEqual(grave);
      });

      test('frees the name for a bucket with another id', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.buckets.close(record, AT);
        await ports.buckets.remove(graveOf(record));
        const next = newBucket({ name: record.name });

        expect(await ports.buckets.create(next)).toBe('created');

        expect(await ports.buckets.allocate({ name: next.name, id: record.id })).toBeUndefined();
        expect(await ports.buckets.allocate(next)).toBe(1);
        expect(await listed(next.name)).toEqual([next.name]);
      });

      test('leaves an open bucket alone, and one that has handed out a number meanwhile', async () => {
        const record = newBucket();
        await ports.buckets.create(record);

        expect(await ports.buckets.remove(graveOf(record))).toBe(false);
        await ports.buckets.close(record, AT);
        await ports.buckets.reopen(record);
        await ports.buckets.allocate(record);
        await ports.buckets.close(record, AT);
        const replay = newIdempotencyRecord();
        expect(await ports.buckets.remove(graveOf(record), replay)).toBe(false);

        expect((await ports.buckets.get(record.name))?.cursor).toBe(1);
        expect(await listed(record.name)).toEqual([record.name]);
        expect(await ports.uploads.getIdempotencyRecord(replay.id, NOW)).toBeUndefined();
      });
    });

    describe('stats', () => {
      test('advance moves delivered and the counters for one of many that try', async () => {
        const { name, id } = await created();
        const step = { from: 0, to: 3, objects: 2, bytes: 700 };

        const moved = await Promise.all(
          Array.from({ length: 5 }, () => ports.buckets.movePublished({ name, id }, step)),
        );
        await ports.buckets.movePublished(
          { name, id },
          { from: 3, to: 4, objects: -1, bytes: -300 },
        );

        expect(moved.filter(Boolean)).toHaveLength(1);
        const stats = await ports.buckets.stats(name);
        expect(stats).toMatchObject({ published: 4, objectCount: 1, totalSize: 400 });
      });

      test('oldest and trimmed only rise', async () => {
        const { name, id } = await created();

        await ports.buckets.raiseOldest({ name, id }, 7);
        await ports.buckets.raiseOldest({ name, id }, 5);
        await ports.buckets.raiseTrimmed({ name, id }, 4);
        await ports.buckets.raiseTrimmed({ name, id }, 3);

        expect(await ports.buckets.stats(name)).toMatchObject({ oldest: 7, trimmed: 4 });
      });

      test('correct adds to the counters, once for each position that was counted', async () => {
        const { name, id } = await created();

        await ports.buckets.correct({ name, id }, { asOf: 5, objects: 3, bytes: 30 });
        await ports.buckets.correct({ name, id }, { asOf: 5, objects: 3, bytes: 30 });
        await ports.buckets.correct({ name, id }, { asOf: 4, objects: 9, bytes: 9 });
        await ports.buckets.correct({ name, id }, { asOf: 6, objects: -1, bytes: -10 });

        expect(await ports.buckets.stats(name)).toMatchObject({ objectCount: 2, totalSize: 20 });
      });

      test('of another life of the bucket stay as they are', async () => {
        const { name } = await created();
        const before = await ports.buckets.stats(name);
        const [id, unknown] = [newName(), newName()];
        const step = { from: 0, to: 3, objects: 2, bytes: 700 };

        expect(await ports.buckets.movePublished({ name, id }, step)).toBe(false);
        await ports.buckets.raiseOldest({ name, id }, 7);
        await ports.buckets.raiseTrimmed({ name, id }, 7);
        await ports.buckets.correct({ name, id }, { asOf: 1, objects: 1, bytes: 1 });
        await ports.buckets.correct({ name: unknown, id }, { asOf: 1, objects: 1, bytes: 1 });

        expect(await ports.buckets.stats(name)).toEqual(before);
        expect(await ports.buckets.stats(unknown)).toBeUndefined();
      });
    });

    describe('list', () => {
      test('answers records and stats of a half-open range in name order, page by page', async () => {
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

      test('finds nothing in an empty range, and everything from the empty name', async () => {
        const { name } = await created();

        expect(await ports.buckets.list({ from: name, before: name }, 10)).toEqual({
          items: [],
          more: false,
        });
        const all = await ports.buckets.list({ from: '' }, 1000);
        expect(all.items.map(({ record }) => record.name)).toContain(name);
      });

      test('answers more than one batch', async () => {
        const prefix = newName();
        const names = Array.from({ length: 120 }, (_, index) => `${prefix}${1000 + index}`);
        await Promise.all(names.map((each) => created(each)));

        const page = await ports.buckets.list({ from: prefix, before: `${prefix}~` }, 1000);

        expect(page.items.map(({ record }) => record.name)).toEqual(names);
      });
    });

    async function created(bucketName = newName('photos')) {
      const record = newBucket({ name: bucketName });
      await ports.buckets.create(record);
      return record;
    }

    async function listed(bucketName: string): Promise<string[]> {
      const range = { from: bucketName, before: `${bucketName}\u0000` };
      const page = await ports.buckets.list(range, 10);
      return page.items.map(({ record }) => record.name);
    }
  });
}
