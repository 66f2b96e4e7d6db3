import { randomBytes } from 'node:crypto';
import { newBlob, properties, putBlob, readBlob } from '../blob-requests';
import type { BlobSubject } from '../subjects/blob-subjects';

const CONTENT = {
  contentType: 'text/x-copy',
  headers: { 'cache-control': 'no-store' },
  metadata: { shape: 'round' },
};

/**
 * The part of the Blobs contract about copies. `opened` returns the subject of the suite.
 * `isConditional`: the server knows If-None-Match of CopyObject.
 */
export function copiedBlobsContract(opened: () => BlobSubject, isConditional: boolean): void {
  describe('a copy', () => {
    let subject: BlobSubject;
    beforeAll(() => {
      subject = opened();
    });

    const stored = async (blob: string, bytes: Buffer) => {
      const { etag } = await subject.blobs.put(blob, bytes, {
        ...properties(bytes),
        metadata: { colour: 'blue' },
      });
      return { blob, etag, size: bytes.length };
    };

    test.each([
      ['of a few bytes', 10],
      ['of many bytes', 300_000],
      ['of none', 0],
    ])('%s has the same bytes and checksum, and its own properties', async (_, size) => {
      const bytes = randomBytes(size);
      const source = await stored(`${newBlob()}/a b+c%/ä😀`, bytes);
      const blob = `${newBlob()}/ö%+ "`;
      const copied = await subject.blobs.copy(source, blob, CONTENT);
      expect(copied).toEqual({ etag: source.etag });
      expect((await readBlob(subject.blobs, blob)).equals(bytes)).toBe(true);
      const { checksumSha256 } = properties(bytes);
      const expected = { ...CONTENT, size, checksumSha256, etag: source.etag };
      expect(await subject.blobs.head(blob)).toMatchObject(expected);
      expect((await subject.blobs.head(blob))?.metadata).toEqual(CONTENT.metadata);
    });

    test('outlives its source', async () => {
      const source = await stored(newBlob(), Buffer.from('bytes'));
      const blob = newBlob();
      await subject.blobs.copy(source, blob, CONTENT);
      await subject.blobs.remove([source.blob]);
      expect((await readBlob(subject.blobs, blob)).toString()).toBe('bytes');
    });

    test('is not made of a blob that is missing or has another etag', async () => {
      const source = await stored(newBlob(), Buffer.from('bytes'));
      const blob = newBlob();
      const other = { ...source, etag: '00000000000000000000000000000000' };
      expect(await subject.blobs.copy(other, blob, CONTENT)).toBeUndefined();
      const missing = { ...source, blob: newBlob() };
      expect(await subject.blobs.copy(missing, blob, CONTENT)).toBeUndefined();
      expect(await subject.blobs.head(blob)).toBeUndefined();
    });

    if (!isConditional) return;

    test('does not replace a blob of another size', async () => {
      const source = await stored(newBlob(), Buffer.from('bytes'));
      const blob = newBlob();
      await putBlob(subject.blobs, blob, Buffer.from('first'.repeat(2)));
      await expect(subject.blobs.copy(source, blob, CONTENT)).rejects.toThrow();
      expect((await readBlob(subject.blobs, blob)).toString()).toBe('firstfirst');
    });
  });
}
