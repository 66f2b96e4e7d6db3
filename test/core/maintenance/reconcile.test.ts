import { publishChanges } from '../../../core/log/publish';
import { reconcile } from '../../../core/maintenance/reconcile';
import { beginRecordCheck, checkRecordPage } from '../../../core/maintenance/record-check';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { ingestBlob } from '../../../core/uploads/uploads';
import {
  BUCKET,
  blobsOf,
  DAY,
  openBucket,
  put,
  remove,
  storeBlob,
  type World,
} from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';

/** The port, with one of its methods counted. Calls of the port to itself do not count. */
function counting<Port extends object>(port: Port, method: keyof Port, count: () => void): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) => {
        if (name === method) count();
        return Reflect.apply(member, target, parameters);
      };
    },
  });
}

describe('the reconciler', () => {
  const later = (deps: World): World => {
    deps.clock.advance(2 * DAY);
    return deps;
  };
  test('removes an unreferenced blob after a day, and nothing else', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await put(deps, 'a', 'two');
    await put(deps, 'gone', 'three');
    await remove(deps, 'gone');
    const kept = blobsOf(deps).sort();
    const orphan = `objects/${BUCKET}.${bucket.id}/a/${deps.ids.ulid()}`;
    await storeBlob(deps, orphan);
    await publishChanges(deps, BUCKET);
    expect(await reconcile(deps, NEVER_STOP)).toBe('complete');
    expect(blobsOf(deps)).toContain(orphan);
    expect(await reconcile(later(deps), NEVER_STOP)).toBe('complete');
    expect(blobsOf(deps).sort()).toEqual(kept);
  });

  test('keeps the blob of an upload that is committed while its page is checked', async () => {
    const { deps, bucket } = await openBucket();
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
    const expiresAt = deps.clock.iso();
    const upload = {
      id,
      bucket: BUCKET,
      bucketId: bucket.id,
      key: 'a',
      blob,
      state: 'pending' as const,
    };
    await deps.uploads.create({ ...upload, expiresAt, ttl: 9e9 });
    await storeBlob(deps, blob);
    later(deps);
    for (let moment = 1; moment <= 8; moment++) {
      let operations = 0;
      const fakes = createFakes({
        ...deps,
        yieldPoint: async () => {
          operations += 1;
          if (operations === moment) await ingestBlob(deps, blob);
        },
      });
      await deps.serviceState.save('reconcile', '');
      await reconcile({ ...deps, ...fakes }, NEVER_STOP);
      expect(blobsOf(deps)).toContain(blob);
    }
    expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(1);
  });

  test.each(['pending', 'staged'] as const)(
    'keeps the bytes of an upload that is %s, however old they are',
    async (state) => {
      const { deps, bucket } = await openBucket();
      const id = deps.ids.ulid();
      const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
      const upload = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, ttl: 9e9 };
      await deps.uploads.create({ ...upload, state, expiresAt: deps.clock.iso() });
      await storeBlob(deps, blob);
      await reconcile(later(deps), NEVER_STOP);
      expect(blobsOf(deps)).toEqual([blob]);
    },
  );

  test('keeps a blob whose commit may still come', async () => {
    const { deps, bucket } = await openBucket();
    await storeBlob(deps, `objects/${BUCKET}.${bucket.id}/a/${deps.ids.ulid()}`);
    deps.clock.advance(DAY - 1000);
    await reconcile(deps, NEVER_STOP);
    expect(blobsOf(deps)).toHaveLength(1);
  });

  test('leaves S3 objects that are not named like a blob', async () => {
    const { deps } = await openBucket();
    await storeBlob(deps, 'objects/readme.txt');
    await reconcile(later(deps), NEVER_STOP);
    expect(blobsOf(deps)).toEqual(['objects/readme.txt']);
  });

  test('continues where the last run was stopped', async () => {
    const { deps, bucket } = await openBucket();
    await storeBlob(deps, `objects/${BUCKET}.${bucket.id}/a/${deps.ids.ulid()}`);
    later(deps);
    let runs = 0;
    for (; ; runs++) {
      let steps = 0;
      if (
        (await reconcile(
          deps,
          stopWhen(() => steps++ > 0),
        )) === 'complete'
      )
        break;
    }
    expect(runs).toBeGreaterThan(1);
    expect(blobsOf(deps)).toEqual([]);
  });

  test.each([
    { objects: 2, bytes: 0 },
    { objects: 0, bytes: -2 },
  ])('corrects counters when only one is wrong, by %j', async (wrong) => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await publishChanges(deps, BUCKET);
    await deps.buckets.correct(bucket, { asOf: 0, ...wrong });
    await reconcile(deps, NEVER_STOP);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ objectCount: 1, totalSize: 3 });
  });

  test('logs that all records of a bucket are missing, and leaves its counters', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await publishChanges(deps, BUCKET);
    deps.state.objectsOf(bucket.id).clear();
    await reconcile(deps, NEVER_STOP);
    expect(deps.log.lines).toMatchObject([{ event: 'records_missing' }]);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ objectCount: 1, totalSize: 3 });
  });

  test('does not report an empty bucket as one whose records are missing', async () => {
    const { deps } = await openBucket();
    await reconcile(deps, NEVER_STOP);
    expect(deps.log.lines).toEqual([]);
  });

  test('corrects the counters of a bucket whose objects are all deleted', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await remove(deps, 'a');
    await publishChanges(deps, BUCKET);
    await deps.buckets.correct(bucket, { asOf: 0, objects: 2, bytes: 5 });
    await reconcile(deps, NEVER_STOP);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ objectCount: 0, totalSize: 0 });
  });

  test('corrects no counter when a part of the history is trimmed during the check', async () => {
    const { deps, bucket } = await openBucket();
    for (const key of ['a', 'b']) await put(deps, key, 'one');
    await publishChanges(deps, BUCKET);
    const check = await beginRecordCheck(deps, BUCKET);
    if (!check) throw new Error('no bucket');
    // Of the two objects the newer history no longer shows one.
    await put(deps, 'a', 'longer');
    await remove(deps, 'a');
    await publishChanges(deps, BUCKET);
    await deps.buckets.raiseOldest(bucket, 5);
    await deps.changeLog.remove(bucket.id, [1, 2, 3, 4]);
    await checkRecordPage(deps, bucket, check);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ objectCount: 1, totalSize: 3 });
  });

  test('corrects counters exactly while writers are active', async () => {
    const { deps, bucket } = await openBucket();
    for (let i = 0; i < 150; i++) await put(deps, `k${String(i).padStart(3, '0')}`, '1');
    await publishChanges(deps, BUCKET);
    await deps.buckets.correct(bucket, { asOf: 0, objects: 7, bytes: -3 });
    let step = 0;
    while (
      (await reconcile(
        deps,
        stopWhen(() => {
          step += 1;
          return step % 2 === 0;
        }),
      )) !== 'complete'
    ) {
      await put(deps, 'k000', 'longer');
      await remove(deps, 'k149').catch(() => undefined);
      await put(deps, `new${step}`, '12');
      if (step % 3 === 0) await publishChanges(deps, BUCKET);
    }
    await publishChanges(deps, BUCKET);
    const live = [...deps.state.objectsOf(bucket.id).values()].filter((r) => r.state === 'live');
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({
      objectCount: live.length,
      totalSize: live.reduce((n, record) => n + record.size, 0),
    });
  });

  test('asks neither S3 nor the table for each object, in whatever order both list them', async () => {
    const { deps } = await openBucket();
    const keys = [0, 1, 2, 3, 4].flatMap((i) =>
      ['', '!', '/a', '/b/c', '-1', '.txt', '0', 'é', '\u{1f600}'].map((end) => `k${i}${end}`),
    );
    for (const key of keys) await put(deps, key, 'one');
    for (const key of keys.slice(0, 20)) await put(deps, key, 'two');
    await publishChanges(deps, BUCKET);
    let asked = 0;
    const count = () => {
      asked += 1;
    };
    const blobs = counting(deps.blobs, 'head', count);
    const objects = counting(deps.objects, 'getMany', count);
    await reconcile({ ...later(deps), blobs, objects }, NEVER_STOP);
    expect(asked).toBe(0);
    expect(deps.log.lines).toEqual([]);
    expect(blobsOf(deps)).toHaveLength(keys.length + 20);
  });

  test('finds the one blob that is missing among many', async () => {
    const { deps } = await openBucket();
    for (let i = 0; i < 40; i++) await put(deps, `k${i}`, 'one');
    await publishChanges(deps, BUCKET);
    const [missing = ''] = blobsOf(deps).filter((blob) => blob.includes('/k17/'));
    deps.state.blobs.delete(missing);
    await reconcile(later(deps), NEVER_STOP);
    expect(deps.log.lines).toMatchObject([{ event: 'blob_missing', fields: { blob: missing } }]);
  });

  test('logs a record without its blob', async () => {
    const { deps } = await openBucket();
    const object = await put(deps, 'a', 'one');
    deps.state.blobs.clear();
    await reconcile(deps, NEVER_STOP);
    const blob = object.state === 'live' ? object.blob : '';
    expect(deps.log.lines).toEqual([
      { level: 'error', event: 'blob_missing', fields: { bucket: BUCKET, version: 1, blob } },
    ]);
  });
});
