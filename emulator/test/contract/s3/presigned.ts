import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { failure, outcome } from './failure';
import { presign } from './presign';
import type { Target } from './target';

export function presignedContract(target: () => Target): void {
  it('downloads without credentials, with the signed response headers', async () => {
    const { s3, bucket, key } = target();
    const Key = key('get');
    await s3.putObject({ Bucket: bucket, Key, Body: 'content' });
    const ResponseContentDisposition = `attachment; filename="a b.txt"`;
    const url = await presign(
      target().config,
      new GetObjectCommand({ Bucket: bucket, Key, ResponseContentDisposition }),
    );
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe(ResponseContentDisposition);
    expect(await response.text()).toBe('content');
  });

  it('returns a range of an object', async () => {
    const { s3, bucket, key } = target();
    const Key = key('range');
    await s3.putObject({ Bucket: bucket, Key, Body: '0123456789' });
    const url = await presign(target().config, new GetObjectCommand({ Bucket: bucket, Key }));
    const response = await fetch(url, { headers: { range: 'bytes=2-4' } });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe('234');
  });

  it('allows one upload when If-None-Match: * is signed', async () => {
    const { bucket, key } = target();
    const Key = key('once');
    const url = await presign(
      target().config,
      new PutObjectCommand({ Bucket: bucket, Key, IfNoneMatch: '*' }),
    );
    const put = () => fetch(url, { method: 'PUT', body: 'a', headers: { 'if-none-match': '*' } });
    expect((await put()).status).toBe(200);
    expect(await outcome(await put())).toEqual({ code: 'PreconditionFailed', status: 412 });
  });

  it('uploads parts and completes without credentials', async () => {
    const { s3, bucket, key } = target();
    const Key = key('multipart');
    const bodies = [randomBytes(5 * 1024 * 1024), Buffer.from('the end')];
    // Without checksums, as for clients that compute none.
    const signer = new S3({
      ...target().config,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    const { UploadId } = await signer.createMultipartUpload({ Bucket: bucket, Key });
    signer.destroy();
    const of = { Bucket: bucket, Key, UploadId };
    const etags: string[] = [];
    for (const [index, body] of bodies.entries()) {
      const url = await presign(
        target().config,
        new UploadPartCommand({ ...of, PartNumber: index + 1 }),
      );
      const response = await fetch(url, { method: 'PUT', body });
      expect(response.status).toBe(200);
      etags.push(response.headers.get('etag') ?? '');
    }
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const complete = new CompleteMultipartUploadCommand({ ...of, IfNoneMatch: '*' });
    const headers = { 'if-none-match': '*', 'content-type': 'application/xml' };
    const done = await fetch(await presign(target().config, complete), {
      method: 'POST',
      body,
      headers,
    });
    expect(await done.text()).toContain('<CompleteMultipartUploadResult');
    const head = await s3.headObject({ Bucket: bucket, Key });
    expect(head.ContentLength).toBe(5 * 1024 * 1024 + 7);
  });

  it('aborts a multipart upload without credentials', async () => {
    const { s3, bucket, key } = target();
    const Key = key('abort');
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key });
    const abort = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
    expect((await fetch(await presign(target().config, abort), { method: 'DELETE' })).status).toBe(
      204,
    );
    const again = s3.abortMultipartUpload({ Bucket: bucket, Key, UploadId });
    expect(await failure(again)).toEqual({ code: 'NoSuchUpload', status: 404 });
  });
}
