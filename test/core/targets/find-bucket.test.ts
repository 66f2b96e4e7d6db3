/** Buckets that exist, are deleted, or are created again while they are looked for. */
import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import {
  allBuckets,
  findBucket,
  mayHaveMore,
  readBucketLog,
} from '../../../core/targets/bucket-log';
import { put } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { openWorld } from './target-world';

describe('findBucket', () => {
  test('returns an existing bucket with its newest cursor', async () => {
    const { deps, bucket } = await openWorld();
    await put(deps, 'a', 'x');
    const [record, stats] = [await deps.buckets.get('photos'), await deps.buckets.stats('photos')];
    const found = { ...bucket, head: 1, state: { record, stats } };
    expect(await findBucket(deps, bucket)).toEqual(found);
  });

  test('returns a deleted bucket, also when its name is taken again', async () => {
    const { deps, bucket } = await openWorld();
    await deps.commits.allocate(bucket);
    const deletedAt = deps.clock.iso();
    await deleteBucket(deps, bucket);
    const found = { ...bucket, head: 1, deletedAt };
    expect(await findBucket(deps, bucket)).toEqual(found);
    await createBucket(deps, bucket.name);
    expect(await findBucket(deps, bucket)).toEqual(found);
  });

  test('returns nothing when the log is gone too', async () => {
    const { deps, bucket } = await openWorld();
    const other = await createBucket(deps, 'other');
    if (other) await deleteBucket(deps, other);
    await deleteBucket(deps, bucket);
    await deps.buckets.purge(bucket.id);
    expect(await findBucket(deps, bucket)).toBeUndefined();
  });

  test('reads again when the bucket was created between the reads of its two records', async () => {
    const { deps, bucket } = await openWorld();
    const current = await deps.buckets.stats(bucket.name);
    const earlier = current && { ...current, id: 'b00000000099' };
    const read = [earlier, current];
    const buckets = Object.assign(Object.create(deps.buckets) as typeof deps.buckets, {
      stats: async () => read.shift(),
    });
    const found = await findBucket({ buckets }, bucket);
    expect(found?.state?.stats).toEqual(current);
    expect(read).toEqual([]);
  });
});

test('allBuckets returns the existing buckets, then the deleted ones', async () => {
  const { deps, bucket } = await openWorld();
  const [gone, other] = [await createBucket(deps, 'gone'), await createBucket(deps, 'other')];
  const deletedAt = deps.clock.iso();
  if (gone) await deleteBucket(deps, gone);
  expect(await allBuckets(deps)).toEqual([
    { ...(await findBucket(deps, { name: 'other', id: other?.id ?? '' })) },
    { ...(await findBucket(deps, bucket)) },
    { name: 'gone', id: gone?.id, head: 0, deletedAt },
  ]);
});

describe('readBucketLog of an existing bucket', () => {
  test('returns what is trimmed of the log', async () => {
    const { deps, bucket } = await openWorld();
    for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
    await deps.buckets.raiseOldest(bucket, 3);
    await deps.changeLog.remove(bucket.id, [1, 2]);
    const found = await findBucket(deps, bucket);
    if (!found) throw new Error('no bucket');
    expect(await readBucketLog(deps, found, 0, 100)).toEqual({ oldest: 3, head: 2 });
    expect(await readBucketLog(deps, found, 1, 100)).toEqual({ oldest: 3, head: 2 });
    expect(await readBucketLog(deps, found, 2, 100)).toMatchObject({ from: 2, to: 3 });
  });

  test('returns nothing when the bucket was deleted meanwhile', async () => {
    const { deps, bucket } = await openWorld();
    await put(deps, 'a', 'x');
    const found = await findBucket(deps, bucket);
    if (!found) throw new Error('no bucket');
    deps.state.changesOf(bucket.id).clear();
    deps.state.stats.delete(bucket.name);
    expect(await readBucketLog(deps, found, 0, 100)).toBeUndefined();
  });

  test('throws the error of a read', async () => {
    const { deps, bucket } = await openWorld();
    await put(deps, 'a', 'x');
    const found = await findBucket(deps, bucket);
    if (!found) throw new Error('no bucket');
    const broken = createFakes({
      ...deps,
      yieldPoint: ({ operation }) => {
        if (operation === 'readShown') throw new Error('throttled');
      },
    });
    await expect(readBucketLog(broken, found, 0, 100)).rejects.toThrow('throttled');
  });
});

describe('mayHaveMore', () => {
  test('holds for a cursor that was allocated since', async () => {
    const { deps, bucket } = await openWorld();
    const found = await findBucket(deps, bucket);
    if (!found) throw new Error('no bucket');
    expect(await mayHaveMore(deps, found, undefined)).toBe(false);
    await deps.commits.allocate(bucket);
    expect(await mayHaveMore(deps, found, undefined)).toBe(true);
  });

  test('holds at a gap once it has an entry, whatever was allocated since', async () => {
    const { deps, bucket } = await openWorld();
    await deps.commits.allocate(bucket);
    const found = await findBucket(deps, bucket);
    if (!found) throw new Error('no bucket');
    await deps.commits.allocate(bucket);
    expect(await mayHaveMore(deps, found, 1)).toBe(false);
    const at = deps.clock.iso();
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: bucket.name, cursor: 1, at });
    expect(await mayHaveMore(deps, found, 1)).toBe(true);
  });

  test('holds when the bucket was deleted since, and not when it was deleted before', async () => {
    const { deps, bucket } = await openWorld();
    const found = await findBucket(deps, bucket);
    await deleteBucket(deps, bucket);
    const deleted = await findBucket(deps, bucket);
    if (!found || !deleted) throw new Error('no bucket');
    expect(await mayHaveMore(deps, found, undefined)).toBe(true);
    expect(await mayHaveMore(deps, deleted, undefined)).toBe(false);
    await createBucket(deps, bucket.name);
    expect(await mayHaveMore(deps, found, undefined)).toBe(true);
  });
});
