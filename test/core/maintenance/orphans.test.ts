/** One page of S3's list: which blobs are removed, which lost tables protect, what it costs. */

import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { LIMITS } from '../../../core/limits';
import { removeOrphans } from '../../../core/maintenance/orphans';
import { NEVER_STOP } from '../../../core/stop-signal';
import { BUCKET, blobsOf, DAY, openBucket, put, storeBlob } from '../../support/bucket-world';

const ORPHAN_MS = LIMITS.orphanSeconds * 1000;

async function open() {
  const { deps, bucket } = await openBucket();
  /** Stores a blob of the key that no record names. */
  const orphan = (key: string, { name, id } = { ...bucket }) =>
    storeBlob(deps, `objects/${name}.${id}/${key}/${deps.ids.ulid()}`);
  /** Removes the blobs that exist now, once they are old enough. */
  const sweep = () => {
    deps.clock.advance(ORPHAN_MS + 1);
    return removeOrphans(deps, 'objects/', undefined, NEVER_STOP);
  };
  return { deps, bucket, orphan, sweep };
}

const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`);

const missing = (bucket: string, bucketId: string) => ({
  ...{ level: 'error', event: 'records_missing', fields: { bucket, bucket_id: bucketId } },
});

test('a blob is removed when it is more than a day old', async () => {
  const { deps, orphan } = await open();
  await orphan('a');
  deps.clock.advance(ORPHAN_MS);
  expect(await removeOrphans(deps, 'objects/', undefined, NEVER_STOP)).toEqual({ removed: 0 });
  expect(deps.meter.amounts('OrphanBytes')).toEqual([0]);
  expect(deps.log.lines).toEqual([]);
  deps.clock.advance(1);
  expect(await removeOrphans(deps, 'objects/', undefined, NEVER_STOP)).toEqual({ removed: 1 });
});

describe('nothing is removed', () => {
  test('of a bucket that is neither known nor recorded as deleted', async () => {
    const { deps, orphan, sweep } = await open();
    for (const name of ['gone', 'purged']) {
      const bucket = await createBucket(deps, name);
      if (!bucket) throw new Error('no bucket');
      await orphan('a', bucket);
      await deleteBucket(deps, bucket);
      if (name === 'purged') await deps.buckets.purge(bucket.id);
    }
    await deps.buckets.close({ name: BUCKET, id: '' }, '');
    const other = await createBucket(deps, 'later');
    if (other) await deleteBucket(deps, other);
    expect(await sweep()).toEqual({ removed: 1 });
    const [left = ''] = blobsOf(deps);
    expect(left).toContain('/purged.');
    const id = left.slice('objects/purged.'.length, left.indexOf('/a/'));
    expect(deps.log.lines[0]).toEqual(missing('purged', id));
  });

  test.each([
    [19, 0, 19],
    [20, 0, 0],
    [20, 9, 0],
    [20, 10, 20],
  ])('of %j orphaned keys when %j of the keys have a record, but %j', async (...drawn) => {
    const [count, known, removed] = drawn;
    const { deps, bucket, orphan, sweep } = await open();
    for (const key of keys(known)) await put(deps, key, 'x');
    for (const key of keys(count)) await orphan(key);
    expect(await sweep()).toEqual({ removed });
    const lines = deps.log.lines.filter(({ level }) => level === 'error');
    expect(lines).toEqual(removed === 0 ? [missing(BUCKET, bucket.id)] : []);
  });

  test('of an upload whose row names the blob', async () => {
    const { deps, bucket } = await open();
    const id = deps.ids.ulid();
    const blobOf = (key: string) => `uploads/${BUCKET}.${bucket.id}/${key}/${id}`;
    const names = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob: blobOf('a') };
    const row = { ...names, expiresAt: deps.clock.iso(), ttl: 9e9 };
    await deps.uploads.create({ ...row, state: 'pending' });
    for (const key of ['a', 'b']) await storeBlob(deps, blobOf(key));
    deps.clock.advance(2 * DAY);
    await removeOrphans(deps, 'uploads/', undefined, NEVER_STOP);
    expect(blobsOf(deps)).toEqual([blobOf('a')]);
  });
});
