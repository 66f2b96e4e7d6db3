import type { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Target } from './target';

async function fill(target: Target, names: readonly string[]): Promise<string> {
  const prefix = target.key('');
  for (const name of names) {
    const Key = prefix + name;
    await target.s3.putObject({ Bucket: target.bucket, Key, Body: name });
  }
  return prefix;
}

export function listingContract(target: () => Target): void {
  const list = async (
    prefix: string,
    input: Partial<ConstructorParameters<typeof ListObjectsV2Command>[0]> = {},
  ) => {
    const { s3, bucket } = target();
    const page = await s3.listObjectsV2({ Bucket: bucket, Prefix: prefix, ...input });
    return {
      page,
      keys: page.Contents?.map(({ Key = '' }) => Key.slice(prefix.length)) ?? [],
      prefixes: page.CommonPrefixes?.map(({ Prefix = '' }) => Prefix.slice(prefix.length)) ?? [],
    };
  };

  it('lists keys in the order of their UTF-8 bytes, regardless of the order of their creation', async () => {
    // U+FF5E is before U+1F600 in UTF-8 bytes and after it in UTF-16 units.
    const names = ['b', 'a', 'Z', 'd/b', 'a-b', 'é', '😀', '～', 'a b', '10', '9'];
    const prefix = await fill(target(), names);
    const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect((await list(prefix)).keys).toEqual(sorted);
  });

  it('lists size, ETag and time of each object', async () => {
    const prefix = await fill(target(), ['abc']);
    const { page } = await list(prefix);
    expect(page).toMatchObject({ KeyCount: 1, IsTruncated: false, MaxKeys: 1000 });
    expect(page.Contents).toEqual([
      expect.objectContaining({
        Size: 3,
        ETag: '"900150983cd24fb0d6963f7d28e17f72"',
        LastModified: expect.any(Date),
        StorageClass: 'STANDARD',
      }),
    ]);
  });

  it('lists nothing for a prefix that no key has', async () => {
    const { page, keys } = await list(target().key('nothing'));
    expect(keys).toEqual([]);
    expect(page).toMatchObject({ KeyCount: 0, IsTruncated: false });
  });

  it('groups keys by a delimiter', async () => {
    const prefix = await fill(target(), ['a', 'b/1', 'b/2', 'c/d/e', 'f']);
    expect(await list(prefix, { Delimiter: '/' })).toMatchObject({
      keys: ['a', 'f'],
      prefixes: ['b/', 'c/'],
      page: { KeyCount: 4 },
    });
    expect(await list(prefix, { Delimiter: '/', Prefix: `${prefix}c/` })).toMatchObject({
      keys: [],
      prefixes: ['c/d/'],
    });
  });

  it('lists keys after start-after', async () => {
    const prefix = await fill(target(), ['a', 'b', 'c']);
    const after = (name: string) => list(prefix, { StartAfter: prefix + name });
    expect((await after('a')).keys).toEqual(['b', 'c']);
    expect((await after('bb')).keys).toEqual(['c']);
    expect((await after('c')).keys).toEqual([]);
  });

  it('lists each key and each group once, in pages of any size', async () => {
    const names = ['a', 'b/1', 'b/2', 'b/3', 'c', 'd/1', 'e', 'f/1', 'f/2'];
    const prefix = await fill(target(), names);
    for (const size of [1, 2, 4, 6]) {
      const seen: string[] = [];
      let token: string | undefined;
      do {
        const input = { Delimiter: '/', MaxKeys: size, ContinuationToken: token };
        const { page, keys, prefixes } = await list(prefix, input);
        expect(keys.length + prefixes.length).toBeLessThanOrEqual(size);
        expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
        seen.push(...keys, ...prefixes);
        token = page.NextContinuationToken;
      } while (token !== undefined);
      expect(seen.sort()).toEqual(['a', 'b/', 'c', 'd/', 'e', 'f/']);
    }
  });
}
