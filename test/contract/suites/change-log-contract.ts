import { shownEntryOf } from '../../support/fakes/shown';
import { AT, change, LATER, liveObject, newName, tombstone } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

export function changeLogContract(name: string, open: OpenData): void {
  describe(`ChangeLog: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('get returns an entry with its object and the whole previous record', async () => {
      const id = newName('id');
      const first = liveObject();
      const second = tombstone();

      await ports.commits.commit(change(id, first));
      await ports.commits.commit(change(id, second, { previous: first }));

      expect(await ports.changeLog.get(id, 1)).toEqual({
        type: 'put',
        bucket: 'photos',
        cursor: 1,
        at: AT,
        object: first,
      });
      expect(await ports.changeLog.get(id, 2)).toEqual({
        type: 'delete',
        bucket: 'photos',
        cursor: 2,
        at: LATER,
        object: second,
        previous: first,
      });
      expect(await ports.changeLog.get(id, 3)).toBeUndefined();
      expect(await ports.changeLog.get(newName('id'), 1)).toBeUndefined();
    });

    test('read returns the entries with after < cursor <= to in cursor order and omits gaps', async () => {
      const id = newName('id');
      await fillAll(id, [1, 2, 3, 5, 8, 9, 10, 11, 16, 17, 18, 25, 40]);

      expect(await cursors(id, 0, 1000)).toEqual([1, 2, 3, 5, 8, 9, 10, 11, 16, 17, 18, 25, 40]);
      expect(await cursors(id, 2, 10)).toEqual([3, 5, 8, 9, 10]);
      expect(await cursors(id, 8, 9)).toEqual([9]);
      expect(await cursors(id, 15, 18)).toEqual([16, 17, 18]);
      expect(await cursors(id, 25, 39)).toEqual([]);
      expect(await cursors(id, 5, 5)).toEqual([]);
      expect(await cursors(newName('id'), 0, 10)).toEqual([]);
    });

    test('readShown returns the entries of read without the fields that no change shows', async () => {
      const id = newName('id');
      const first = liveObject({ expiresAt: LATER });
      const second = tombstone({ cause: 'expired' });
      await ports.commits.commit(change(id, first));
      await ports.commits.commit(change(id, second, { previous: first }));
      await fillAll(id, [17, 10, 4, 3]);

      const entries = await ports.changeLog.read(id, 0, 17);
      expect(entries[1]).toMatchObject({ type: 'delete', object: second, previous: first });
      expect(await ports.changeLog.readShown(id, 0, 20)).toStrictEqual(entries.map(shownEntryOf));
      await expect(ports.changeLog.readShown(id, 5, 1006)).rejects.toThrow(RangeError);
      await expect(ports.changeLog.readShown(id, 5, 1006)).rejects.toThrow('1001');
      expect(await ports.changeLog.readShown(id, 17, 1017)).toEqual([]);
    });

    test('read finds each cursor in a range of its own and in every short range around it', async () => {
      const id = newName('id');
      const all = Array.from({ length: 20 }, (_, index) => index + 1);
      await fillAll(id, all);

      for (const length of [1, 2, 7, 8, 9]) {
        for (let after = 0; after + length <= 20; after++) {
          expect(await cursors(id, after, after + length)).toEqual(
            all.slice(after, after + length),
          );
        }
      }
    });

    test('read accepts a range of 1000 cursors and refuses a larger one', async () => {
      const id = newName('id');
      const all = Array.from({ length: 1001 }, (_, index) => index + 1);
      await fillAll(id, all);

      expect(await cursors(id, 1, 1001)).toEqual(all.slice(1));
      await expect(ports.changeLog.read(id, 0, 1001)).rejects.toThrow(RangeError);
    });

    test('read continues after the 1 MB that one DynamoDB response can hold', async () => {
      const id = newName('id');
      const metadata = { big: 'x'.repeat(180_000) };
      // All in one shard.
      const all = Array.from({ length: 8 }, (_, index) => index * 8 + 3);
      for (const cursor of all) {
        await ports.commits.commit(change(id, liveObject({ key: `${cursor}`, cursor, metadata })));
      }

      expect(await cursors(id, 0, 100)).toEqual(all);
    });

    test('fill writes one no-op entry into a gap when several callers try', async () => {
      const id = newName('id');
      const attempts = Array.from({ length: 6 }, (_, index) =>
        gap(7, `2026-01-01T00:00:0${index}.000Z`),
      );

      const responses = await Promise.all(attempts.map((each) => ports.changeLog.fill(id, each)));

      const stored = await ports.changeLog.get(id, 7);
      expect(attempts).toContainEqual(stored);
      expect(responses).toEqual(attempts.map(() => stored));
    });

    test('fill returns the change that already has the cursor', async () => {
      const id = newName('id');
      await ports.commits.commit(change(id, liveObject()));

      const entry = await ports.changeLog.fill(id, gap(1));

      expect(entry).toMatchObject({ type: 'put', cursor: 1, object: liveObject() });
      expect(await ports.changeLog.get(id, 1)).toEqual(entry);
    });

    test('remove deletes the named entries only and ignores missing ones', async () => {
      const id = newName('id');
      const all = Array.from({ length: 60 }, (_, index) => index + 1);
      await fillAll(id, all);

      await ports.changeLog.remove(id, [...all.slice(0, 58), 3, 1000]);
      await ports.changeLog.remove(id, []);

      expect(await cursors(id, 0, 1000)).toEqual([59, 60]);
    });

    function gap(cursor: number, at = AT) {
      return { type: 'noop', bucket: 'photos', cursor, at } as const;
    }

    async function fillAll(id: string, numbers: readonly number[]): Promise<void> {
      await Promise.all(numbers.map((cursor) => ports.changeLog.fill(id, gap(cursor))));
    }

    async function cursors(id: string, after: number, to: number): Promise<number[]> {
      return (await ports.changeLog.read(id, after, to)).map(({ cursor }) => cursor);
    }
  });
}
