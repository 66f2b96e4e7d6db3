import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type CompletedPart, PutObjectCommand } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { failure, outcome } from './failure';
import { presign } from './presign';
import type { Target } from './target';

const CONTENT = '123456789';
/** Checksums of CONTENT: the check values of the CRC catalogue, and hashes of node:crypto. */
const CHECKSUMS = {
  ChecksumCRC32: Buffer.from('cbf43926', 'hex').toString('base64'),
  ChecksumCRC32C: Buffer.from('e3069283', 'hex').toString('base64'),
  ChecksumCRC64NVME: Buffer.from('ae8b14860a799888', 'hex').toString('base64'),
  ChecksumSHA1: createHash('sha1').update(CONTENT).digest('base64'),
  ChecksumSHA256: createHash('sha256').update(CONTENT).digest('base64'),
} as const;

export function checksumContract(target: () => Target): void {
  it.each(Object.entries(CHECKSUMS))('stores %s', async (name, value) => {
    const { s3, bucket, key } = target();
    const Key = key(name);
    await s3.putObject({ Bucket: bucket, Key, Body: CONTENT, [name]: value });
    const Mode = { ChecksumMode: 'ENABLED' } as const;
    const head = await s3.headObject({ Bucket: bucket, Key, ...Mode });
    expect(head).toMatchObject({ [name]: value });
    const got = await s3.getObject({ Bucket: bucket, Key, ...Mode });
    expect(got).toMatchObject({ [name]: value });
    expect(await got.Body?.transformToString()).toBe(CONTENT);
  });

  it('stores the checksum in the trailer of a streamed body', async () => {
    const { s3, bucket, key } = target();
    const Key = key('trailer');
    const Body = Readable.from([Buffer.from(CONTENT)], { objectMode: false });
    const length = { ContentLength: CONTENT.length, ChecksumAlgorithm: 'SHA256' } as const;
    await s3.putObject({ Bucket: bucket, Key, Body, ...length });
    const head = await s3.headObject({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' });
    expect(head.ChecksumSHA256).toBe(CHECKSUMS.ChecksumSHA256);
  });
}

/** Needs a server that verifies checksums of a body. */
export function integrityContract(target: () => Target): void {
  it.each(Object.entries(CHECKSUMS))(
    'refuses a body that does not match %s',
    async (name, value) => {
      const { s3, bucket, key } = target();
      const Key = key(name);
      const put = s3.putObject({ Bucket: bucket, Key, Body: '987654321', [name]: value });
      expect(await failure(put)).toEqual({ code: 'BadDigest', status: 400 });
      const missing = s3.headObject({ Bucket: bucket, Key });
      expect((await failure(missing)).status).toBe(404);
    },
  );

  it('refuses a body that does not match Content-MD5', async () => {
    const { s3, bucket, key } = target();
    const Key = key('md5');
    const put = (ContentMD5: string) =>
      s3.putObject({ Bucket: bucket, Key, Body: CONTENT, ContentMD5 });
    const md5 = (text: string) => createHash('md5').update(text).digest('base64');
    expect(await failure(put(md5('other')))).toEqual({ code: 'BadDigest', status: 400 });
    expect(await failure(put('bm90IGFuIG1kNQ=='))).toEqual({ code: 'InvalidDigest', status: 400 });
    await put(md5(CONTENT));
  });

  it('refuses a body that does not match the signed SHA-256', async () => {
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
    expect(await outcome(wrong)).toEqual({ code: 'BadDigest', status: 400 });
    expect((await fetch(url, { method: 'PUT', body: 'right', headers })).status).toBe(200);
  });

  it('computes the checksum of a multipart object from the checksums of its parts', async () => {
    const { s3, bucket, key } = target();
    const Key = key('composite');
    const bodies = [Buffer.alloc(5 * 1024 * 1024, 'a'), Buffer.from('the end')];
    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
    const create = { Bucket: bucket, Key, ChecksumAlgorithm: 'SHA256' } as const;
    const { UploadId } = await s3.createMultipartUpload(create);
    const upload = { Bucket: bucket, Key, UploadId };
    const Parts: CompletedPart[] = [];
    for (const [index, Body] of bodies.entries()) {
      const part = { PartNumber: index + 1, ChecksumSHA256: sha256(Body).toString('base64') };
      const { ETag } = await s3.uploadPart({ ...upload, Body, ...part });
      Parts.push({ ETag, ...part });
    }
    const bare = Parts.map(({ ETag, PartNumber }) => ({ ETag, PartNumber }));
    const complete = (parts: CompletedPart[]) =>
      s3.completeMultipartUpload({ ...upload, MultipartUpload: { Parts: parts } });
    expect(await failure(complete(bare))).toEqual({ code: 'InvalidRequest', status: 400 });
    const ChecksumSHA256 = `${sha256(Buffer.concat(bodies.map(sha256))).toString('base64')}-2`;
    expect(await complete(Parts)).toMatchObject({ ChecksumSHA256, ChecksumType: 'COMPOSITE' });
    const head = s3.headObject({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' });
    expect(await head).toMatchObject({ ChecksumSHA256, ChecksumType: 'COMPOSITE' });
  });

  it('computes the CRC of a multipart object over its whole content', async () => {
    const { s3, bucket, key } = target();
    const Key = key('full');
    const bodies = [Buffer.alloc(5 * 1024 * 1024, 'a'), Buffer.from('the end')];
    const kind = { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } as const;
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key, ...kind });
    const upload = { Bucket: bucket, Key, UploadId };
    const Parts: CompletedPart[] = [];
    for (const [index, Body] of bodies.entries()) {
      const PartNumber = index + 1;
      const { ETag, ChecksumCRC32 } = await s3.uploadPart({ ...upload, Body, PartNumber });
      Parts.push({ ETag, ChecksumCRC32, PartNumber });
    }
    const complete = { ...upload, MultipartUpload: { Parts }, ChecksumType: kind.ChecksumType };
    const completed = await s3.completeMultipartUpload(complete);
    const whole = key('whole');
    const put = { Bucket: bucket, Key: whole, Body: Buffer.concat(bodies) };
    const { ChecksumCRC32 } = await s3.putObject({ ...put, ChecksumAlgorithm: 'CRC32' });
    expect(ChecksumCRC32).toBeDefined();
    expect(completed).toMatchObject({ ChecksumCRC32, ChecksumType: 'FULL_OBJECT' });
  });
}
