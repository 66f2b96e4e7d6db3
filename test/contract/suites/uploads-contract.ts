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

const STAGED = {
  size: 1,
  etag: 'abc',
  contentType: 'text/plain',
  headers: { 'cache-control': 'no-store' },
  metadata: { camera: 'x100' },
  isPatched: true,
  checksumSha256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
};

export function uploadsContract(name: string, open: OpenData): void {
  describe(`Uploads: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('get returns an upload as it was created', async () => {
      const bare = newUpload();
      const full = newUpload({
        store: 'content',
        signer: { keyId: 'key-1', generation: 2 },
        ifMatch: 'abc',
        ifNoneMatch: '*',
        size: 5 * 1024 ** 4,
        askedHeaders: ['cache-control', 'content-language'],
        partSize: 5 * 1024 ** 3,
        multipartId: 'multi',
        awaitsCommit: true,
        staged: STAGED,
        reason: 'expired',
        committed: { version: 3, cursor: 9 },
      });

      const none = newUpload({ askedHeaders: [] });

      expect(await ports.uploads.create(bare)).toBe('created');
      expect(await ports.uploads.create(none)).toBe('created');
      expect(await ports.uploads.create(full)).toBe('created');

      expect(await ports.uploads.get(bare.id)).toEqual(bare);
      expect(await ports.uploads.get(none.id)).toEqual(none);
      expect(await ports.uploads.get(full.id)).toEqual(full);
      expect(await ports.uploads.get(newName())).toBeUndefined();
    });

    test('create refuses an id that is in use', async () => {
      const upload = newUpload();
      await ports.uploads.create(upload);

      await expect(ports.uploads.create({ ...upload, key: 'other' })).rejects.toThrow();
      expect(await ports.uploads.get(upload.id)).toEqual(upload);
    });

    test('create refuses a used idempotency key', async () => {
      const [first, second] = [newUpload(), newUpload()];
      const idempotency = newIdempotencyRecord({ headers: {}, body: '' });

      expect(await ports.uploads.create(first, idempotency)).toBe('created');
      expect(await ports.uploads.create(second, { ...idempotency, status: 200 })).toBe('duplicate');

      expect(await ports.uploads.get(second.id)).toBeUndefined();
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(idempotency);
    });

    test('one of many concurrent uses of an idempotency key creates its upload', async () => {
      const idempotency = newIdempotencyRecord();
      const uploads = Array.from({ length: 8 }, () => newUpload());

      const results = await Promise.all(
        uploads.map((each) => ports.uploads.create(each, idempotency)),
      );

      expect(results.filter((result) => result === 'created')).toHaveLength(1);
      const found = await Promise.all(uploads.map(({ id }) => ports.uploads.get(id)));
      expect(found.filter(Boolean)).toHaveLength(1);
    });

    test('an idempotency record without a change is saved once', async () => {
      const now = Math.floor(ports.clock.now() / 1000);
      const idempotency = newIdempotencyRecord({ expiresAt: now + 60 });
      expect(await ports.uploads.saveIdempotencyRecord(idempotency, now)).toBe(true);
      expect(await ports.uploads.saveIdempotencyRecord({ ...idempotency, status: 500 }, now)).toBe(
        false,
      );
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, now)).toEqual(idempotency);
      expect(
        await ports.uploads.saveIdempotencyRecord(
          { ...idempotency, expiresAt: now + 120 },
          now + 60,
        ),
      ).toBe(true);
    });

    test('an expired idempotency record is not found, and its key may be used again', async () => {
      const now = Math.floor(ports.clock.now() / 1000);
      const idempotency = newIdempotencyRecord({ expiresAt: now });
      await ports.uploads.create(newUpload(), idempotency);

      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, now)).toBeUndefined();
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, now - 1)).toEqual(
        idempotency,
      );
      const again = { ...idempotency, expiresAt: now + 60 };
      expect(await ports.uploads.create(newUpload(), again)).toBe('created');
      expect(await ports.uploads.getIdempotencyRecord(idempotency.id, now)).toEqual(again);
    });

    test('an idempotency record is not read as an upload, nor an upload as a record', async () => {
      const upload = newUpload();
      const idempotency = newIdempotencyRecord();
      await ports.uploads.create(upload, idempotency);

      expect(await ports.uploads.get(idempotency.id)).toBeUndefined();
      expect(await ports.uploads.getIdempotencyRecord(upload.id, 0)).toBeUndefined();
    });

    test('renew changes expiry and signer of a pending upload and nothing else', async () => {
      const [pending, settled, unknown] = [newUpload({ expiresAt: AT }), newUpload(), newUpload()];
      await ports.uploads.create(pending);
      await ports.uploads.create(settled);
      await ports.uploads.refuse(settled.id, 'too late');
      const signer = { keyId: 'another', generation: 0 };
      const renewed = { ...pending, signer, expiresAt: LATER, ttl: pending.ttl + 3600 };

      expect(await ports.uploads.renew(renewed)).toBe(true);
      expect(await ports.uploads.renew(settled)).toBe(false);
      expect(await ports.uploads.renew(unknown)).toBe(false);

      expect(await ports.uploads.get(pending.id)).toEqual(renewed);
      expect(await ports.uploads.get(settled.id)).toMatchObject({ state: 'refused' });
      expect(await ports.uploads.get(unknown.id)).toBeUndefined();
    });

    test('refuse settles a pending upload once and keeps its row for 7 days more', async () => {
      const upload = newUpload();
      await ports.uploads.create(upload);
      const before = Math.floor(ports.clock.now() / 1000);

      await ports.uploads.refuse(upload.id, 'too late');
      await ports.uploads.refuse(upload.id, 'another reason');

      expect(await ports.uploads.get(upload.id)).toEqual({
        ...upload,
        state: 'refused',
        reason: 'too late',
        ttl: expect.any(Number),
      });
      const { ttl = 0 } = (await ports.uploads.get(upload.id)) ?? {};
      expect(ttl).toBeGreaterThanOrEqual(before + 7 * 86_400);
      expect(ttl).toBeLessThanOrEqual(Math.floor(ports.clock.now() / 1000) + 7 * 86_400);
    });

    test('stage stages a pending upload once, with its properties in S3 and another expiry', async () => {
      const upload = newUpload({ awaitsCommit: true, expiresAt: AT });
      await ports.uploads.create(upload);

      expect(await ports.uploads.stage(upload.id, STAGED, LATER)).toBe(true);
      expect(await ports.uploads.stage(upload.id, { ...STAGED, size: 2 }, AT)).toBe(false);
      expect(await ports.uploads.stage(newName(), STAGED, LATER)).toBe(false);

      const staged = {
        ...upload,
        state: 'staged',
        staged: STAGED,
        expiresAt: LATER,
        ttl: Math.floor(Date.parse(LATER) / 1000) + 7 * 86_400,
      };
      expect(await ports.uploads.get(upload.id)).toEqual(staged);
      expect(await ports.uploads.renew(upload)).toBe(false);
      expect(await ports.uploads.get(upload.id)).toEqual(staged);
    });

    test('refuse settles a staged upload, which stage does not open again', async () => {
      const upload = newUpload({ awaitsCommit: true });
      await ports.uploads.create(upload);
      await ports.uploads.stage(upload.id, STAGED, LATER);

      expect(await ports.uploads.refuse(upload.id, 'expired')).toBe('refused');
      expect(await ports.uploads.stage(upload.id, STAGED, LATER)).toBe(false);
      expect(await ports.uploads.get(upload.id)).toMatchObject({
        state: 'refused',
        reason: 'expired',
      });
    });

    test('refuse leaves a committed upload unchanged and creates none', async () => {
      const upload = newUpload();
      const id = newName('id');
      await ports.uploads.create(upload);
      await ports.commits.commit(change(id, liveObject(), { uploadId: upload.id }));
      const unknown = newName();

      await ports.uploads.refuse(upload.id, 'too late');
      await ports.uploads.refuse(unknown, 'too late');

      expect(await ports.uploads.get(upload.id)).toMatchObject({ state: 'committed' });
      expect(await ports.uploads.get(unknown)).toBeUndefined();
    });

    test('expired returns the open uploads that have expired, and no others', async () => {
      const staged = newUpload();
      await ports.uploads.create(staged);
      await ports.uploads.stage(staged.id, STAGED, AT);
      const over = Array.from({ length: 40 }, () => newUpload({ expiresAt: AT }));
      const settled = newUpload({ expiresAt: AT });
      const open = newUpload({ expiresAt: LATER });
      for (const upload of [...over, settled, open]) await ports.uploads.create(upload);
      await ports.uploads.refuse(settled.id, 'too late');
      await ports.uploads.create(newUpload({ expiresAt: LATER }), newIdempotencyRecord());

      const found = await allExpired(LATER);

      expect(found).toEqual(expect.arrayContaining([...over, staged].map(({ id }) => id)));
      expect(found).not.toContain(settled.id);
      expect(found).not.toContain(open.id);
    });

    test('expired continues after the 1 MB that one DynamoDB response can hold', async () => {
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
