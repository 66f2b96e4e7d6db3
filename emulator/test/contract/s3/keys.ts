import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { failure } from './failure';
import { presign } from './presign';
import type { Target } from './target';

/** Keys that clients, proxies and file systems often change. */
const HARD_KEYS = [
  'with space',
  'plus+plus',
  'per%cent',
  'escaped%2Fslash',
  'question?mark=1&and=2',
  'hash#tag',
  `quotes'"\``,
  'emoji-😀-𝒳',
  'a//b',
  'trailing/',
  '~tilde!*()',
  'semi;colon,comma:at@',
  'back\\slash',
  '<xml>&amp;</xml>',
  ' leading and trailing ',
  'nfc-\u00e9',
  'nfd-e\u0301',
  'line\u2028separator',
  'dot/./dot',
  `long/${'k'.repeat(900)}`,
  `${'ü'.repeat(500)}`,
] as const;

/** Needs a server that does not use keys as file names. */
export function keyContract(target: () => Target): void {
  it.each(HARD_KEYS)('stores the key %j byte for byte', async (hard) => {
    const { s3, bucket, key } = target();
    const prefix = key('');
    const Key = prefix + hard;
    await s3.putObject({ Bucket: bucket, Key, Body: hard });
    const got = await s3.getObject({ Bucket: bucket, Key });
    const page = await s3.listObjectsV2({ Bucket: bucket, Prefix: prefix });
    expect(await got.Body?.transformToString()).toBe(hard);
    expect(page.Contents?.map((object) => object.Key)).toEqual([Key]);
    const Delete = { Objects: [{ Key }] };
    const deleted = await s3.deleteObjects({ Bucket: bucket, Delete });
    expect(deleted.Deleted?.map((object) => object.Key)).toEqual([Key]);
    expect(await failure(s3.getObject({ Bucket: bucket, Key }))).toMatchObject({
      code: 'NoSuchKey',
    });
  });

  // Clients themselves remove dot segments from a URL.
  it.each(HARD_KEYS.filter((key) => !key.includes('/./')))(
    'uploads and downloads the key %j by presigned URLs',
    async (hard) => {
      const { bucket, config, key } = target();
      const Key = key(hard);
      const put = await presign(config, new PutObjectCommand({ Bucket: bucket, Key }));
      expect((await fetch(put, { method: 'PUT', body: hard })).status).toBe(200);
      const get = await presign(config, new GetObjectCommand({ Bucket: bucket, Key }));
      expect(await (await fetch(get)).text()).toBe(hard);
    },
  );

  it('accepts a key that is a prefix of another, and lists both', async () => {
    const { s3, bucket, key } = target();
    const prefix = key('');
    const names = ['a', 'a-b', 'a/b', 'a/b/c', 'a0'];
    for (const name of names) {
      await s3.putObject({ Bucket: bucket, Key: prefix + name, Body: name });
    }
    const page = await s3.listObjectsV2({ Bucket: bucket, Prefix: prefix });
    expect(page.Contents?.map(({ Key }) => Key)).toEqual(names.map((name) => prefix + name));
  });
}
