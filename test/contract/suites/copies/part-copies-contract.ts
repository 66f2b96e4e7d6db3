import { randomBytes } from 'node:crypto';
import type { PartsOf } from '../../../../core/store/copies';
import type { CopySource } from '../../../../core/store/uploads';
import { newBlob, putBlob, readBlob } from '../../blob-requests';
import type { BlobSubject, OpenBlobs } from '../../subjects/blob-subjects';

/** What S3 requires of all parts but the last; a source of parts must be larger. */
const PART = 5 * 1024 * 1024;
const BYTES = randomBytes(PART + 7);

const CONTENT = {
  contentType: 'video/x-test',
  headers: { 'cache-control': 'max-age=60' },
  metadata: { camera: 'x100' },
};

export function partCopiesContract(name: string, open: OpenBlobs): void {
  describe(`PartCopies: ${name}`, () => {
    let subject: BlobSubject;
    let source: CopySource;
    beforeAll(async () => {
      subject = await open();
      source = await stored(`${newBlob()}/a b+c%/ä😀`);
    });
    afterAll(() => subject.close());

    const begin = async (blob = newBlob()) => {
      const multipartId = await subject.blobs.createMultipart(blob, CONTENT);
      return { blob, multipartId };
    };
    const stored = async (blob: string): Promise<CopySource> => {
      const { etag } = await putBlob(subject.blobs, blob, BYTES);
      return { blob, etag, size: BYTES.length };
    };
    const copy = (...parameters: Parameters<BlobSubject['partCopies']['copy']>) =>
      subject.partCopies.copy(...parameters);
    /** As the first part. */
    const copyOne = async (upload: PartsOf) =>
      (await copy(upload, source, { number: 1, start: 0, end: 4 })) ?? '';

    test('the parts of a source become a blob with the properties of the upload', async () => {
      const upload = await begin(`${newBlob()}/ö%+ "`);

      const last = await copy(upload, source, { number: 2, start: PART, end: PART + 6 });
      const first = await copy(upload, source, { number: 1, start: 0, end: PART - 1 });
      expect(await subject.blobs.head(upload.blob)).toBeUndefined();
      await subject.partCopies.complete(upload, [first ?? '', last ?? '']);

      expect((await readBlob(subject.blobs, upload.blob)).equals(BYTES)).toBe(true);
      const found = await subject.blobs.head(upload.blob);
      expect(found).toMatchObject({
        ...CONTENT,
        size: PART + 7,
        etag: expect.stringMatching(/^[0-9a-f]{32}-2$/),
      });
    });

    test('list returns the etags of the parts that were copied, by number', async () => {
      const upload = await begin();
      expect(await subject.partCopies.list(upload)).toEqual(new Map());

      const third = await copy(upload, source, { number: 3, start: 5, end: 9 });
      const first = await copy(upload, source, { number: 1, start: 0, end: 3 });
      const again = await copy(upload, source, { number: 1, start: 0, end: 3 });

      expect(again).toBe(first);
      const listed = [...((await subject.partCopies.list(upload)) ?? [])];
      expect(listed).toEqual([
        [1, first],
        [3, third],
      ]);
    });

    test('list returns more parts than S3 lists at once', async () => {
      const upload = await begin();
      const numbers = Array.from({ length: 1001 }, (_, index) => index + 1);

      for (let done = 0; done < numbers.length; done += 20) {
        const some = numbers.slice(done, done + 20);
        await Promise.all(some.map((number) => copy(upload, source, { number, start: 0, end: 0 })));
      }

      const listed = (await subject.partCopies.list(upload)) ?? new Map();
      expect([...listed.keys()]).toEqual(numbers);
    });

    test('list returns undefined after the upload has ended', async () => {
      const completed = await begin();
      await subject.partCopies.complete(completed, [await copyOne(completed)]);
      const aborted = await begin();
      await subject.blobs.abortMultipart(aborted.blob, aborted.multipartId);

      expect(await subject.partCopies.list(completed)).toBeUndefined();
      expect(await subject.partCopies.list(aborted)).toBeUndefined();
    });

    test('copy returns undefined for a source that is missing or has another etag', async () => {
      const upload = await begin();
      const part = { number: 1, start: 0, end: 4 };

      const other = { ...source, etag: '00000000000000000000000000000000' };
      expect(await copy(upload, other, part)).toBeUndefined();
      expect(await copy(upload, { ...source, blob: newBlob() }, part)).toBeUndefined();

      expect(await subject.partCopies.list(upload)).toEqual(new Map());
    });

    test('copy fails for an upload that was aborted', async () => {
      const upload = await begin();
      await subject.blobs.abortMultipart(upload.blob, upload.multipartId);

      await expect(copyOne(upload)).rejects.toThrow();
    });

    test('complete changes nothing when it is repeated, or the upload was aborted', async () => {
      const upload = await begin();
      const etags = [await copyOne(upload)];
      await subject.partCopies.complete(upload, etags);
      const first = await subject.blobs.head(upload.blob);
      await subject.partCopies.complete(upload, etags);
      expect(await subject.blobs.head(upload.blob)).toEqual(first);

      const aborted = await begin();
      const copied = [await copyOne(aborted)];
      await subject.blobs.abortMultipart(aborted.blob, aborted.multipartId);
      await subject.partCopies.complete(aborted, copied);
      expect(await subject.blobs.head(aborted.blob)).toBeUndefined();
    });

    test('complete does not replace a blob', async () => {
      const upload = await begin();
      const etags = [await copyOne(upload)];
      await putBlob(subject.blobs, upload.blob, Buffer.from('first'));

      await subject.partCopies.complete(upload, etags);

      expect((await readBlob(subject.blobs, upload.blob)).toString()).toBe('first');
    });

    test('complete fails for an etag that no part has', async () => {
      const upload = await begin();
      await copyOne(upload);

      const other = ['00000000000000000000000000000000'];
      await expect(subject.partCopies.complete(upload, other)).rejects.toThrow();

      expect(await subject.blobs.head(upload.blob)).toBeUndefined();
    });
  });
}
