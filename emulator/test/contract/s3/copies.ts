import { createHash, randomBytes } from 'node:crypto';
import { failure } from './failure';
import type { Target } from './target';

const MIB = 1024 * 1024;

/** As a client must send it: percent-encoded, except for slashes. */
function sourceOf(bucket: string, key: string): string {
  return `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

export function copyContract(target: () => Target): void {
  const put = async (Key: string, Body: Buffer | string) => {
    const Metadata = { colour: 'blue' };
    const { s3, bucket } = target();
    const input = { Bucket: bucket, Key, Body, ContentType: 'text/x-one', Metadata };
    return (await s3.putObject(input)).ETag;
  };
  const bytesOf = async (Key: string) => {
    const { s3, bucket } = target();
    const { Body } = await s3.getObject({ Bucket: bucket, Key });
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };

  it.each([
    ['small', 5],
    ['large', 300_000],
  ])('copies a %s object with its properties, and with others', async (name, size) => {
    const { s3, bucket, key } = target();
    const [from, to, other] = [key(`${name} ä+%😀?`), key(`${name}/copy`), key('other')];
    const bytes = randomBytes(size);
    const etag = await put(from, bytes);
    const CopySource = sourceOf(bucket, from);
    const copied = await s3.copyObject({ Bucket: bucket, Key: to, CopySource });
    expect(copied.CopyObjectResult?.ETag).toBe(etag);
    await s3.copyObject({
      ...{ Bucket: bucket, Key: other, CopySource, MetadataDirective: 'REPLACE' },
      ...{ ContentType: 'text/x-two', Metadata: { shape: 'round' } },
    });
    expect((await bytesOf(to)).equals(bytes)).toBe(true);
    const [same, changed] = await Promise.all(
      [to, other].map((Key) => s3.headObject({ Bucket: bucket, Key })),
    );
    expect(same).toMatchObject({ ContentType: 'text/x-one', Metadata: { colour: 'blue' } });
    expect(changed).toMatchObject({ ContentType: 'text/x-two', Metadata: { shape: 'round' } });
    expect(changed?.Metadata).not.toHaveProperty('colour');
  });

  it('copies only an object with the etag of the condition', async () => {
    const { s3, bucket, key } = target();
    const from = key('conditional');
    const etag = await put(from, 'one');
    const copy = { Bucket: bucket, Key: key('copy'), CopySource: sourceOf(bucket, from) };
    const stale = s3.copyObject({ ...copy, CopySourceIfMatch: '"stale"' });
    expect(await failure(stale)).toEqual({ code: 'PreconditionFailed', status: 412 });
    await s3.copyObject({ ...copy, CopySourceIfMatch: etag });
    const absent = { ...copy, CopySource: sourceOf(bucket, key('absent')) };
    expect((await failure(s3.copyObject(absent))).status).toBe(404);
  });

  it('refuses to copy an object to itself unchanged', async () => {
    const { s3, bucket, key } = target();
    const Key = key('itself');
    await put(Key, 'one');
    const copy = s3.copyObject({ Bucket: bucket, Key, CopySource: sourceOf(bucket, Key) });
    expect(await failure(copy)).toEqual({ code: 'InvalidRequest', status: 400 });
  });

  it('makes an object of copied parts', async () => {
    const { s3, bucket, key } = target();
    const [from, Key] = [key('whole'), key('of parts')];
    const bytes = randomBytes(5 * MIB + 10);
    await put(from, bytes);
    const { UploadId } = await s3.createMultipartUpload({ Bucket: bucket, Key });
    const of = { Bucket: bucket, Key, UploadId };
    const ranges = [`bytes=0-${5 * MIB - 1}`, `bytes=${5 * MIB}-${5 * MIB + 9}`];
    const Parts = await Promise.all(
      ranges.map(async (CopySourceRange, index) => {
        const part = { CopySource: sourceOf(bucket, from), CopySourceRange };
        const PartNumber = index + 1;
        const copied = await s3.uploadPartCopy({ ...of, ...part, PartNumber });
        return { PartNumber, ETag: copied.CopyPartResult?.ETag };
      }),
    );
    const [first] = Parts;
    const md5 = createHash('md5')
      .update(bytes.subarray(0, 5 * MIB))
      .digest('hex');
    expect(first?.ETag).toBe(`"${md5}"`);
    await s3.completeMultipartUpload({ ...of, MultipartUpload: { Parts } });
    expect((await bytesOf(Key)).equals(bytes)).toBe(true);
  });
}
