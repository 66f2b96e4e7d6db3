import { createHash, randomBytes } from 'node:crypto';
import {
  type CompletedPart,
  type CreateMultipartUploadCommandInput,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { failure } from './failure';
import type { Target } from './target';

const MIB = 1024 * 1024;

export function multipartContract(target: () => Target): void {
  const begin = async (Key: string, input: Partial<CreateMultipartUploadCommandInput> = {}) => {
    const { s3, bucket } = target();
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key, ...input });
    const of = { Bucket: bucket, Key, UploadId };
    const part = async (PartNumber: number, Body: Buffer): Promise<CompletedPart> => {
      const { ETag } = await s3.uploadPart({ ...of, PartNumber, Body });
      return { PartNumber, ETag };
    };
    const complete = (Parts: CompletedPart[], IfNoneMatch?: string) =>
      s3.completeMultipartUpload({ ...of, IfNoneMatch, MultipartUpload: { Parts } });
    return { of, part, complete };
  };

  it('creates an object from parts that are uploaded in any order', async () => {
    const { s3, bucket, key } = target();
    const Key = key('parts');
    const first = randomBytes(5 * MIB);
    const second = randomBytes(5 * MIB + 1);
    const third = Buffer.from('the end');
    const properties = { ContentType: 'video/mp4', Metadata: { a: 'b' } };
    const upload = await begin(Key, properties);
    const parts = [
      await upload.part(3, third),
      await upload.part(1, first),
      await upload.part(2, second),
    ].sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    const absent = s3.headObject({ Bucket: bucket, Key });
    expect((await failure(absent)).status).toBe(404);
    const completed = await upload.complete(parts);

    const hash = createHash('md5');
    for (const bytes of [first, second, third])
      hash.update(createHash('md5').update(bytes).digest());
    const ETag = `"${hash.digest('hex')}-3"`;
    expect(completed.ETag).toBe(ETag);
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(got).toMatchObject({ ...properties, ETag });
    const whole = Buffer.concat([first, second, third]);
    expect(whole.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);

    const Range = `bytes=${5 * MIB - 2}-${10 * MIB + 3}`;
    const ranged = await s3.getObject({ Bucket: bucket, Key, Range });
    const bytes = (await ranged.Body?.transformToByteArray()) ?? Buffer.alloc(0);
    expect(whole.subarray(5 * MIB - 2, 10 * MIB + 4).equals(bytes)).toBe(true);
  });

  it('uses the last upload of a part', async () => {
    const { s3, bucket, key } = target();
    const Key = key('again');
    const upload = await begin(Key);
    await upload.part(1, Buffer.from('first'));
    await upload.complete([await upload.part(1, Buffer.from('second'))]);
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(await got.Body?.transformToString()).toBe('second');
  });

  it('lists an upload and its parts until the upload ends', async () => {
    const { s3, bucket, key } = target();
    const Key = key('listed');
    const upload = await begin(Key);
    await upload.part(2, Buffer.from('two'));
    await upload.part(1, Buffer.from('one'));
    const parts = await s3.listParts({ ...upload.of, MaxParts: 1 });
    expect(parts).toMatchObject({ IsTruncated: true, Parts: [{ PartNumber: 1, Size: 3 }] });
    const PartNumberMarker = parts.NextPartNumberMarker;
    const rest = await s3.listParts({ ...upload.of, PartNumberMarker });
    expect(rest).toMatchObject({ IsTruncated: false, Parts: [{ PartNumber: 2, Size: 3 }] });

    const list = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: Key });
    expect((await s3.send(list)).Uploads).toEqual([
      expect.objectContaining({ Key, UploadId: upload.of.UploadId }),
    ]);
    await s3.abortMultipartUpload(upload.of);
    expect((await s3.send(list)).Uploads ?? []).toEqual([]);
  });

  it('refuses a part number above 10,000', async () => {
    const upload = await begin(target().key('numbers'));
    const part = upload.part(10_001, Buffer.from('one'));
    expect(await failure(part)).toEqual({ code: 'InvalidArgument', status: 400 });
  });

  it('completes with If-None-Match: * only while the key does not exist', async () => {
    const { s3, bucket, key } = target();
    const Key = key('once');
    const upload = await begin(Key);
    const part = await upload.part(1, Buffer.from('late'));
    await s3.putObject({ Bucket: bucket, Key, Body: 'early' });
    const refused = await failure(upload.complete([part], '*'));
    expect(refused).toEqual({ code: 'PreconditionFailed', status: 412 });
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(await got.Body?.transformToString()).toBe('early');
  });
}
