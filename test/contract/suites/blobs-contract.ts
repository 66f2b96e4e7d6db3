import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { newName } from '../../support/samples';
import type { BlobSubject, OpenBlobs } from '../subjects/blob-subjects';

/** What URLs, XML or forms might mangle on the way. */
const AWKWARD = ['a b', 'a+b', 'a%2Fb', 'ä', 'a\u0308', '😀', '"&<>\'', '?#;=', 'x~!*()'];

export function blobsContract(name: string, open: OpenBlobs): void {
  describe(`Blobs: ${name}`, () => {
    let subject: BlobSubject;
    beforeAll(async () => {
      subject = await open();
    }, 30_000);
    afterAll(() => subject.close());

    test('a blob comes back byte for byte, whole and in ranges', async () => {
      const blob = newBlob();
      const bytes = randomBytes(100_000);

      await put(blob, bytes);

      for (const [start, end] of [
        [0, 0],
        [99_999, 99_999],
        [10, 50_009],
        [0, 99_999],
      ] as const) {
        const part = await read(blob, { start, end });
        expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
      }
      expect((await read(blob)).equals(bytes)).toBe(true);
    });

    test('an empty blob is a blob', async () => {
      const blob = newBlob();

      const { etag } = await put(blob, Buffer.alloc(0));

      expect(etag).toBe('d41d8cd98f00b204e9800998ecf8427e');
      expect(await read(blob)).toHaveLength(0);
      expect(await subject.blobs.head(blob)).toMatchObject({ size: 0, etag });
    });

    test('head answers what was stored with the bytes', async () => {
      const blob = newBlob();
      const bytes = Buffer.from('hello');
      const headers = {
        'cache-control': 'max-age=60',
        'content-disposition': 'attachment; filename="a.txt"',
        'content-encoding': 'gzip',
        'content-language': 'de, en',
      };
      const properties = {
        contentType: 'text/plain; charset=utf-8',
        headers,
        metadata: { colour: 'blue', 'two-words': 'a b' },
        checksumSha256: sha256(bytes),
      };
      const before = subject.now();

      const { etag } = await subject.blobs.put(blob, bytes, properties);

      expect(etag).toBe(createHash('md5').update(bytes).digest('hex'));
      const found = await subject.blobs.head(blob);
      expect(found).toEqual({ ...properties, size: 5, etag, lastModified: expect.any(String) });
      const written = Date.parse(found?.lastModified ?? '');
      expect(written).toBeGreaterThan(before - 2000);
      expect(written).toBeLessThan(subject.now() + 2000);
    });

    test('what does not exist is undefined', async () => {
      const blob = newBlob();

      expect(await subject.blobs.get(blob)).toBeUndefined();
      expect(await subject.blobs.get(blob, { start: 0, end: 1 })).toBeUndefined();
      expect(await subject.blobs.head(blob)).toBeUndefined();
    });

    test('bytes with another checksum than announced are not stored', async () => {
      const blob = newBlob();

      await expect(
        subject.blobs.put(blob, Buffer.from('hello'), properties(Buffer.from('hallo'))),
      ).rejects.toThrow();

      expect(await subject.blobs.head(blob)).toBeUndefined();
    });

    test('a key is written once: the same bytes again succeed, other bytes are refused', async () => {
      const blob = newBlob();
      const first = await put(blob, Buffer.from('first'));

      expect(await put(blob, Buffer.from('first'))).toEqual(first);
      await expect(put(blob, Buffer.from('other'))).rejects.toThrow();

      expect((await read(blob)).toString()).toBe('first');
    });

    test.each(AWKWARD)(
      'the key %j comes back from a list and can be read and removed',
      async (part) => {
        const prefix = `${newBlob()}/`;
        const blob = `${prefix}${part}/end`;
        await put(blob, Buffer.from('x'));

        expect((await list(prefix)).map((item) => item.blob)).toEqual([blob]);
        expect((await read(blob)).toString()).toBe('x');

        await subject.blobs.remove([blob]);
        expect(await list(prefix)).toEqual([]);
      },
    );

    test('remove deletes those blobs; what does not exist is no error', async () => {
      const prefix = `${newBlob()}/`;
      for (const each of ['a', 'b', 'c']) await put(prefix + each, Buffer.from(each));

      await subject.blobs.remove([`${prefix}a`, `${prefix}never`, `${prefix}c`]);
      await subject.blobs.remove([]);

      expect((await list(prefix)).map((item) => item.blob)).toEqual([`${prefix}b`]);
      const tooMany = Array.from({ length: 1001 }, (_, index) => `${prefix}${index}`);
      await expect(subject.blobs.remove(tooMany)).rejects.toThrow(RangeError);
    });

    test('list answers in UTF-8 byte order, after a key, with sizes', async () => {
      const prefix = `${newBlob()}/`;
      const names = ['A', 'a', 'a b', 'b', 'é', '\uFF21', '😀'];
      for (const each of [...names].reverse()) await put(prefix + each, Buffer.from(each));

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
        await Promise.all(names.slice(done, done + 20).map((each) => put(each, Buffer.from('x'))));
      }

      const first = await subject.blobs.list(prefix);
      const second = await subject.blobs.list(prefix, first.items.at(-1)?.blob);

      expect(first.items.map((item) => item.blob)).toEqual(names.slice(0, 1000));
      expect(first.more).toBe(true);
      expect(second.items.map((item) => item.blob)).toEqual(names.slice(1000));
      expect(second.more).toBe(false);
    }, 60_000);

    describe('a presigned GET', () => {
      test('answers the bytes, with the headers that were asked for', async () => {
        const blob = `${newBlob()}/ä + %/😀`;
        await put(blob, Buffer.from('hello'));

        const signed = await subject.blobs.presignGet(blob, {
          expiresIn: 60,
          contentDisposition: "attachment; filename*=UTF-8''%C3%A4.txt",
          cacheControl: 'no-store',
        });
        const answer = await subject.send('GET', signed);

        expect(answer.status).toBe(200);
        expect(answer.body.toString()).toBe('hello');
        expect(answer.headers).toMatchObject({
          'content-disposition': "attachment; filename*=UTF-8''%C3%A4.txt",
          'cache-control': 'no-store',
        });
        expect(signed.headers).toEqual({});
      });

      test('says when it expires, and is refused then', async () => {
        const blob = newBlob();
        await put(blob, Buffer.from('hello'));
        const before = subject.now();

        const signed = await subject.blobs.presignGet(blob, { expiresIn: 1 });

        const expiry = Date.parse(signed.expiresAt);
        expect(expiry).toBeGreaterThan(before - 1);
        expect(expiry).toBeLessThanOrEqual(subject.now() + 1000);
        // At most a little after its expiry by S3's clock: a URL is good for a second or less.
        while (subject.now() < expiry + 1000) await subject.tick();
        expect((await subject.send('GET', signed)).status).toBe(403);
      });
    });

    describe('a presigned PUT', () => {
      test('is good for exactly one upload', async () => {
        const blob = `uploads/${newBlob()}/ä 😀`;
        const signed = await subject.blobs.presignPut(blob, { expiresIn: 60 });
        expect(signed.headers).toEqual({ 'if-none-match': '*' });

        expect((await subject.send('PUT', signed, 'first')).status).toBe(200);
        expect((await subject.send('PUT', signed, 'second')).status).toBe(412);

        expect((await read(blob)).toString()).toBe('first');
      });

      test('fixes type, length and checksum when they are given', async () => {
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

      test('is a PUT of that blob only', async () => {
        const signed = await subject.blobs.presignPut(newBlob(), { expiresIn: 60 });

        expect((await subject.send('GET', { ...signed, headers: {} })).status).toBe(403);
        const elsewhere = { ...signed, url: signed.url.replace(/signed=.|blob-/, '$&x') };
        expect((await subject.send('PUT', elsewhere, 'x')).status).toBe(403);
      });
    });

    describe('a multipart upload', () => {
      test('becomes one blob of its parts', async () => {
        const blob = `${newBlob()}/ä 😀`;
        const parts = [randomBytes(5 * 1024 * 1024), Buffer.from('the end')];
        const id = await subject.blobs.createMultipart(blob, { contentType: 'video/x-test' });

        const etags: string[] = [];
        for (const [index, part] of parts.entries()) {
          const signed = await subject.blobs.presignPart(blob, id, index + 1, 60);
          expect(Date.parse(signed.expiresAt)).toBeGreaterThan(subject.now() + 58_000);
          const answer = await subject.send('PUT', signed, part);
          expect(answer.status).toBe(200);
          etags.push(answer.headers.etag ?? '');
        }
        expect(await subject.blobs.head(blob)).toBeUndefined();
        const complete = await subject.blobs.presignComplete(blob, id, 60);
        expect(complete.headers).toEqual({ 'if-none-match': '*' });
        const done = await subject.send('POST', complete, completion(etags));

        expect(done.status).toBe(200);
        const found = await subject.blobs.head(blob);
        expect(found).toMatchObject({
          size: 5 * 1024 * 1024 + 7,
          contentType: 'video/x-test',
          etag: expect.stringMatching(/^[0-9a-f]{32}-2$/),
        });
        expect(found?.checksumSha256).toBeUndefined();
        expect((await read(blob)).equals(Buffer.concat(parts))).toBe(true);
      }, 30_000);

      test('does not replace a blob that is there', async () => {
        const blob = newBlob();
        const id = await subject.blobs.createMultipart(blob, {});
        const part = await subject.blobs.presignPart(blob, id, 1, 60);
        const { headers } = await subject.send('PUT', part, 'parts');
        await put(blob, Buffer.from('first'));

        const complete = await subject.blobs.presignComplete(blob, id, 60);
        const answer = await subject.send('POST', complete, completion([headers.etag ?? '']));

        expect(answer.status).toBe(412);
        expect((await read(blob)).toString()).toBe('first');
      });

      test('can be aborted by the client', async () => {
        const blob = newBlob();
        const id = await subject.blobs.createMultipart(blob, {});
        const part = await subject.blobs.presignPart(blob, id, 1, 60);
        const abort = await subject.blobs.presignAbort(blob, id, 60);

        expect((await subject.send('PUT', part, 'x')).status).toBe(200);
        expect((await subject.send('DELETE', abort)).status).toBe(204);
        expect((await subject.send('PUT', part, 'x')).status).toBe(404);
      });

      test('can be aborted by us, repeatedly', async () => {
        const blob = newBlob();
        const id = await subject.blobs.createMultipart(blob, {});
        const part = await subject.blobs.presignPart(blob, id, 1, 60);

        await subject.blobs.abortMultipart(blob, id);
        await subject.blobs.abortMultipart(blob, id);

        expect((await subject.send('PUT', part, 'x')).status).toBe(404);
      });

      test('has parts of its own, whatever was signed in between', async () => {
        const [one, two] = [newBlob(), newBlob()];
        const first = await subject.blobs.createMultipart(one, {});
        const second = await subject.blobs.createMultipart(two, {});

        const signed = [
          await subject.blobs.presignPart(one, first, 1, 60),
          await subject.blobs.presignPart(two, second, 10_000, 60),
          await subject.blobs.presignPart(one, first, 2, 60),
        ];
        const answers = await Promise.all(signed.map((each) => subject.send('PUT', each, 'x')));

        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(new Set(signed.map(({ url }) => url)).size).toBe(3);
      });
    });

    function put(blob: string, bytes: Buffer) {
      return subject.blobs.put(blob, bytes, properties(bytes));
    }

    async function read(blob: string, range?: { start: number; end: number }): Promise<Buffer> {
      const body = await subject.blobs.get(blob, range);
      if (body === undefined) throw new Error(`${blob} does not exist`);
      return buffer(body);
    }

    async function list(prefix: string) {
      return (await subject.blobs.list(prefix)).items;
    }
  });
}

function newBlob(): string {
  return newName('objects/photos.id/blob');
}

function properties(bytes: Buffer) {
  return {
    contentType: 'application/octet-stream',
    headers: {},
    metadata: {},
    checksumSha256: sha256(bytes),
  };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** The same request with some headers changed or, undefined, left out. */
function changed(
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  changes: Readonly<Record<string, string | undefined>>,
) {
  const entries = Object.entries({ ...headers, ...changes });
  return {
    url,
    headers: Object.fromEntries(
      entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
  };
}

function completion(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}
