import { createHash, randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import type { Target } from '../s3-contract';
import { answer, failure } from './failure';
import { HARD_KEYS } from './objects';
import { presign } from './presign';

export function presignedContract(target: () => Target): void {
  it('downloads without credentials, with the answer that was signed', async () => {
    const { s3, bucket, key } = target();
    const Key = key('get');
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'content' }));
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

  it.each(HARD_KEYS.filter((key) => !key.includes('/./')))(
    'uploads and downloads the key %j',
    async (hard) => {
      const { bucket, key } = target();
      const Key = key(hard);
      const put = await presign(target().config, new PutObjectCommand({ Bucket: bucket, Key }));
      expect((await fetch(put, { method: 'PUT', body: hard })).status).toBe(200);
      const get = await presign(target().config, new GetObjectCommand({ Bucket: bucket, Key }));
      expect(await (await fetch(get)).text()).toBe(hard);
    },
  );

  it('answers a range of what is downloaded', async () => {
    const { s3, bucket, key } = target();
    const Key = key('range');
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: '0123456789' }));
    const url = await presign(target().config, new GetObjectCommand({ Bucket: bucket, Key }));
    const response = await fetch(url, { headers: { range: 'bytes=2-4' } });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe('234');
  });

  it('is good for one upload when If-None-Match: * is signed', async () => {
    const { bucket, key } = target();
    const Key = key('once');
    const url = await presign(
      target().config,
      new PutObjectCommand({ Bucket: bucket, Key, IfNoneMatch: '*' }),
    );
    const put = () => fetch(url, { method: 'PUT', body: 'a', headers: { 'if-none-match': '*' } });
    expect((await put()).status).toBe(200);
    expect(await answer(await put())).toEqual({ code: 'PreconditionFailed', status: 412 });
  });

  it('keeps the metadata that was signed', async () => {
    const { s3, bucket, key } = target();
    const Key = key('metadata');
    const Metadata = { colour: 'blue' };
    const url = await presign(
      target().config,
      new PutObjectCommand({ Bucket: bucket, Key, Metadata }),
    );
    expect((await fetch(url, { method: 'PUT', body: 'a' })).status).toBe(200);
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key }));
    expect(head.Metadata).toEqual(Metadata);
  });

  it('refuses a body that is not what the signed SHA-256 says', async () => {
    const { bucket, key } = target();
    const Key = key('sha256');
    const ChecksumSHA256 = createHash('sha256').update('right').digest('base64');
    const name = 'x-amz-checksum-sha256';
    const url = await presign(
      target().config,
      new PutObjectCommand({ Bucket: bucket, Key, ChecksumSHA256 }),
      {
        unhoistableHeaders: new Set([name]),
      },
    );
    const headers = { [name]: ChecksumSHA256 };
    const wrong = await fetch(url, { method: 'PUT', body: 'wrong', headers });
    expect(await answer(wrong)).toEqual({ code: 'BadDigest', status: 400 });
    expect((await fetch(url, { method: 'PUT', body: 'right', headers })).status).toBe(200);
  });

  it('uploads parts and completes without credentials', async () => {
    const { s3, bucket, key } = target();
    const Key = key('multipart');
    const bodies = [randomBytes(5 * 1024 * 1024), Buffer.from('the end')];
    // As the service does it: parts of clients that compute no checksums.
    const signer = new S3Client({
      ...target().config,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    const { UploadId } = await signer.send(
      new CreateMultipartUploadCommand({ Bucket: bucket, Key }),
    );
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
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key }));
    expect(head.ContentLength).toBe(5 * 1024 * 1024 + 7);
  });

  it('aborts a multipart upload without credentials', async () => {
    const { s3, bucket, key } = target();
    const Key = key('abort');
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
    const abort = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
    expect((await fetch(await presign(target().config, abort), { method: 'DELETE' })).status).toBe(
      204,
    );
    const again = s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
    expect(await failure(again)).toEqual({ code: 'NoSuchUpload', status: 404 });
  });
}
