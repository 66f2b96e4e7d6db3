import { publishChanges } from '../../../../core/log/publish';
import { reconcile } from '../../../../core/maintenance/reconcile';
import { NEVER_STOP } from '../../../../core/stop-signal';
import { BUCKET, DAY, openBucket, put, storeBlob } from '../../../support/bucket-world';
import { EMPTY, putBack, runRestore } from '../../../support/restore-world';
import { changesSinceBackup, checkInvariants, HOUR, liveObjects, setUp } from './scenario';

describe('a restore of lost tables', () => {
  test('makes every key with a blob live with its newest content, deleted keys included', async () => {
    const { deps: before, bucket } = await setUp(changesSinceBackup);
    const objects = new Map(before.state.objectsOf(bucket.id));
    const deps = putBack(before, EMPTY);
    const [restored] = await runRestore(deps, {});
    expect(restored).toMatchObject({
      bucket: BUCKET,
      id: bucket.id,
      made: true,
      recovered: 6,
      live: 6,
    });
    for (const [key, was] of objects) {
      const is = deps.state.objectsOf(bucket.id).get(key);
      expect(is).toMatchObject({ state: 'live', version: 1 });
      if (was.state !== 'live' || is?.state !== 'live') continue;
      const { version, cursor, ancestors, createdAt, updatedAt, ...whole } = was;
      expect(is).toMatchObject(whole);
      expect(is.updatedAt).toBe(updatedAt);
    }
    await checkInvariants(deps, bucket.id, restored?.head ?? 0);
  });

  test('restores the most recently written incarnation of a bucket', async () => {
    const { deps: before, bucket } = await openBucket();
    await storeBlob(before, `objects/${BUCKET}.OLDBUCKETID1/a/${before.ids.ulid()}`);
    before.clock.advance(HOUR);
    await put(before, 'a', 'x');
    before.clock.advance(HOUR);
    await storeBlob(before, `objects/${BUCKET}.MIDBUCKETID1/a/${before.ids.ulid()}`);
    const deps = putBack(before, EMPTY);
    const restored = await runRestore(deps, {});
    expect(restored.map(({ id }) => id)).toEqual(['MIDBUCKETID1']);
    expect(restored[0]?.id).not.toBe(bucket.id);
  });
});

describe('the reconciler of lost tables', () => {
  test('removes no blob before the tables are restored', async () => {
    const { deps: before, bucket } = await setUp(changesSinceBackup);
    const blobs = [...before.state.blobs.keys()];
    before.clock.advance(5 * DAY);
    const lost = putBack(before, EMPTY);
    await reconcile(lost, NEVER_STOP);
    expect([...lost.state.blobs.keys()]).toEqual(blobs);
    // Only the records are lost: the bucket counts objects but has no record.
    const { record, stats } = { record: bucket, stats: { objectCount: 5 } };
    lost.state.buckets.set(BUCKET, record);
    lost.state.stats.set(BUCKET, {
      id: bucket.id,
      oldest: 1,
      trimmed: 1,
      published: 0,
      totalSize: 1,
      ...stats,
    });
    await lost.serviceState.save('reconcile', '');
    await reconcile(lost, NEVER_STOP);
    expect([...lost.state.blobs.keys()]).toEqual(blobs);
    expect(new Set(lost.log.lines.map(({ event }) => event))).toContain('records_missing');
  });

  test.each([
    ['in later passes', 0],
    ['when keys are written meanwhile', 3],
  ])(
    'does not correct the counters of a bucket without records to zero %s',
    async (_name, writes) => {
      const { deps, bucket } = await openBucket();
      for (let n = 0; n < 30; n++) await put(deps, `key ${n}`, `${n}`);
      await publishChanges(deps, BUCKET, { fillAllGaps: true });
      const blobs = [...deps.state.blobs.keys()];
      deps.state.objectsOf(bucket.id).clear();
      for (let n = 0; n < writes; n++) await put(deps, `new ${n}`, 'new');
      for (let pass = 0; pass < 3; pass++) {
        deps.clock.advance(2 * DAY);
        await deps.serviceState.save('reconcile', '');
        await reconcile(deps, NEVER_STOP);
      }
      expect([...deps.state.blobs.keys()]).toEqual(expect.arrayContaining(blobs));
      expect(deps.log.lines.map(({ event }) => event)).toContain('records_missing');
      await runRestore(deps, {});
      expect(Object.keys(liveObjects(deps, bucket.id))).toHaveLength(30 + writes);
    },
  );
});
