import { changed, newBlob, putBlob, readBlob, sha256 } from '../blob-requests';
import type { BlobSubject } from '../subjects/blob-subjects';

const X = Buffer.from('x');

/**
 * The part of the Blobs contract about presigned GET and PUT. `opened` returns the subject once the
 * suite has opened it. `checksHeaders`: the server refuses `x-amz-*` headers that are not signed.
 */
export function presignedBlobsContract(opened: () => BlobSubject, checksHeaders: boolean): void {
  let subject: BlobSubject;
  beforeAll(() => {
    subject = opened();
  });

  describe('a presigned GET', () => {
    test('serves the bytes with the requested headers', async () => {
      const blob = `${newBlob()}/ä + %/😀`;
      await putBlob(subject.blobs, blob, Buffer.from('hello'));

      const signed = await subject.blobs.presignGet(blob, {
        expiresIn: 60,
        contentDisposition: "attachment; filename*=UTF-8''%C3%A4.txt",
        cacheControl: 'no-store',
      });
      const response = await subject.send('GET', signed);

      expect(response.status).toBe(200);
      expect(response.body.toString()).toBe('hello');
      expect(response.headers).toMatchObject({
        'content-disposition': "attachment; filename*=UTF-8''%C3%A4.txt",
        'cache-control': 'no-store',
      });
      expect(signed.headers).toEqual({});
    });

    test('serves other content headers than those that are stored', async () => {
      const blob = newBlob();
      const signedPut = await subject.blobs.presignPut(blob, { expiresIn: 60 });
      const stored = {
        'content-type': 'text/html',
        'cache-control': 'public, max-age=60',
        'content-disposition': 'attachment; filename="a.exe"',
        'content-encoding': 'gzip',
        'content-language': 'de',
      };
      expect((await subject.send('PUT', changed(signedPut, stored), 'hello')).status).toBe(200);

      const signed = await subject.blobs.presignGet(blob, {
        expiresIn: 60,
        contentType: 'image/png',
        cacheControl: 'private, no-cache',
        contentDisposition: 'inline',
        contentEncoding: 'identity',
        contentLanguage: 'und',
      });
      const response = await subject.send('GET', signed);

      expect(response.body.toString()).toBe('hello');
      expect(response.headers).toMatchObject({
        'content-type': 'image/png',
        'cache-control': 'private, no-cache',
        'content-disposition': 'inline',
        'content-encoding': 'identity',
        'content-language': 'und',
      });
    });

    test('states when it expires and is refused from then on', async () => {
      const blob = newBlob();
      await putBlob(subject.blobs, blob, Buffer.from('hello'));
      const before = subject.now();

      const signed = await subject.blobs.presignGet(blob, { expiresIn: 1 });

      const expiry = Date.parse(signed.expiresAt);
      expect(expiry).toBeGreaterThan(before - 1);
      expect(expiry).toBeLessThanOrEqual(subject.now() + 1000);
      // S3's clock counts whole seconds.
      while (subject.now() < expiry + 1000) await subject.tick();
      expect((await subject.send('GET', signed)).status).toBe(403);
    });
  });

  describe('a presigned PUT', () => {
    test('accepts exactly one upload', async () => {
      const blob = `uploads/${newBlob()}/ä 😀`;
      const signed = await subject.blobs.presignPut(blob, { expiresIn: 60 });
      expect(signed.headers).toEqual({ 'if-none-match': '*' });

      expect((await subject.send('PUT', signed, 'first')).status).toBe(200);
      expect((await subject.send('PUT', signed, 'second')).status).toBe(412);

      expect((await readBlob(subject.blobs, blob)).toString()).toBe('first');
    });

    test('requires the given type, length and checksum', async () => {
      const blob = newBlob();
      const body = 'hello';
      const signed = await subject.blobs.presignPut(blob, {
        expiresIn: 60,
        contentType: 'text/x-special',
        contentLength: 5,
        checksumSha256: sha256(Buffer.from(body)),
      });
      expect(signed.headers).toEqual({
        'if-none-match': '*',
        'content-type': 'text/x-special',
        'content-length': '5',
        'x-amz-checksum-sha256': sha256(Buffer.from(body)),
      });
      const other = { 'x-amz-checksum-sha256': sha256(Buffer.from('other')) };

      const wrong = [
        await subject.send('PUT', signed, 'hello!'),
        await subject.send('PUT', changed(signed, { 'content-type': 'text/html' }), body),
        await subject.send('PUT', changed(signed, other), body),
        await subject.send('PUT', changed(signed, { 'x-amz-checksum-sha256': undefined }), body),
        await subject.send('PUT', changed(signed, { 'if-none-match': undefined }), body),
        await subject.send('PUT', changed(signed, { 'if-none-match': '"x"' }), body),
      ];
      expect(wrong.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
      expect((await subject.send('PUT', signed, 'hallo')).status).toBe(400);
      expect(await subject.blobs.head(blob)).toBeUndefined();

      expect((await subject.send('PUT', signed, body)).status).toBe(200);
      expect(await subject.blobs.head(blob)).toMatchObject({
        size: 5,
        contentType: 'text/x-special',
        checksumSha256: sha256(Buffer.from(body)),
      });
    });

    test('requires the given headers and metadata, and stores them with the bytes', async () => {
      const blob = newBlob();
      const headers = { 'cache-control': 'max-age=60', 'content-language': 'de' };
      const metadata = { camera: 'x 100', empty: '' };
      const signed = await subject.blobs.presignPut(blob, { expiresIn: 60, headers, metadata });
      expect(signed.headers).toEqual({
        'if-none-match': '*',
        ...headers,
        'x-amz-meta-camera': 'x 100',
        'x-amz-meta-empty': '',
      });

      const wrong = [
        await subject.send('PUT', changed(signed, { 'cache-control': 'no-store' }), 'x'),
        await subject.send('PUT', changed(signed, { 'x-amz-meta-camera': undefined }), 'x'),
      ];
      expect(wrong.map(({ status }) => status)).toEqual([403, 403]);
      expect((await subject.send('PUT', signed, 'x')).status).toBe(200);
      expect(await subject.blobs.head(blob)).toMatchObject({ headers, metadata });
    });

    const unsigned = checksHeaders ? test : test.failing;
    unsigned('refuses metadata and a checksum that were not signed', async () => {
      const blob = newBlob();
      const signed = await subject.blobs.presignPut(blob, { expiresIn: 60 });
      const more = [{ 'x-amz-meta-camera': 'x100' }, { 'x-amz-checksum-sha256': sha256(X) }];

      for (const header of more) {
        expect((await subject.send('PUT', changed(signed, header), X)).status).toBe(403);
      }
      expect(await subject.blobs.head(blob)).toBeUndefined();
    });

    test('allows a PUT of that blob only', async () => {
      const signed = await subject.blobs.presignPut(newBlob(), { expiresIn: 60 });

      expect((await subject.send('GET', { ...signed, headers: {} })).status).toBe(403);
      const elsewhere = { ...signed, url: signed.url.replace(/signed=.|blob-/, '$&x') };
      expect((await subject.send('PUT', elsewhere, 'x')).status).toBe(403);
    });
  });
}
