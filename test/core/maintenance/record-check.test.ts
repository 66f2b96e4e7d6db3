/** Passes over the records: what is logged and corrected, and how a pass continues. */

import { createBucket } from '../../../core/buckets/buckets';
import { publishChanges } from '../../../core/log/publish';
import { pauseReconciler, reconcile } from '../../../core/maintenance/reconcile';
import { beginRecordCheck, checkRecordPage } from '../../../core/maintenance/record-check';
import { NEVER_STOP } from '../../../core/stop-signal';
import type { ObjectRecord } from '../../../core/store/objects';
import { BUCKET, DAY, openBucket, put, type World } from '../../support/bucket-world';

const step = async ({ serviceState }: World) =>
  JSON.parse((await serviceState.load('reconcile')) ?? 'null');

const saveStep = ({ serviceState }: World, value: object) =>
  serviceState.save('reconcile', JSON.stringify(value));

const counters = async ({ buckets }: World, name = BUCKET) => {
  const stats = await buckets.stats(name);
  return { objects: stats?.objectCount, bytes: stats?.totalSize };
};

/** A bucket with one object of three bytes, and counters that are wrong by one object. */
async function openWrong() {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a', 'one');
  await publishChanges(deps, BUCKET);
  const spoil = () => deps.buckets.correct(bucket, { asOf: 0, objects: 1, bytes: 2 });
  await spoil();
  return { deps, bucket };
}

describe('a pass', () => {
  test('rests for a day after its end', async () => {
    const { deps } = await openBucket();
    expect(await reconcile(deps, NEVER_STOP)).toBe('complete');
    const until = deps.clock.now() + DAY;
    expect(await step(deps)).toEqual({ part: 'rest', until });
    const begun = async () => {
      deps.meter.counted.length = 0;
      await reconcile(deps, NEVER_STOP);
      return deps.meter.counted.length > 0;
    };
    deps.clock.advance(DAY - 1);
    expect(await begun()).toBe(false);
    deps.clock.advance(1);
    expect(await begun()).toBe(true);
  });

  test('rests until the time to which it was paused', async () => {
    const { deps } = await openWrong();
    await pauseReconciler(deps.serviceState, deps.clock.now() + 1);
    expect(await reconcile(deps, NEVER_STOP)).toBe('complete');
    expect(await counters(deps)).toEqual({ objects: 2, bytes: 5 });
    deps.clock.advance(1);
    await reconcile(deps, NEVER_STOP);
    expect(await counters(deps)).toEqual({ objects: 1, bytes: 3 });
  });

  const stale = { asOf: 1, objectCount: 1, totalSize: 3, met: true, objects: 0, bytes: 0 };

  test.each([
    ['was deleted', 'aaa', undefined],
    ['was created again', BUCKET, 'b00000000099'],
  ])('continues with the next bucket when one %s since the last run', async (_name, bucket, id) => {
    const { deps } = await openWrong();
    const zoo = await createBucket(deps, 'zoo');
    if (!zoo) throw new Error('no bucket');
    await deps.buckets.correct(zoo, { asOf: -1, objects: 1, bytes: 2 });
    await deps.buckets.correct(zoo, { asOf: 0, objects: -1, bytes: 0 });
    // By which the counters would be wrong by four objects.
    const walk = { ...stale, objectCount: 5, from: 'a' };
    await saveStep(deps, { part: 'records', bucket, ...(id && { id, walk }) });
    expect(await reconcile(deps, NEVER_STOP)).toBe('complete');
    expect(await counters(deps)).toEqual({
      ...(bucket === BUCKET ? { objects: 2, bytes: 5 } : { objects: 1, bytes: 3 }),
    });
  });

  test('continues the check of the bucket at which the last run stopped', async () => {
    const { deps, bucket } = await openWrong();
    // As if the key `a`, of ten bytes, had been counted.
    const walk = { ...stale, objectCount: 2, totalSize: 5, objects: 1, bytes: 10, from: 'b' };
    await saveStep(deps, { part: 'records', bucket: BUCKET, id: bucket.id, walk });
    expect(await reconcile(deps, NEVER_STOP)).toBe('complete');
    const corrected = { bucket: BUCKET, objects: -1, bytes: 5 };
    expect(deps.log.lines).toEqual([
      { level: 'error', event: 'counters_corrected', fields: corrected },
    ]);
  });
});

describe('the check of records', () => {
  async function check(deps: World, bucket: { name: string; id: string }) {
    const begun = await beginRecordCheck(deps, bucket.name);
    if (!begun) throw new Error('no bucket');
    return begun;
  }

  test('logs by how much it corrects the counters', async () => {
    const { deps, bucket } = await openWrong();
    await checkRecordPage(deps, bucket, await check(deps, bucket));
    const fields = { bucket: BUCKET, objects: -1, bytes: -2 };
    expect(deps.log.lines).toEqual([{ level: 'error', event: 'counters_corrected', fields }]);
    expect(await counters(deps)).toEqual({ objects: 1, bytes: 3 });
  });

  test('logs which bucket has lost its records', async () => {
    const { deps, bucket } = await openWrong();
    deps.state.objectsOf(bucket.id).clear();
    await checkRecordPage(deps, bucket, await check(deps, bucket));
    const fields = { bucket: BUCKET, bucket_id: bucket.id };
    expect(deps.log.lines).toEqual([{ level: 'error', event: 'records_missing', fields }]);
  });

  test('corrects counters when all that was trimmed had been published before', async () => {
    const { deps, bucket } = await openWrong();
    const begun = await check(deps, bucket);
    await deps.buckets.raiseOldest(bucket, begun.asOf + 1);
    await checkRecordPage(deps, bucket, begun);
    expect(await counters(deps)).toEqual({ objects: 1, bytes: 3 });
  });

  test.each([
    ['was trimmed meanwhile', 2],
    ['is gone', undefined],
  ])('corrects no counters of a bucket that %s', async (_name, ahead) => {
    const { deps, bucket } = await openWrong();
    const begun = await check(deps, bucket);
    if (ahead === undefined) deps.state.stats.delete(BUCKET);
    else await deps.buckets.raiseOldest(bucket, begun.asOf + ahead);
    await checkRecordPage(deps, bucket, begun);
    expect(deps.log.lines).toEqual([]);
  });

  test('looks at each record once, and asks S3 for those that no list shows', async () => {
    const { deps, bucket } = await openBucket();
    for (let n = 0; n < 230; n++) await put(deps, `k${n}`, 'x');
    await publishChanges(deps, BUCKET);
    const { blobs } = deps;
    const heads: string[] = [];
    const blind = Object.assign(Object.create(blobs) as typeof blobs, {
      list: async () => ({ items: [], more: false }),
      head: (blob: string) => {
        heads.push(blob);
        return blobs.head(blob);
      },
    });
    const seen: string[] = [];
    const onRecord = async ({ key }: ObjectRecord, hasBlob: boolean) => {
      seen.push(`${key} ${hasBlob}`);
    };
    const options = { onRecord };
    const asked = { ...deps, blobs: blind };
    await checkRecordPage(asked, bucket, await check(deps, bucket), options);
    const keys = [...deps.state.objectsOf(bucket.id).keys()];
    expect(seen.sort()).toEqual(keys.map((key) => `${key} true`).sort());
    expect(heads).toHaveLength(230);
  });

  test('looks at 100 records at a time', async () => {
    const { deps, bucket } = await openBucket();
    for (let n = 0; n < 230; n++) await put(deps, `k${n}`, 'x');
    await publishChanges(deps, BUCKET);
    let running = 0;
    let most = 0;
    const onRecord = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
    };
    await checkRecordPage(deps, bucket, await check(deps, bucket), { onRecord });
    expect(most).toBe(100);
  });

  test('logs no blob of a record that was replaced meanwhile, and one that is lost', async () => {
    const { deps, bucket } = await openBucket();
    for (const key of ['lost', 'replaced', 'there']) await put(deps, key, 'x');
    await publishChanges(deps, BUCKET);
    const begun = await check(deps, bucket);
    const { blobs } = deps;
    const head = async (blob: string) => {
      if (blob.includes('/there/')) return blobs.head(blob);
      if (blob.includes('/replaced/')) await put(deps, 'replaced', 'new');
      return undefined;
    };
    const losing = Object.assign(Object.create(blobs) as typeof blobs, { head });
    await checkRecordPage({ ...deps, blobs: losing }, bucket, begun);
    expect(deps.log.lines).toMatchObject([
      { level: 'error', event: 'blob_missing', fields: { blob: expect.stringMatching('/lost/') } },
    ]);
  });
});
