import { failure } from './failure';
import type { Target } from './target';

const OTHER_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"';
const HOUR = 60 * 60 * 1000;

export function conditionContract(target: () => Target): void {
  it('puts with If-None-Match: * once only', async () => {
    const { s3, bucket, key } = target();
    const Key = key('once');
    const put = (Body: string) => s3.putObject({ Bucket: bucket, Key, Body, IfNoneMatch: '*' });
    await put('first');
    expect(await failure(put('second'))).toEqual({ code: 'PreconditionFailed', status: 412 });
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(await got.Body?.transformToString()).toBe('first');
  });

  it('puts with If-Match only over that ETag', async () => {
    const { s3, bucket, key } = target();
    const Key = key('if-match');
    const { ETag } = await s3.putObject({ Bucket: bucket, Key, Body: 'first' });
    const put = (IfMatch?: string, of = Key) =>
      s3.putObject({ Bucket: bucket, Key: of, Body: 'second', IfMatch });
    expect(await failure(put(OTHER_ETAG))).toEqual({ code: 'PreconditionFailed', status: 412 });
    await put(ETag);
    expect(await failure(put(ETag))).toEqual({ code: 'PreconditionFailed', status: 412 });
    expect((await failure(put(ETag, key('missing')))).status).toBe(404);
  });

  it('returns 304 for If-None-Match with the current ETag, and the object for another ETag', async () => {
    const { s3, bucket, key } = target();
    const Key = key('if-none-match');
    const { ETag } = await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const get = s3.getObject({ Bucket: bucket, Key, IfNoneMatch: ETag });
    expect((await failure(get)).status).toBe(304);
    const head = s3.headObject({ Bucket: bucket, Key, IfNoneMatch: ETag });
    expect((await failure(head)).status).toBe(304);
    const other = { Bucket: bucket, Key, IfNoneMatch: OTHER_ETAG };
    const got = await s3.getObject(other);
    expect(await got.Body?.transformToString()).toBe('a');
  });

  it('returns 412 for If-Match with another ETag', async () => {
    const { s3, bucket, key } = target();
    const Key = key('if-match');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const get = s3.getObject({ Bucket: bucket, Key, IfMatch: OTHER_ETAG });
    expect(await failure(get)).toEqual({ code: 'PreconditionFailed', status: 412 });
  });

  it('evaluates conditions on the time of the last change', async () => {
    const { s3, bucket, key } = target();
    const Key = key('since');
    await s3.putObject({ Bucket: bucket, Key, Body: 'a' });
    const before = new Date(Date.now() - HOUR);
    const get = (when: { IfModifiedSince?: Date; IfUnmodifiedSince?: Date }) =>
      s3.getObject({ Bucket: bucket, Key, ...when });
    expect((await failure(get({ IfUnmodifiedSince: before }))).status).toBe(412);
    expect((await get({ IfModifiedSince: before })).$metadata.httpStatusCode).toBe(200);
  });
}

/** Needs a server that checks the condition and writes atomically. */
export function raceContract(target: () => Target): void {
  it('lets exactly one of many concurrent puts with If-None-Match: * succeed', async () => {
    const { s3, bucket, key } = target();
    const Key = key('race');
    const puts = Array.from({ length: 8 }, (_, index) =>
      s3.putObject({ Bucket: bucket, Key, Body: `${index}`, IfNoneMatch: '*' }),
    );
    const settled = await Promise.allSettled(puts);
    const winner = settled.findIndex(({ status }) => status === 'fulfilled');
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const [index, put] of puts.entries()) {
      if (index === winner) continue;
      expect(['PreconditionFailed', 'ConditionalRequestConflict']).toContain(
        (await failure(put)).code,
      );
    }
    const got = await s3.getObject({ Bucket: bucket, Key });
    expect(await got.Body?.transformToString()).toBe(`${winner}`);
  });
}
