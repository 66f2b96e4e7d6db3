import { GetObjectCommand, PutObjectCommand, S3 } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { failure, outcome } from './failure';
import { presign } from './presign';
import type { Target } from './target';

const HOUR = 60 * 60 * 1000;

/** Needs a server that verifies signatures. */
export function authenticationContract(target: () => Target): void {
  it('refuses a wrong secret', async () => {
    const { s3, bucket, config, key } = target();
    const { accessKeyId } = await s3.config.credentials();
    const credentials = { accessKeyId, secretAccessKey: 'wrong' };
    const client = new S3({ ...config, credentials, maxAttempts: 1 });
    const get = client.getObject({ Bucket: bucket, Key: key('a') });
    expect(await failure(get)).toEqual({ code: 'SignatureDoesNotMatch', status: 403 });
    client.destroy();
  });

  it('refuses a request without a signature', async () => {
    const { s3, bucket, key } = target();
    const Key = key('anonymous');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const url = new URL(
      await presign(target().config, new GetObjectCommand({ Bucket: bucket, Key })),
    );
    url.search = '';
    expect(await outcome(await fetch(url))).toEqual({ code: 'AccessDenied', status: 403 });
  });

  it('refuses a presigned URL with any part changed', async () => {
    const { s3, bucket, key } = target();
    const Key = key('tampered');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const url = await presign(target().config, new GetObjectCommand({ Bucket: bucket, Key }));
    const mismatch = { code: 'SignatureDoesNotMatch', status: 403 };
    const changes: Record<string, (at: URL) => void> = {
      path: (at) => {
        at.pathname += '2';
      },
      expiry: (at) => at.searchParams.set('X-Amz-Expires', '3600'),
      'another parameter': (at) => at.searchParams.set('response-content-type', 'text/html'),
      signature: (at) => at.searchParams.set('X-Amz-Signature', '0'.repeat(64)),
    };
    for (const [what, change] of Object.entries(changes)) {
      const changed = new URL(url);
      change(changed);
      expect({ what, ...(await outcome(await fetch(changed))) }).toEqual({ what, ...mismatch });
    }
    const put = await fetch(url, { method: 'PUT', body: 'b' });
    expect(await outcome(put)).toEqual(mismatch);
  });

  it('refuses a presigned URL that has expired', async () => {
    const { s3, bucket, key } = target();
    const Key = key('expired');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const signingDate = new Date(Date.now() - HOUR);
    const url = await presign(target().config, new GetObjectCommand({ Bucket: bucket, Key }), {
      signingDate,
    });
    expect((await fetch(url)).status).toBe(403);
  });

  it('refuses an upload without the signed headers', async () => {
    const { bucket, key } = target();
    const Key = key('headers');
    const input = { Bucket: bucket, Key, ContentType: 'image/png', ContentLength: 4 };
    const url = await presign(target().config, new PutObjectCommand(input), {
      signableHeaders: new Set(['content-type', 'content-length', 'host']),
    });
    const put = (body: string, headers: Record<string, string>) =>
      fetch(url, { method: 'PUT', body, headers });
    const mismatch = { code: 'SignatureDoesNotMatch', status: 403 };
    expect(await outcome(await put('four', { 'content-type': 'text/html' }))).toEqual(mismatch);
    expect(await outcome(await put('seven!!', { 'content-type': 'image/png' }))).toEqual(mismatch);
    expect((await put('four', { 'content-type': 'image/png' })).status).toBe(200);
  });

  it('refuses an x-amz-* header that is not signed', async () => {
    const { bucket, key } = target();
    const url = await presign(
      target().config,
      new PutObjectCommand({ Bucket: bucket, Key: key('unsigned') }),
    );
    const headers = { 'x-amz-meta-colour': 'blue' };
    const put = await fetch(url, { method: 'PUT', body: 'a', headers });
    expect(put.status).toBe(403);
  });
}
