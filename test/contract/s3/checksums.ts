import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Target } from '../s3-contract';
import { failure } from './failure';

const CONTENT = '123456789';
/** Of CONTENT: the check values of the CRC catalogue, and node:crypto's hashes. */
const CHECKSUMS = {
  ChecksumCRC32: Buffer.from('cbf43926', 'hex').toString('base64'),
  ChecksumCRC32C: Buffer.from('e3069283', 'hex').toString('base64'),
  ChecksumCRC64NVME: Buffer.from('ae8b14860a799888', 'hex').toString('base64'),
  ChecksumSHA1: createHash('sha1').update(CONTENT).digest('base64'),
  ChecksumSHA256: createHash('sha256').update(CONTENT).digest('base64'),
} as const;

export function checksumContract(target: () => Target): void {
  it.each(Object.entries(CHECKSUMS))('verifies and keeps %s', async (name, value) => {
    const { s3, bucket, key } = target();
    const Key = key(name);
    const put = (Body: string) =>
      s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, [name]: value }));
    expect(await failure(put('987654321'))).toEqual({ code: 'BadDigest', status: 400 });
    const missing = s3.send(new HeadObjectCommand({ Bucket: bucket, Key }));
    expect((await failure(missing)).status).toBe(404);

    expect(await put(CONTENT)).toMatchObject({ [name]: value });
    const Mode = { ChecksumMode: 'ENABLED' } as const;
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key, ...Mode }));
    expect(head).toMatchObject({ [name]: value });
    const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key, ...Mode }));
    expect(got).toMatchObject({ [name]: value });
    expect(await got.Body?.transformToString()).toBe(CONTENT);
  });

  it('keeps the checksum that comes behind a streamed body', async () => {
    const { s3, bucket, key } = target();
    const Key = key('trailer');
    const Body = Readable.from([Buffer.from(CONTENT)], { objectMode: false });
    const length = { ContentLength: CONTENT.length, ChecksumAlgorithm: 'SHA256' } as const;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ...length }));
    const head = await s3.send(
      new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }),
    );
    expect(head.ChecksumSHA256).toBe(CHECKSUMS.ChecksumSHA256);
  });

  it('refuses a body that is not what Content-MD5 says', async () => {
    const { s3, bucket, key } = target();
    const Key = key('md5');
    const put = (ContentMD5: string) =>
      s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: CONTENT, ContentMD5 }));
    const md5 = (text: string) => createHash('md5').update(text).digest('base64');
    expect(await failure(put(md5('other')))).toEqual({ code: 'BadDigest', status: 400 });
    expect(await failure(put('bm90IGFuIG1kNQ=='))).toEqual({ code: 'InvalidDigest', status: 400 });
    await put(md5(CONTENT));
  });
}
