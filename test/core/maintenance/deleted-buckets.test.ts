/** What the janitor does with buckets that are being deleted, and with deleted ones. */

import { deleteBucket } from '../../../core/buckets/buckets';
import { LIMITS } from '../../../core/limits';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { NEVER_STOP } from '../../../core/stop-signal';
import { DAY, openBucket } from '../../support/bucket-world';

const MINUTE = 60_000;

describe('a deleted bucket', () => {
  /** A deleted bucket whose log has `entries` unpublished entries. */
  async function openDeleted(entries: number) {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket, entries);
    const consumer = { bucketId: bucket.id, name: 'indexer', prefix: '', cursor: 0 };
    await deps.consumers.put({ ...consumer, updatedAt: deps.clock.iso() }, undefined);
    deps.clock.advance(MINUTE);
    await deleteBucket(deps, bucket);
    const left = () => deps.state.changesOf(bucket.id).size;
    const isKnown = async () => (await deps.buckets.deletedBuckets()).length > 0;
    return { deps, bucket, left, isKnown };
  }

  const RETENTION = 7 * DAY;

  test.each([
    [RETENTION - 1, 3],
    [RETENTION, 0],
  ])('after %j ms has %j entries left', async (age, entries) => {
    const { deps, left, isKnown } = await openDeleted(3);
    deps.clock.advance(age);
    await maintainLogs(deps, NEVER_STOP);
    expect(left()).toBe(entries);
    expect(await isKnown()).toBe(entries > 0);
  });

  test('is known for three days, in which the reconciler may find its last blob', async () => {
    const { deps, isKnown, left } = await openDeleted(3);
    const brief = { ...deps, retentionSeconds: 60 };
    deps.clock.advance(3 * LIMITS.orphanSeconds * 1000 - 1);
    await maintainLogs(brief, NEVER_STOP);
    expect({ left: left(), isKnown: await isKnown() }).toEqual({ left: 0, isKnown: true });
    expect(await deps.consumers.all()).toHaveLength(1);
    deps.clock.advance(1);
    await maintainLogs(brief, NEVER_STOP);
    expect(await isKnown()).toBe(false);
    expect(await deps.consumers.all()).toEqual([]);
  });
});
