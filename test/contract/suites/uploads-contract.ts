import {
  AT,
  change,
  LATER,
  liveObject,
  NOW,
  newIdempotencyRecord,
  newName,
  newUpload,
} from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

export function uploadsContract(name: string, open: OpenData): void {
  describe(`Uploads: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    }, 30_000);
    afterAll(() => ports.close());

    test('an upload comes back as it was created', async () => {
      const bare = newUpload();
      const full = newUpload({
        ifMatch: 'abc',
        ifNoneMatch: '*',
        size: 5 * 1024 ** 4,
        partSize: 5 * 1024 ** 3,
        multipartId: 'multi',
      });

      expect(await ports.uploads.create(bare)).toBe('created');
      expect(await ports.uploads.create(full)).toBe('created');

      expect(await ports.uploads.get(bare.id)).toEqual(bare);
      expect(await ports.uploads.get(full.id)).toEqual(full);
      expect(await ports.uploads.get(newName())).toBeUndefined();
    });

    test('an id is used once', async () => {
      const upload = newUpload();
      await ports.uploads.create(upload);

      await expect(ports.uploads.create({ ...upload, key: 'other' })).rejects.toThrow();
      expect(await ports.uploads.get(upload.id)).toEqual(upload);
    });

    test('under a used idempotency key nothing is created', async () => {
      const [first, second] = [newUpload(), newUpload()];
      const replay = newIdempotencyRecord({ headers: {}, body: '' });

      expect(await ports.uploads.create(first, replay)).toBe('created');
      expect(await ports.uploads.create(second, { ...replay, status: 200 })).toBe('replayed');

      expect(await ports.uploads.get(second.id)).toBeUndefined();
      expect(await ports.uploads.getIdempotencyRecord(replay.id, NOW)).toEqual(replay);
    });

    test('one of many racing uses of an idempotency key creates', async () => {
      const replay = newIdempotencyRecord();
      const uploads = Array.from({ length: 8 }, () => newUpload());

      const results = await Promise.all(uploads.map((each) => ports.uploads.create(each, replay)));

      expect(results.filter((result) => result === 'created')).toHaveLength(1);
      const found = await Promise.all(uploads.map(({ id }) => ports.uploads.get(id)));
      expect(found.filter(Boolean)).toHaveLength(1);
    });

    test('an answer without a change is remembered once', async () => {
      const now = Math.floor(ports.clock.now() / 1000);
      const replay = newIdempotencyRecord({ expiresAt: now + 60 });
      expect(await ports.uploads.saveIdempotencyRecord(replay, now)).toBe(true);
      expect(await ports.uploads.saveIdempotencyRecord({ ...replay, status: 500 }, now)).toBe(
        false,
      );
      expect(await ports.uploads.getIdempotencyRecord(replay.id, now)).toEqual(replay);
      expect(
        await ports.uploads.saveIdempotencyRecord({ ...replay, expiresAt: now + 120 }, now + 60),
      ).toBe(true);
    });

    test('an expired replay is not found, and its key may be used again', async () => {
      const now = Math.floor(ports.clock.now() / 1000);
      const replay = newIdempotencyRecord({ expiresAt: now });
      await ports.uploads.create(newUpload(), replay);

      expect(await ports.uploads.getIdempotencyRecord(replay.id, now)).toBeUndefined();
      expect(await ports.uploads.getIdempotencyRecord(replay.id, now - 1)).toEqual(replay);
      const again = { ...replay, expiresAt: now + 60 };
      expect(await ports.uploads.create(newUpload(), again)).toBe('created');
      expect(await ports.uploads.getIdempotencyRecord(replay.id, now)).toEqual(again);
    });

    test('a replay is no upload, and an upload no replay', async () => {
      const upload = newUpload();
      const replay = newIdempotencyRecord();
      await ports.uploads.create(upload, replay);

      expect(await ports.uploads.get(replay.id)).toBeUndefined();
      expect(await ports.uploads.getIdempotencyRecord(upload.id, 0)).toBeUndefined();
    });

    test('renew moves the expiry of a pending upload, and touches nothing else', async () => {
      const [pending, settled, unknown] = [newUpload({ expiresAt: AT }), newUpload(), newUpload()];
      await ports.uploads.create(pending);
      await ports.uploads.create(settled);
      await ports.uploads.refuse(settled.id, 'too late');
      const renewed = { ...pending, expiresAt: LATER, ttl: pending.ttl + 3600 };

      expect(await ports.uploads.renew(renewed)).toBe(true);
      expect(await ports.uploads.renew(settled)).toBe(false);
      expect(await ports.uploads.renew(unknown)).toBe(false);

      expect(await ports.uploads.get(pending.id)).toEqual(renewed);
      expect(await ports.uploads.get(settled.id)).toMatchObject({ state: 'refused' });
      expect(await ports.uploads.get(unknown.id)).toBeUndefined();
    });

    test('refuse settles a pending upload, once', async () => {
      const upload = newUpload();
      await ports.uploads.create(upload);

      await ports.uploads.refuse(upload.id, 'too late');
      await ports.uploads.refuse(upload.id, 'another reason');

      expect(await ports.uploads.get(upload.id)).toEqual({
        ...upload,
        state: 'refused',
        reason: 'too late',
      });
    });

    test('refuse leaves a committed upload alone, and makes none', async () => {
      const upload = newUpload();
      const id = newName('id');
      await ports.uploads.create(upload);
      await ports.commits.commit(change(id, liveObject(), { uploadId: upload.id }));
      const unknown = newName();

      await ports.uploads.refuse(upload.id, 'too late');
      await ports.uploads.refuse(unknown, 'too late');

      expect(await ports.uploads.get(upload.id)).toEqual({ ...upload, state: 'committed' });
      expect(await ports.uploads.get(unknown)).toBeUndefined();
    });

    test('expired finds every pending upload whose time is over, and nothing else', async () => {
      const over = Array.from({ length: 40 }, () => newUpload({ expiresAt: AT }));
      const settled = newUpload({ expiresAt: AT });
      const open = newUpload({ expiresAt: LATER });
      for (const upload of [...over, settled, open]) await ports.uploads.create(upload);
      await ports.uploads.refuse(settled.id, 'too late');
      await ports.uploads.create(newUpload({ expiresAt: LATER }), newIdempotencyRecord());

      const found = await allExpired(LATER);

      expect(found).toEqual(expect.arrayContaining(over.map(({ id }) => id)));
      expect(found).not.toContain(settled.id);
      expect(found).not.toContain(open.id);
    });

    test('expired continues past what one answer of the database can hold', async () => {
      const long = 'x'.repeat(300_000);
      const over = Array.from({ length: 5 }, () => newUpload({ expiresAt: AT, key: long }));
      for (const upload of over) await ports.uploads.create(upload);

      expect(await allExpired(LATER)).toEqual(expect.arrayContaining(over.map(({ id }) => id)));
    });

    async function allExpired(at: string): Promise<string[]> {
      const ids: string[] = [];
      let start: string | undefined;
      do {
        const { uploads, next } = await ports.uploads.expired(at, start);
        ids.push(...uploads.map(({ id }) => id));
        start = next;
      } while (start !== undefined);
      return ids;
    }
  });
}
