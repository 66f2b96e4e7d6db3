/** Commits by an instance that remembers the id of a bucket which was created again. */

import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket } from '../../../core/buckets/buckets';
import type { RequestedChange } from '../../../core/commits/commit-request';
import { LIMITS } from '../../../core/limits';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';
import { liveObject } from '../../support/samples';
import { commitIn, committed, PLAIN } from './world';

/** The instance, and the new bucket with the object `a`. */
async function recreated() {
  const { deps, bucket } = await openBucket();
  await deps.bucketIds.resolve(BUCKET);
  await deps.buckets.close(bucket, deps.clock.iso());
  const closed = await deps.buckets.get(BUCKET);
  if (!closed) throw new Error('no bucket');
  await deps.buckets.remove({ ...closed, trimmed: 1, deletedAt: deps.clock.iso() });
  const created = await createBucket(deps, BUCKET);
  if (!created) throw new Error('no bucket');
  const other: World = { ...deps, bucketIds: new BucketIds(deps.buckets) };
  await put(other, 'a', 'text');
  return { deps, bucket, created };
}

test.each<[string, RequestedChange]>([
  ['copies', { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN }],
  ['moves', { op: 'move', key: 'b', from: { key: 'a' } }],
  ['patches', { op: 'patch', key: 'a', content: PLAIN }],
  ['deletes', { op: 'delete', key: 'a', ifExists: true }],
])('a commit %s the object of the new bucket', async (_, change) => {
  const { deps } = await recreated();
  const objects = await committed(deps, [change]);
  expect(objects[0]?.cursor).toBe(2);
});

test('a commit that names the new bucket is made there, and one that names the old is not', async () => {
  const { deps, bucket, created } = await recreated();
  const changes = [{ op: 'delete', key: 'a', ifExists: false }] as const;
  await expect(commitIn(deps, changes, { bucketId: bucket.id })).rejects.toMatchObject({
    code: 'precondition_failed',
    details: { field: 'bucket_id' },
  });
  const again = await recreated();
  expect(again.created.id).toBe(created.id);
  expect(await committed(again.deps, changes, { bucketId: created.id })).toHaveLength(1);
});

test('a large copy from another bucket begins in the new bucket', async () => {
  const { deps, created } = await recreated();
  const other = await createBucket(deps, 'other');
  if (!other) throw new Error('no bucket');
  const large = liveObject({ bucket: 'other', key: 'a', size: LIMITS.copyBytes + 1 });
  deps.state.objectsOf(other.id).set('a', large);
  const from = { bucket: 'other', key: 'a' };
  const outcome = await commitIn(deps, [{ op: 'copy', key: 'b', from, content: PLAIN }]);
  expect(outcome).toMatchObject({ result: 'large', bucket: { id: created.id } });
});
