/** The ids of buckets that a function instance remembers. */
import { StaleBucketRef } from '../../../core/bucket-ref';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket } from '../../../core/buckets/buckets';
import { BUCKET, openBucket } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';

/** A bucket, the ids that an instance has used once, and how often it has looked up a bucket. */
async function setUp() {
  const { deps, bucket } = await openBucket();
  let reads = 0;
  const { buckets } = createFakes({
    ...deps,
    yieldPoint: ({ port, operation, when }) => {
      if (port === 'buckets' && operation === 'get' && when === 'before') reads += 1;
    },
  });
  const ids = new BucketIds(buckets);
  await ids.resolve(BUCKET);
  const recreate = async () => {
    await deps.buckets.close(bucket, deps.clock.iso());
    const record = await deps.buckets.get(BUCKET);
    if (!record) throw new Error('no bucket');
    await deps.buckets.remove({ ...record, trimmed: 1, deletedAt: deps.clock.iso() });
    const created = await createBucket(deps, BUCKET);
    if (!created) throw new Error('no bucket');
    return created;
  };
  return { deps, bucket, ids, recreate, reads: () => reads };
}

test('an id is looked up once', async () => {
  const { bucket, ids, reads } = await setUp();
  for (let n = 0; n < 3; n++) {
    expect(await ids.resolve(BUCKET)).toEqual({ name: BUCKET, id: bucket.id });
    expect(await ids.runRead(BUCKET, async ({ id }) => id)).toBe(bucket.id);
    expect(await ids.runWrite(BUCKET, async ({ id }) => id)).toBe(bucket.id);
  }
  expect(reads()).toBe(1);
});

test('a write under the id of a deleted bucket is repeated under the present one', async () => {
  const { ids, recreate } = await setUp();
  const { id } = await recreate();
  const tried: string[] = [];
  const outcome = await ids.runWrite(BUCKET, async (bucket) => {
    tried.push(bucket.id);
    if (bucket.id !== id) throw new StaleBucketRef('deleted');
    return 'written';
  });
  expect([outcome, tried.length]).toEqual(['written', 2]);
  expect(await ids.resolve(BUCKET)).toMatchObject({ id });
});

test('a write to a bucket that is closing asks to be repeated', async () => {
  const { ids } = await setUp();
  const write = () => Promise.reject(new StaleBucketRef('closing'));
  await expect(ids.runWrite(BUCKET, write)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a write that fails otherwise is not repeated', async () => {
  const { ids } = await setUp();
  let tries = 0;
  const write = async () => {
    tries += 1;
    throw new Error('lost');
  };
  await expect(ids.runWrite(BUCKET, write)).rejects.toThrow('lost');
  expect(tries).toBe(1);
});

test('a read that finds nothing under the id of a deleted bucket looks under the present one', async () => {
  const { bucket, ids, recreate } = await setUp();
  const { id: created } = await recreate();
  const read = async ({ id }: { readonly id: string }) => (id === created ? 'found' : undefined);
  expect(await ids.runRead(BUCKET, read)).toBe('found');
  expect(bucket.id).not.toBe(created);
  const ofNothing = async () => undefined;
  expect(await ids.runRead(BUCKET, ofNothing)).toBeUndefined();
});

test('a bucket that was deleted is forgotten', async () => {
  const { deps, bucket, ids } = await setUp();
  await deps.buckets.close(bucket, deps.clock.iso());
  const record = await deps.buckets.get(BUCKET);
  if (!record) throw new Error('no bucket');
  await deps.buckets.remove({ ...record, trimmed: 1, deletedAt: deps.clock.iso() });
  await expect(ids.refresh(BUCKET)).rejects.toMatchObject({ code: 'not_found' });
  await expect(ids.resolve(BUCKET)).rejects.toMatchObject({ code: 'not_found' });
});
