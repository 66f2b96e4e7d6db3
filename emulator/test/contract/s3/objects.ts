import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { failure } from './failure';
import type { Target } from './target';

export function objectContract(target: () => Target): void {
  it('returns an object with its properties', async () => {
    const { s3, bucket, key } = target();
    const Key = key('object');
    const Body = randomBytes(100_000);
    const properties = {
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      ContentDisposition: `attachment; filename="a.png"; filename*=UTF-8''%C3%A4.png`,
      ContentEncoding: 'br',
      ContentLanguage: 'de',
      Metadata: { colour: 'blue', 'two-words': 'a  b' },
    };
    const put = await s3.putObject({ Bucket: bucket, Key, Body, ...properties });
    const head = await s3.headObject({ Bucket: bucket, Key });
    const got = await s3.getObject({ Bucket: bucket, Key });

    const ETag = `"${createHash('md5').update(Body).digest('hex')}"`;
    expect(put.ETag).toBe(ETag);
    expect(head).toMatchObject({ ...properties, ETag, ContentLength: Body.length });
    expect(got).toMatchObject({ ...properties, ETag, AcceptRanges: 'bytes' });
    expect(Math.abs((got.LastModified?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  });

  it('stores an empty object', async () => {
    const { s3, bucket, key } = target();
    const Key = key('empty');
    await s3.putObject({ Bucket: bucket, Key, Body: Buffer.alloc(0) });
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(got.ContentLength).toBe(0);
    expect(await got.Body?.transformToString()).toBe('');
  });

  it('replaces bytes and properties together', async () => {
    const { s3, bucket, key } = target();
    const Key = key('replaced');
    const Metadata = { only: 'first' };
    await s3.putObject({ Bucket: bucket, Key, Body: 'first', Metadata });
    await s3.putObject({ Bucket: bucket, Key, Body: 'the second' });
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(await got.Body?.transformToString()).toBe('the second');
    expect(got.Metadata).toEqual({});
  });

  it('stores the content of a streamed upload, not its framing', async () => {
    const { s3, bucket, key } = target();
    const Key = key('streamed');
    const pieces = Array.from({ length: 40 }, () => randomBytes(10_000));
    const Body = Readable.from(pieces, { objectMode: false });
    const whole = Buffer.concat(pieces);
    // The SDK sends a stream of unknown length as aws-chunked, with a checksum in the trailer.
    const ContentLength = whole.length;
    await s3.putObject({ Bucket: bucket, Key, Body, ContentLength });
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(whole.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  });

  it('accepts a body that the client sends after 100 (Continue)', async () => {
    const { s3, bucket, key } = target();
    const Key = key('large');
    const Body = randomBytes(8 * 1024 * 1024);
    await s3.putObject({ Bucket: bucket, Key, Body });
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    ['bytes=0-0', 'bytes 0-0/10', '0'],
    ['bytes=2-4', 'bytes 2-4/10', '234'],
    ['bytes=7-', 'bytes 7-9/10', '789'],
    ['bytes=-3', 'bytes 7-9/10', '789'],
    ['bytes=-99', 'bytes 0-9/10', '0123456789'],
    ['bytes=5-99', 'bytes 5-9/10', '56789'],
  ])('returns the range %s', async (Range, contentRange, content) => {
    const { s3, bucket, key } = target();
    const Key = key('range');
    await s3.putObject({ Bucket: bucket, Key, Body: '0123456789' });
    const got = await s3.getObject({ Bucket: bucket, Key, Range });
    expect(got.$metadata.httpStatusCode).toBe(206);
    expect(got.ContentRange).toBe(contentRange);
    expect(await got.Body?.transformToString()).toBe(content);
  });

  it('returns InvalidRange for a range after the end of the object', async () => {
    const { s3, bucket, key } = target();
    const Key = key('range');
    await s3.putObject({ Bucket: bucket, Key, Body: '0123456789' });
    const get = s3.getObject({ Bucket: bucket, Key, Range: 'bytes=10-' });
    expect(await failure(get)).toEqual({ code: 'InvalidRange', status: 416 });
  });

  it('returns NoSuchKey, and 404 for HEAD, for a key that does not exist', async () => {
    const { s3, bucket, key } = target();
    const Key = key('missing');
    const get = s3.getObject({ Bucket: bucket, Key });
    expect(await failure(get)).toEqual({ code: 'NoSuchKey', status: 404 });
    const head = s3.headObject({ Bucket: bucket, Key });
    expect(await failure(head)).toEqual({ code: 'NotFound', status: 404 });
  });

  it('returns NoSuchBucket for a bucket that does not exist', async () => {
    const { s3 } = target();
    const Bucket = 'no-such-bucket-4711';
    const get = s3.getObject({ Bucket, Key: 'a' });
    expect(await failure(get)).toEqual({ code: 'NoSuchBucket', status: 404 });
    const put = s3.putObject({ Bucket, Key: 'a', Body: 'a' });
    expect(await failure(put)).toEqual({ code: 'NoSuchBucket', status: 404 });
    const head = s3.headBucket({ Bucket });
    expect((await failure(head)).status).toBe(404);
  });

  it('returns 200 to HEAD for its bucket', async () => {
    const { s3, bucket } = target();
    const head = await s3.headBucket({ Bucket: bucket });
    expect(head.$metadata.httpStatusCode).toBe(200);
  });

  it('deletes an object, and succeeds for one that does not exist', async () => {
    const { s3, bucket, key } = target();
    const Key = key('deleted');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    for (const _ of ['there', 'gone']) {
      const deleted = await s3.deleteObject({ Bucket: bucket, Key });
      expect(deleted.$metadata.httpStatusCode).toBe(204);
    }
    const head = s3.headObject({ Bucket: bucket, Key });
    expect((await failure(head)).status).toBe(404);
  });

  it('deletes many keys in one call, even keys that do not exist', async () => {
    const { s3, bucket, key } = target();
    const keys = [key('a'), key('b & <c>'), key('missing')];
    for (const Key of keys.slice(0, 2)) {
      await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    }
    const Delete = { Objects: keys.map((Key) => ({ Key })) };
    const response = await s3.deleteObjects({ Bucket: bucket, Delete });
    expect(response.Deleted?.map(({ Key }) => Key).sort()).toEqual([...keys].sort());
    expect(response.Errors ?? []).toEqual([]);
    for (const Key of keys) {
      const head = s3.headObject({ Bucket: bucket, Key });
      expect((await failure(head)).status).toBe(404);
    }
  });
}
