import { Readable } from 'node:stream';
import { type CompletedPart, PutObjectCommand, S3 } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { failure } from './failure';
import { presign } from './presign';
import type { Target } from './target';

/** Limits and details of AWS that lenient servers do not check. */
export function strictContract(target: () => Target): void {
  it('refuses a key of more than 1,024 bytes and accepts one of 1,024', async () => {
    const { s3, bucket } = target();
    const Key = 'kkkkkkkkkkkkkkk/'.repeat(64).replace(/.$/, 'k');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    await s3.deleteObject({ Bucket: bucket, Key });
    const long = s3.putObject({ Bucket: bucket, Key: `${Key}k`, Body: 'a' });
    expect(await failure(long)).toEqual({ code: 'KeyTooLongError', status: 400 });
  });

  it('refuses more than 2 KB of metadata', async () => {
    const { s3, bucket, key } = target();
    const Metadata = { a: 'x'.repeat(2048) };
    const put = s3.putObject({ Bucket: bucket, Key: key('meta'), Body: 'a', Metadata });
    expect(await failure(put)).toEqual({ code: 'MetadataTooLarge', status: 400 });
  });

  it('does not list deleted keys in quiet mode', async () => {
    const { s3, bucket, key } = target();
    const Delete = { Objects: [{ Key: key('a') }], Quiet: true };
    const response = await s3.deleteObjects({ Bucket: bucket, Delete });
    expect(response.Deleted ?? []).toEqual([]);
  });

  it('refuses a continuation token that it did not return', async () => {
    const { s3, bucket } = target();
    const list = s3.listObjectsV2({ Bucket: bucket, ContinuationToken: '*' });
    expect(await failure(list)).toEqual({ code: 'InvalidArgument', status: 400 });
  });

  it('returns NoSuchUpload for the parts of an aborted upload', async () => {
    const { s3, bucket, key } = target();
    const Key = key('aborted');
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key });
    const upload = { Bucket: bucket, Key, UploadId };
    await s3.abortMultipartUpload(upload);
    const list = s3.listParts(upload);
    expect(await failure(list)).toEqual({ code: 'NoSuchUpload', status: 404 });
  });

  it('stores the metadata of a presigned URL', async () => {
    const { s3, bucket, config, key } = target();
    const Key = key('metadata');
    const Metadata = { colour: 'blue' };
    const url = await presign(config, new PutObjectCommand({ Bucket: bucket, Key, Metadata }));
    expect((await fetch(url, { method: 'PUT', body: 'a' })).status).toBe(200);
    const head = await s3.headObject({ Bucket: bucket, Key });
    expect(head.Metadata).toEqual(Metadata);
  });

  it('does not store the framing of a streamed upload as a content encoding', async () => {
    const { s3, bucket, key } = target();
    const Key = key('streamed');
    const Body = Readable.from([Buffer.alloc(10_000)], { objectMode: false });
    const ContentLength = 10_000;
    await s3.putObject({ Bucket: bucket, Key, Body, ContentLength });
    const head = await s3.headObject({ Bucket: bucket, Key });
    expect(head.ContentEncoding).toBeUndefined();
  });

  it('encodes the names in a list when encoding-type is url', async () => {
    const { s3, bucket, key } = target();
    const Key = key('a b+c/ä');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const list = { Bucket: bucket, Prefix: Key, EncodingType: 'url' } as const;
    const page = await s3.listObjectsV2(list);
    expect(page.EncodingType).toBe('url');
    const shown = page.Contents?.[0]?.Key ?? '';
    expect(decodeURIComponent(shown.replaceAll('+', ' '))).toBe(Key);
    expect(shown).toContain('%C3%A4');
  });

  it('refuses parts that are too small, unknown, or out of order', async () => {
    const { s3, bucket, key } = target();
    const Key = key('refused');
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key });
    const upload = { Bucket: bucket, Key, UploadId };
    const send = async (PartNumber: number, Body: Buffer): Promise<CompletedPart> => {
      const { ETag } = await s3.uploadPart({ ...upload, PartNumber, Body });
      return { PartNumber, ETag };
    };
    const complete = async (...Parts: CompletedPart[]) =>
      s3.completeMultipartUpload({ ...upload, MultipartUpload: { Parts } });
    const one = await send(1, Buffer.from('one'));
    const two = await send(2, Buffer.alloc(5 * 1024 * 1024));
    expect((await failure(complete(one, two))).code).toBe('EntityTooSmall');
    expect((await failure(complete(two, one))).code).toBe('InvalidPartOrder');
    const other = { ...one, ETag: '"d41d8cd98f00b204e9800998ecf8427e"' };
    expect((await failure(complete(other))).code).toBe('InvalidPart');
    await complete(one);
  });

  it('returns 304 for If-Modified-Since with the Last-Modified that it returned', async () => {
    const { s3, bucket, key } = target();
    const Key = key('since');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const { LastModified } = await s3.headObject({ Bucket: bucket, Key });
    const get = { Bucket: bucket, Key, IfModifiedSince: LastModified };
    expect((await failure(s3.getObject(get))).status).toBe(304);
  });

  it('refuses parts and the completion of an upload that has ended', async () => {
    const { s3, bucket, key } = target();
    const Key = key('ended');
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key });
    const upload = { Bucket: bucket, Key, UploadId };
    await s3.abortMultipartUpload(upload);
    const noSuchUpload = { code: 'NoSuchUpload', status: 404 };
    const part = s3.uploadPart({ ...upload, PartNumber: 1, Body: 'late' });
    expect(await failure(part)).toEqual(noSuchUpload);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: '"a"' }] };
    const complete = s3.completeMultipartUpload({ ...upload, MultipartUpload });
    expect(await failure(complete)).toEqual(noSuchUpload);
  });

  it('refuses an unknown access key', async () => {
    const { bucket, config, key } = target();
    const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'unknown' };
    const client = new S3({ ...config, credentials, maxAttempts: 1 });
    const get = client.getObject({ Bucket: bucket, Key: key('a') });
    expect(await failure(get)).toEqual({ code: 'InvalidAccessKeyId', status: 403 });
    client.destroy();
  });
}
