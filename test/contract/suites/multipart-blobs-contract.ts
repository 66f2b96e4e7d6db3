import { randomBytes } from 'node:crypto';
import { completion, newBlob, putBlob, readBlob } from '../blob-requests';
import type { BlobSubject } from '../subjects/blob-subjects';

/** A part that is signed for a minute. */
const of = (multipartId: string, number = 1, length = 1) => {
  return { multipartId, number, length, expiresIn: 60 };
};

/**
 * The part of the Blobs contract about multipart uploads. `opened` returns the subject once the
 * suite has opened it.
 */
export function multipartBlobsContract(opened: () => BlobSubject): void {
  describe('a multipart upload', () => {
    let subject: BlobSubject;
    beforeAll(() => {
      subject = opened();
    });

    test('becomes one blob of its parts', async () => {
      const blob = `${newBlob()}/ä 😀`;
      const parts = [randomBytes(5 * 1024 * 1024), Buffer.from('the end')];
      const content = {
        contentType: 'video/x-test',
        headers: { 'cache-control': 'max-age=60', 'content-disposition': 'inline' },
        metadata: { camera: 'x100', empty: '' },
      };
      const id = await subject.blobs.createMultipart(blob, content);

      const etags: string[] = [];
      for (const [index, part] of parts.entries()) {
        const before = subject.now();
        const signed = await subject.blobs.presignPart(blob, of(id, index + 1, part.length));
        expect(Date.parse(signed.expiresAt)).toBeGreaterThan(before + 58_000);
        const response = await subject.send('PUT', signed, part);
        expect(response.status).toBe(200);
        etags.push(response.headers.etag ?? '');
      }
      expect(await subject.blobs.head(blob)).toBeUndefined();
      const complete = await subject.blobs.presignComplete(blob, id, 60);
      expect(complete.headers).toEqual({ 'if-none-match': '*' });
      const done = await subject.send('POST', complete, completion(etags));

      expect(done.status).toBe(200);
      const found = await subject.blobs.head(blob);
      expect(found).toMatchObject({
        size: 5 * 1024 * 1024 + 7,
        ...content,
        etag: expect.stringMatching(/^[0-9a-f]{32}-2$/),
      });
      expect(found?.checksumSha256).toBeUndefined();
      expect((await readBlob(subject.blobs, blob)).equals(Buffer.concat(parts))).toBe(true);
    });

    test('does not replace an existing blob', async () => {
      const blob = newBlob();
      const id = await subject.blobs.createMultipart(blob, {});
      const part = await subject.blobs.presignPart(blob, of(id));
      const { headers } = await subject.send('PUT', part, 'p');
      await putBlob(subject.blobs, blob, Buffer.from('first'));

      const complete = await subject.blobs.presignComplete(blob, id, 60);
      const response = await subject.send('POST', complete, completion([headers.etag ?? '']));

      expect(response.status).toBe(412);
      expect((await readBlob(subject.blobs, blob)).toString()).toBe('first');
    });

    test('takes parts of exactly the signed length', async () => {
      const blob = newBlob();
      const id = await subject.blobs.createMultipart(blob, {});
      const part = await subject.blobs.presignPart(blob, of(id, 1, 4));
      expect(part.headers).toEqual({ 'content-length': '4' });

      for (const body of ['123', '12345', '', 'x'.repeat(1_000_000)]) {
        expect((await subject.send('PUT', part, body)).status).toBe(403);
      }
      expect((await subject.send('PUT', part, '1234')).status).toBe(200);
    });

    test('can be aborted by the client', async () => {
      const blob = newBlob();
      const id = await subject.blobs.createMultipart(blob, {});
      const part = await subject.blobs.presignPart(blob, of(id));
      const abort = await subject.blobs.presignAbort(blob, id, 60);

      expect((await subject.send('PUT', part, 'x')).status).toBe(200);
      expect((await subject.send('DELETE', abort)).status).toBe(204);
      expect((await subject.send('PUT', part, 'x')).status).toBe(404);
    });

    test('can be aborted by the service, repeatedly', async () => {
      const blob = newBlob();
      const id = await subject.blobs.createMultipart(blob, {});
      const part = await subject.blobs.presignPart(blob, of(id));

      await subject.blobs.abortMultipart(blob, id);
      await subject.blobs.abortMultipart(blob, id);

      expect((await subject.send('PUT', part, 'x')).status).toBe(404);
    });

    test('has its own parts when several uploads are signed alternately', async () => {
      const [one, two] = [newBlob(), newBlob()];
      const first = await subject.blobs.createMultipart(one, {});
      const second = await subject.blobs.createMultipart(two, {});

      const signed = [
        await subject.blobs.presignPart(one, of(first)),
        await subject.blobs.presignPart(two, of(second, 10_000)),
        await subject.blobs.presignPart(one, of(first, 2)),
      ];
      const responses = await Promise.all(signed.map((each) => subject.send('PUT', each, 'x')));

      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(signed.map(({ url }) => url)).size).toBe(3);
    });
  });
}
