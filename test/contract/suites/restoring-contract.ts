import { AT, change, liveObject, newBucket, newName } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

const TO = 1_795_000_000_000;

export function restoringContract(name: string, open: OpenData): void {
  describe(`Restoring: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    describe('skip', () => {
      test('continues above the cursor with everything before it trimmed, and preserves the counters', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.commits.allocate(record);
        const step = { from: 0, to: 1, objects: 1, bytes: 5 };
        await ports.buckets.movePublished(record, step);

        expect(await ports.restoring.skip(record, TO)).toBe(true);

        expect(await ports.buckets.stats(record.name)).toEqual({
          id: record.id,
          oldest: TO + 1,
          trimmed: TO + 1,
          published: TO,
          objectCount: 1,
          totalSize: 5,
        });
        expect(await ports.commits.allocate(record)).toBe(TO + 1);
      });

      test('preserves the lifecycle rules', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        const rules = [{ prefix: 'tmp/', expireAfterDays: 7 }];
        await ports.buckets.setLifecycle({ name: record.name, rules }, AT);

        expect(await ports.restoring.skip(record, TO)).toBe(true);

        expect(await ports.buckets.lifecycle(record.name)).toEqual(rules);
      });

      test('opens a bucket that was closing', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.buckets.close(record, AT);

        expect(await ports.restoring.skip(record, TO)).toBe(true);

        expect(await ports.buckets.get(record.name)).toEqual({ ...record, cursor: TO });
      });

      test('changes nothing when repeated, for another incarnation, and for a missing bucket', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.restoring.skip(record, TO);
        await ports.commits.allocate(record);

        expect(await ports.restoring.skip(record, TO)).toBe(false);
        expect(await ports.restoring.skip({ name: record.name, id: newName('id') }, TO + 9)).toBe(
          false,
        );
        expect(await ports.restoring.skip({ name: newName(), id: record.id }, TO)).toBe(false);

        expect((await ports.buckets.get(record.name))?.cursor).toBe(TO + 1);
        expect((await ports.buckets.stats(record.name))?.published).toBe(TO);
      });

      test('a correction before it does not prevent one after it', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.buckets.correct(record, { asOf: 7, objects: 1, bytes: 1 });
        await ports.restoring.skip(record, TO);

        await ports.buckets.correct(record, { asOf: TO, objects: 2, bytes: 9 });

        const stats = await ports.buckets.stats(record.name);
        expect(stats).toMatchObject({ objectCount: 3, totalSize: 10 });
      });
    });

    describe('dropEntries', () => {
      test('deletes the entries up to the cursor, with any gaps', async () => {
        const id = newName('id');
        const cursors = [1, 2, 3, 4, 5, 6, 7, 8, 9, 40, 1000, TO, TO + 1];
        for (const cursor of cursors) {
          await ports.commits.commit(change(id, liveObject({ key: `${cursor}`, cursor })));
        }

        expect(await ports.restoring.dropEntries(id, TO)).toBe(cursors.length - 1);
        expect(await ports.restoring.dropEntries(id, TO)).toBe(0);

        for (const cursor of cursors) {
          const left = (await ports.changeLog.get(id, cursor))?.cursor;
          expect(left).toBe(cursor > TO ? cursor : undefined);
        }
        expect((await ports.objects.list(id, { from: '' }, 100)).items).toHaveLength(13);
      });

      test('deletes more than the 1 MB that one DynamoDB response can hold', async () => {
        const id = newName('id');
        const metadata = { pad: 'x'.repeat(20_000) };
        for (let cursor = 8; cursor <= 8 * 60; cursor += 8) {
          await ports.commits.commit(
            change(id, liveObject({ key: `${cursor}`, cursor, metadata })),
          );
        }

        expect(await ports.restoring.dropEntries(id, 8 * 60)).toBe(60);

        expect(await ports.changeLog.read(id, 0, 8 * 60)).toEqual([]);
      });

      test('deletes more than one batch and nothing of another bucket', async () => {
        const [id, other] = [newName('id'), newName('id')];
        const at = AT;
        const noop = (cursor: number) => ({ type: 'noop', bucket: 'photos', cursor, at }) as const;
        for (let cursor = 1; cursor <= 250; cursor++) await ports.changeLog.fill(id, noop(cursor));
        await ports.changeLog.fill(other, noop(1));

        expect(await ports.restoring.dropEntries(id, 250)).toBe(250);

        expect(await ports.changeLog.read(id, 0, 250)).toEqual([]);
        expect(await ports.changeLog.get(other, 1)).toEqual(noop(1));
      });
    });
  });
}
