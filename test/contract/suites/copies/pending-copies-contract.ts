import { newIdempotencyRecord, newName, newUpload } from '../../../support/samples';
import type { DataPorts, OpenData } from '../../subjects/data-subjects';

export function pendingCopiesContract(name: string, open: OpenData): void {
  describe(`PendingCopies: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    const copyOf = { blob: 'objects/photos.id/a/1', etag: 'abc', size: 6 * 1024 ** 3 };
    const begin = async () => {
      const upload = newUpload({ copyOf });
      await ports.pendingCopies.begin(upload);
      return upload;
    };
    const listed = async (id: string) =>
      (await ports.pendingCopies.list()).filter((copy) => copy.id === id);

    test('begin saves the upload and a copy that no run works on', async () => {
      const upload = await begin();

      expect(await ports.uploads.get(upload.id)).toEqual(upload);
      expect(await listed(upload.id)).toEqual([{ id: upload.id, until: 0 }]);
    });

    test('begin saves nothing under an idempotency key that was used', async () => {
      const record = newIdempotencyRecord();
      const [first, second] = [newUpload({ copyOf }), newUpload({ copyOf })];

      expect(await ports.pendingCopies.begin(first, record)).toBe('created');
      expect(await ports.pendingCopies.begin(second, record)).toBe('duplicate');

      expect(await ports.uploads.get(second.id)).toBeUndefined();
      expect(await listed(second.id)).toEqual([]);
      expect(await listed(first.id)).toHaveLength(1);
    });

    test('list returns the oldest copy first', async () => {
      const ids = [newName('b'), newName('a')];
      for (const id of ids) await ports.pendingCopies.begin(newUpload({ id, copyOf }));

      const found = (await ports.pendingCopies.list()).map(({ id }) => id);

      expect(found.filter((id) => ids.includes(id))).toEqual(ids.toSorted());
    });

    test('claim succeeds for one of several that know the same end', async () => {
      const { id } = await begin();
      const free = { id, until: 0 };

      const claims = await Promise.all([1, 2, 3].map((n) => ports.pendingCopies.claim(free, n)));

      const [won, ...others] = claims.filter((claim) => claim !== undefined);
      expect(others).toEqual([]);
      expect(await listed(id)).toEqual([won]);
      expect(await ports.pendingCopies.claim(free, 4)).toBeUndefined();
      expect(await ports.pendingCopies.claim(won ?? free, 5)).toEqual({ id, until: 5 });
    });

    test('claim does not bring back a copy that was removed', async () => {
      const { id } = await begin();
      await ports.pendingCopies.remove(id);
      await ports.pendingCopies.remove(id);

      expect(await ports.pendingCopies.claim({ id, until: 0 }, 1)).toBeUndefined();
      expect(await listed(id)).toEqual([]);
    });
  });
}
