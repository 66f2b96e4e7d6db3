import type { Change, Commit, CommitOutcome } from '../../../core/log/ports';
import type { LiveObject, ObjectRecord } from '../../../core/store/objects';
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

export function commitsContract(name: string, open: OpenData): void {
  describe(`Commits: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('a create, a replace and a delete each write the record and the log entry', async () => {
      const id = newName('id');
      const first = liveObject();
      const second = liveObject({ version: 2, cursor: 2, updatedAt: LATER, size: 9 });
      const third = tombstone({ version: 3, cursor: 3 });

      expect(await commit(id, first)).toEqual(COMMITTED);
      expect(await commit(id, second, { previous: first })).toEqual(COMMITTED);
      expect(await commit(id, third, { previous: second })).toEqual(COMMITTED);

      expect(await ports.objects.get(id, first.key)).toEqual(third);
      expect(await ports.changeLog.read(id, 0, 10)).toEqual([
        { type: 'put', bucket: 'photos', cursor: 1, at: AT, object: first },
        { type: 'put', bucket: 'photos', cursor: 2, at: LATER, object: second, previous: first },
        { type: 'delete', bucket: 'photos', cursor: 3, at: LATER, object: third, previous: second },
      ]);
    });

    test('a no-op entry at the cursor refuses the change, which leaves no trace', async () => {
      const id = newName('id');
      const gap = { type: 'noop', bucket: 'photos', cursor: 1, at: LATER } as const;
      const upload = newUpload();
      const idempotency = newIdempotencyRecord();
      await ports.uploads.create(upload);
      await ports.changeLog.fill(id, gap);

      const outcome = await commit(id, liveObject(), { uploadId: upload.id, idempotency });

      expect(outcome).toEqual({ result: 'refused', taken: gap, ...NOTHING_BROKEN });
      expect(await ports.objects.get(id, 'a/b.txt')).toBeUndefined();
      expect(await ports.changeLog.read(id, 0, 10)).toEqual([gap]);
      expect(await ports.uploads.get(upload.id)).toEqual(upload);
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toBeUndefined();
    });

    test('another change at the cursor refuses the change and is returned whole', async () => {
      const id = newName('id');
      const first = liveObject({ key: 'first' });
      await commit(id, first);

      const outcome = await commit(id, liveObject({ key: 'second' }));

      expect(outcome).toEqual({
        result: 'refused',
        taken: { type: 'put', bucket: 'photos', cursor: 1, at: AT, object: first },
        ...NOTHING_BROKEN,
      });
    });

    test.each<[string, LiveObject | undefined, ObjectRecord | undefined, LiveObject]>([
      ['a record appeared', liveObject(), undefined, liveObject({ cursor: 2 })],
      [
        'the record has a newer version',
        liveObject({ version: 2, cursor: 2 }),
        liveObject(),
        liveObject({ version: 2, cursor: 3 }),
      ],
      [
        'the key was deleted and created again, with the version that was read',
        liveObject({ cursor: 4 }),
        liveObject(),
        liveObject({ version: 2, cursor: 5 }),
      ],
      ['the record is gone', undefined, liveObject(), liveObject({ version: 2, cursor: 2 })],
      [
        'the record has a higher cursor',
        liveObject({ cursor: 9 }),
        liveObject({ cursor: 9 }),
        liveObject({ version: 2, cursor: 8 }),
      ],
    ])('commit refuses the change when %s', async (_, stored, previous, object) => {
      const id = newName('id');
      if (stored) await commit(id, stored);

      const outcome = await commit(id, object, { previous });

      expect(outcome).toEqual({ result: 'refused', ...NOTHING_BROKEN, changed: true });
      expect(await ports.objects.get(id, object.key)).toEqual(stored);
      expect(await ports.changeLog.get(id, object.cursor)).toBeUndefined();
    });

    test('one of many changes of a key that read the same record is committed', async () => {
      const id = newName('id');
      const first = liveObject();
      await commit(id, first);
      const changes = Array.from({ length: 8 }, (_, index) =>
        liveObject({ version: 2, cursor: index + 2, etag: `etag ${index}` }),
      );

      const outcomes = await Promise.all(
        changes.map((object) => commit(id, object, { previous: first })),
      );

      const committed = changes.filter((_, index) => outcomes[index]?.result === 'committed');
      expect(committed).toHaveLength(1);
      expect(outcomes.filter(({ result }) => result === 'refused')).toHaveLength(7);
      expect(await ports.objects.get(id, first.key)).toEqual(committed[0]);
      expect(await ports.changeLog.read(id, 1, 20)).toMatchObject([{ object: committed[0] }]);
    });

    test('either a change or a gap fill gets a cursor when they race', async () => {
      for (let round = 0; round < 10; round++) {
        const id = newName('id');
        const gap = { type: 'noop', bucket: 'photos', cursor: 1, at: LATER } as const;

        const [outcome, entry] = await Promise.all([
          commit(id, liveObject()),
          ports.changeLog.fill(id, gap),
        ]);

        expect(entry.type).toBe(outcome.result === 'committed' ? 'put' : 'noop');
        expect(await ports.changeLog.get(id, 1)).toEqual(entry);
        expect((await ports.objects.get(id, 'a/b.txt')) !== undefined).toBe(entry.type === 'put');
      }
    });

    test('a repeated transaction is committed once', async () => {
      const id = newName('id');
      const upload = newUpload();
      await ports.uploads.create(upload);
      const whole = change(id, liveObject({ cursor: 2 }), {
        uploadId: upload.id,
        idempotency: newIdempotencyRecord(),
      });

      expect(await ports.commits.commit(whole)).toEqual(COMMITTED);
      expect(await ports.commits.commit(whole)).toEqual(COMMITTED);

      expect(await ports.changeLog.read(id, 0, 10)).toHaveLength(1);
      expect(await ports.objects.get(id, 'a/b.txt')).toEqual(whole.changes[0]?.object);
    });

    test('the same change with another token returns its own entry', async () => {
      const id = newName('id');
      const object = liveObject();
      await commit(id, object);

      expect(await commit(id, object)).toEqual({
        result: 'refused',
        taken: { type: 'put', bucket: 'photos', cursor: 1, at: AT, object },
        ...NOTHING_BROKEN,
        changed: true,
      });
    });

    test('a change is refused when the record has a higher cursor than the log', async () => {
      const id = newName('id');
      const first = liveObject({ cursor: 9 });
      await commit(id, first);

      const second = liveObject({ version: 2, cursor: 9 });

      expect(await commit(id, second, { previous: first })).toMatchObject({
        result: 'refused',
        taken: { cursor: 9, object: first },
        changed: true,
      });
    });

    test('a different change with a used token is an error', async () => {
      const id = newName('id');
      const first = change(id, liveObject({ key: 'first' }));
      await ports.commits.commit(first);

      const second = { ...first, changes: [{ object: liveObject({ key: 'second', cursor: 2 }) }] };

      await expect(ports.commits.commit(second)).rejects.toThrow();
      expect(await ports.objects.get(id, 'second')).toBeUndefined();
    });

    test('a change commits its pending upload once', async () => {
      const id = newName('id');
      const upload = newUpload();
      await ports.uploads.create(upload);
      const first = liveObject();

      expect(await commit(id, first, { uploadId: upload.id })).toEqual(COMMITTED);
      const settled = {
        ...upload,
        state: 'committed',
        committed: { version: first.version, cursor: first.cursor },
        ttl: Math.floor(Date.parse(AT) / 1000) + 7 * 86_400,
      };
      expect(await ports.uploads.get(upload.id)).toEqual(settled);

      const second = liveObject({ version: 2, cursor: 2 });
      expect(await commit(id, second, { previous: first, uploadId: upload.id })).toEqual({
        result: 'refused',
        ...NOTHING_BROKEN,
        settled: true,
      });
    });

    test('a change commits its staged upload', async () => {
      const id = newName('id');
      const upload = newUpload({ awaitsCommit: true });
      await ports.uploads.create(upload);
      const staged = { size: 1, etag: 'e', contentType: 'a/b', headers: {}, metadata: {} };
      await ports.uploads.stage(upload.id, staged, LATER);

      expect(await commit(id, liveObject(), { uploadId: upload.id })).toEqual(COMMITTED);
      expect((await ports.uploads.get(upload.id))?.state).toBe('committed');
      expect(await ports.uploads.refuse(upload.id, 'expired')).toBe('committed');
    });

    test.each(['refused', 'unknown'])('a %s upload is not committed', async (state) => {
      const id = newName('id');
      const upload = newUpload();
      if (state === 'refused') {
        await ports.uploads.create(upload);
        await ports.uploads.refuse(upload.id, 'too late');
      }

      expect(await commit(id, liveObject(), { uploadId: upload.id })).toEqual({
        result: 'refused',
        ...NOTHING_BROKEN,
        settled: true,
      });
    });

    test('a used idempotency key refuses the change unless its record has expired', async () => {
      const id = newName('id');
      const idempotency = newIdempotencyRecord({ expiresAt: NOW + 5 });
      const first = liveObject({ updatedAt: AT });
      const other = { ...idempotency, body: 'other', expiresAt: NOW + 90 };

      expect(await commit(id, first, { idempotency })).toEqual(COMMITTED);
      const early = liveObject({ key: 'early', cursor: 2, updatedAt: '2026-01-01T00:00:04.999Z' });
      expect(await commit(id, early, { idempotency: other })).toEqual({
        result: 'refused',
        ...NOTHING_BROKEN,
        isDuplicate: true,
      });
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(idempotency);

      const late = liveObject({ key: 'late', cursor: 2, updatedAt: '2026-01-01T00:00:05.000Z' });
      expect(await commit(id, late, { idempotency: other })).toEqual(COMMITTED);
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(other);
    });

    test('every failed condition is reported in its own field', async () => {
      const id = newName('id');
      const first = liveObject();
      const upload = newUpload();
      const idempotency = newIdempotencyRecord();
      await ports.uploads.create(upload);
      await commit(id, first, { uploadId: upload.id, idempotency });
      await ports.changeLog.fill(id, { type: 'noop', bucket: 'photos', cursor: 3, at: AT });

      const outcome = await commit(id, tombstone({ cursor: 1 }), {
        uploadId: upload.id,
        idempotency,
      });

      expect(outcome).toEqual({
        result: 'refused',
        taken: { type: 'put', bucket: 'photos', cursor: 1, at: AT, object: first },
        changed: true,
        settled: true,
        isDuplicate: true,
      });
    });

    function commit(
      id: string,
      object: ObjectRecord,
      overrides: Partial<Change & Commit> = {},
    ): Promise<CommitOutcome> {
      return ports.commits.commit(change(id, object, overrides));
    }
  });
}
