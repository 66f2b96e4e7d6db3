import { LIMITS } from '../../../core/limits';
import type { CommitOutcome } from '../../../core/log/ports';
import type { LiveObject } from '../../../core/store/objects';
import {
  AT,
  change,
  LATER,
  liveObject,
  NOW,
  newIdempotencyRecord,
  newName,
  newUpload,
  tombstone,
} from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

const NOTHING_BROKEN = { changed: false, settled: false, isDuplicate: false };
const COMMITTED = { result: 'committed' };

export function severalChangesContract(name: string, open: OpenData): void {
  describe(`Commits of several changes: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    const at = LATER;
    const range = { first: 4, last: 6 };
    const before = liveObject({ key: 'b', cursor: 2 });
    const created = liveObject({ key: 'a', cursor: 4 });
    const deleted = tombstone({ key: 'b', cursor: 5, ancestors: [2] });
    const uploaded = liveObject({ key: 'c', cursor: 6 });

    /** A bucket with an object `b`, a pending upload, and a commit of three changes. */
    async function prepare() {
      const id = newName('id');
      const upload = newUpload();
      const idempotency = newIdempotencyRecord();
      await ports.uploads.create(upload);
      await commit(id, before);
      const changes = [
        { object: created },
        { object: deleted, previous: before },
        { object: uploaded, uploadId: upload.id },
      ];
      return { id, upload, bucketId: id, changes, at, idempotency, token: newName('token') };
    }

    test('writes every record and entry, and each entry names the commit', async () => {
      const { id, upload, ...three } = await prepare();

      expect(await ports.commits.commit(three)).toEqual(COMMITTED);
      expect(await ports.commits.commit(three)).toEqual(COMMITTED);

      const common = { bucket: 'photos', at, commit: range };
      expect(await ports.changeLog.read(id, 3, 10)).toEqual([
        { ...common, type: 'put', cursor: 4, object: created },
        { ...common, type: 'delete', cursor: 5, object: deleted, previous: before },
        { ...common, type: 'put', cursor: 6, object: uploaded },
      ]);
      const records = await ports.objects.getMany(id, ['a', 'b', 'c']);
      expect(records).toHaveLength(3);
      expect(records).toEqual(expect.arrayContaining([created, deleted, uploaded]));
      expect(await ports.uploads.get(upload.id)).toMatchObject({
        state: 'committed',
        committed: { version: uploaded.version, cursor: uploaded.cursor },
      });
      expect(await ports.uploads.getIdempotencyRecord(three.idempotency.id, NOW)).toEqual(
        three.idempotency,
      );
    });

    test.each<[string, (id: string, uploadId: string) => Promise<unknown>, object]>([
      [
        'a no-op entry is at its last cursor',
        (id) => ports.changeLog.fill(id, { type: 'noop', bucket: 'photos', cursor: 6, at }),
        { ...NOTHING_BROKEN, taken: { type: 'noop', bucket: 'photos', cursor: 6, at } },
      ],
      [
        'one of its records has changed',
        (id) => commit(id, liveObject({ key: 'a', cursor: 3 })),
        { ...NOTHING_BROKEN, changed: true },
      ],
      [
        'its upload is no longer pending',
        (_, uploadId) => ports.uploads.refuse(uploadId, 'too late'),
        { ...NOTHING_BROKEN, settled: true },
      ],
    ])('is refused as a whole when %s', async (_, disturb, refusal) => {
      const { id, upload, ...three } = await prepare();
      await disturb(id, upload.id);
      const entries = await ports.changeLog.read(id, 0, 10);
      const records = await ports.objects.getMany(id, ['a', 'b', 'c']);

      expect(await ports.commits.commit(three)).toEqual({ result: 'refused', ...refusal });

      expect(await ports.changeLog.read(id, 0, 10)).toEqual(entries);
      const after = await ports.objects.getMany(id, ['a', 'b', 'c']);
      expect(after).toHaveLength(records.length);
      expect(after).toEqual(expect.arrayContaining([...records]));
      expect(await ports.uploads.getIdempotencyRecord(three.idempotency.id, NOW)).toBeUndefined();
    });

    test('holds LIMITS.commitChanges changes with uploads', async () => {
      const id = newName('id');
      const changes = await Promise.all(
        Array.from({ length: LIMITS.commitChanges }, async (_, index) => {
          const upload = newUpload();
          await ports.uploads.create(upload);
          const object = liveObject({ key: `k${index}`, cursor: index + 1 });
          return { object, uploadId: upload.id };
        }),
      );
      const idempotency = newIdempotencyRecord();
      const whole = { bucketId: id, changes, at: AT, idempotency, token: newName('token') };

      expect(await ports.commits.commit(whole)).toEqual(COMMITTED);
      expect(await ports.changeLog.read(id, 0, 100)).toHaveLength(LIMITS.commitChanges);
    });

    function commit(id: string, object: LiveObject): Promise<CommitOutcome> {
      return ports.commits.commit(change(id, object));
    }
  });
}
