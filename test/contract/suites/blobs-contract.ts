import { createHash, randomBytes } from 'node:crypto';
import { newBlob, properties, putBlob, readBlob, sha256 } from '../blob-requests';
import {
  type BlobSubject,
  checksSignedHeaders,
  hasConditionalCopies,
  type OpenBlobs,
} from '../subjects/blob-subjects';
import { copiedBlobsContract } from './copied-blobs-contract';
import { multipartBlobsContract } from './multipart-blobs-contract';
import { presignedBlobsContract } from './presigned-blobs-contract';

/** Characters that URLs, XML or forms may encode wrongly. */
const AWKWARD = ['a b', 'a+b', 'a%2Fb', 'ä', 'a\u0308', '😀', '"&<>\'', '?#;=', 'x~!*()'];

export function blobsContract(name: string, open: OpenBlobs): void {
  describe(`Blobs: ${name}`, () => {
    let subject: BlobSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test('get returns the bytes of a blob, whole and in ranges', async () => {
      const blob = newBlob();
      const bytes = randomBytes(100_000);

      await putBlob(subject.blobs, blob, bytes);

      for (const [start, end] of [
        [0, 0],
        [99_999, 99_999],
        [10, 50_009],
        [0, 99_999],
      ] as const) {
        const part = await readBlob(subject.blobs, blob, { start, end });
        expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
      }
      expect((await readBlob(subject.blobs, blob)).equals(bytes)).toBe(true);
    });

    test('a blob may be empty', async () => {
      const blob = newBlob();

      const { etag } = await putBlob(subject.blobs, blob, Buffer.alloc(0));

      expect(etag).toBe('d41d8cd98f00b204e9800998ecf8427e');
      expect(await readBlob(subject.blobs, blob)).toHaveLength(0);
      expect(await subject.blobs.head(blob)).toMatchObject({ size: 0, etag });
    });

    test('head returns the properties that were stored with the bytes', async () => {
      const blob = newBlob();
      const bytes = Buffer.from('hello');
      const headers = {
        'cache-control': 'max-age=60',
        'content-disposition': 'attachment; filename="a.txt"',
        'content-encoding': 'gzip',
        'content-language': 'de, en',
      };
      const stored = {
        contentType: 'text/plain; charset=utf-8',
        headers,
        metadata: { colour: 'blue', 'two-words': 'a b', empty: '' },
        checksumSha256: sha256(bytes),
      };
      const before = subject.now();

      const { etag } = await subject.blobs.put(blob, bytes, stored);

      expect(etag).toBe(createHash('md5').update(bytes).digest('hex'));
      const found = await subject.blobs.head(blob);
      expect(found).toEqual({ ...stored, size: 5, etag, lastModified: expect.any(String) });
      const written = Date.parse(found?.lastModified ?? '');
      expect(written).toBeGreaterThan(before - 2000);
      expect(written).toBeLessThan(subject.now() + 2000);
    });

    test('get and head return undefined for a blob that does not exist', async () => {
      const blob = newBlob();

      expect(await subject.blobs.get(blob)).toBeUndefined();
      expect(await subject.blobs.get(blob, { start: 0, end: 1 })).toBeUndefined();
      expect(await subject.blobs.head(blob)).toBeUndefined();
    });

    test('put refuses bytes with another checksum than announced', async () => {
      const blob = newBlob();

      await expect(
        subject.blobs.put(blob, Buffer.from('hello'), properties(Buffer.from('hallo'))),
      ).rejects.toThrow();

      expect(await subject.blobs.head(blob)).toBeUndefined();
    });

    test('put of an existing blob accepts the same bytes and refuses others', async () => {
      const blob = newBlob();
      const first = await putBlob(subject.blobs, blob, Buffer.from('first'));

      expect(await putBlob(subject.blobs, blob, Buffer.from('first'))).toEqual(first);
      await expect(putBlob(subject.blobs, blob, Buffer.from('other'))).rejects.toThrow();

      expect((await readBlob(subject.blobs, blob)).toString()).toBe('first');
    });

    test.each(AWKWARD)(
      'a blob with %j in its name can be listed, read and removed',
      async (part) => {
        const prefix = `${newBlob()}/`;
        const blob = `${prefix}${part}/end`;
        await putBlob(subject.blobs, blob, Buffer.from('x'));

        expect((await list(prefix)).map((item) => item.blob)).toEqual([blob]);
        expect((await readBlob(subject.blobs, blob)).toString()).toBe('x');

        await subject.blobs.remove([blob]);
        expect(await list(prefix)).toEqual([]);
      },
    );

    test('remove deletes the named blobs and ignores missing ones', async () => {
      const prefix = `${newBlob()}/`;
      for (const each of ['a', 'b', 'c'])
        await putBlob(subject.blobs, prefix + each, Buffer.from(each));

      await subject.blobs.remove([`${prefix}a`, `${prefix}never`, `${prefix}c`]);
      await subject.blobs.remove([]);

      expect((await list(prefix)).map((item) => item.blob)).toEqual([`${prefix}b`]);
      const tooMany = Array.from({ length: 1001 }, (_, index) => `${prefix}${index}`);
      await expect(subject.blobs.remove(tooMany)).rejects.toThrow(RangeError);
    });

    test('list returns names in UTF-8 byte order after a name, with sizes', async () => {
      const prefix = `${newBlob()}/`;
      const names = ['A', 'a', 'a b', 'b', 'é', '\uFF21', '😀'];
      for (const each of [...names].reverse())
        await putBlob(subject.blobs, prefix + each, Buffer.from(each));

      const items = await list(prefix);
      expect(items.map((item) => item.blob)).toEqual(names.map((each) => prefix + each));
      expect(items.map((item) => item.size)).toEqual(names.map((each) => Buffer.byteLength(each)));
      const page = await subject.blobs.list(prefix, `${prefix}a b`);
      expect(page.items.map((item) => item.blob)).toEqual(
        ['b', 'é', '\uFF21', '😀'].map((each) => prefix + each),
      );
      expect(page.more).toBe(false);
    });

    test('list continues after 1000 blobs', async () => {
      const prefix = `${newBlob()}/`;
      const names = Array.from({ length: 1003 }, (_, index) => `${prefix}${10_000 + index}`);
      for (let done = 0; done < names.length; done += 20) {
        await Promise.all(
          names
            .slice(done, done + 20)
            .map((each) => putBlob(subject.blobs, each, Buffer.from('x'))),
        );
      }

      const first = await subject.blobs.list(prefix);
      const second = await subject.blobs.list(prefix, first.items.at(-1)?.blob);

      expect(first.items.map((item) => item.blob)).toEqual(names.slice(0, 1000));
      expect(first.more).toBe(true);
      expect(second.items.map((item) => item.blob)).toEqual(names.slice(1000));
      expect(second.more).toBe(false);
    });

    presignedBlobsContract(() => subject, checksSignedHeaders(name));
    multipartBlobsContract(() => subject);
    copiedBlobsContract(() => subject, hasConditionalCopies(name));

    async function list(prefix: string) {
      return (await subject.blobs.list(prefix)).items;
    }
  });
}
