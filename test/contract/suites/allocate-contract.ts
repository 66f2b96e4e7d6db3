import { AT, newBucket, newName } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

export function allocateContract(name: string, open: OpenData): void {
  describe(`Commits.allocate: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('returns 1, 2, 3, … without a gap to 50 concurrent callers', async () => {
      const record = newBucket();
      await ports.buckets.create(record);

      const cursors = await Promise.all(
        Array.from({ length: 50 }, () => ports.commits.allocate(record)),
      );

      expect(cursors.map(Number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      expect((await ports.buckets.get(record.name))?.cursor).toBe(50);
    });

    test('returns the first of several consecutive cursors to concurrent callers', async () => {
      const record = newBucket();
      await ports.buckets.create(record);

      const firsts = await Promise.all(
        Array.from({ length: 10 }, () => ports.commits.allocate(record, 3)),
      );

      expect(firsts.map(Number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 10 }, (_, index) => 3 * index + 1),
      );
      expect((await ports.buckets.get(record.name))?.cursor).toBe(30);
    });

    test('allocates after a given cursor to one of many callers', async () => {
      const record = newBucket();
      await ports.buckets.create(record);
      await ports.commits.allocate(record, 4);

      expect(await ports.commits.allocate(record, 2, 3)).toBeUndefined();
      expect(await ports.commits.allocate(record, 2, 5)).toBeUndefined();
      const firsts = await Promise.all(
        Array.from({ length: 10 }, () => ports.commits.allocate(record, 2, 4)),
      );

      expect(firsts.filter((first) => first !== undefined)).toEqual([5]);
      expect((await ports.buckets.get(record.name))?.cursor).toBe(6);
    });

    test('returns undefined for an unknown bucket or another incarnation of it', async () => {
      const record = newBucket();
      await ports.buckets.create(record);

      expect(await ports.commits.allocate({ name: newName(), id: record.id })).toBeUndefined();
      expect(await ports.commits.allocate({ name: record.name, id: newName() })).toBeUndefined();
      expect(await ports.buckets.get(record.name)).toEqual(record);
    });

    test('returns undefined while the bucket is closing, and continues after it is reopened', async () => {
      const { name, id } = newBucket();
      await ports.buckets.create(newBucket({ name, id }));
      await ports.commits.allocate({ name, id });

      await ports.buckets.close({ name, id }, AT);
      expect(await ports.commits.allocate({ name, id })).toBeUndefined();

      await ports.buckets.reopen({ name, id });
      expect(await ports.commits.allocate({ name, id })).toBe(2);
    });
  });
}
