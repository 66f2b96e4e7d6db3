/** One page of S3's list: which blobs are removed, which lost tables protect, what it costs. */

import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { LIMITS } from '../../../core/limits';
import { removeOrphans } from '../../../core/maintenance/orphans';
import { NEVER_STOP, type StopSignal } from '../../../core/stop-signal';
import type { LiveObject } from '../../../core/store/objects';
import {
  BUCKET,
  blobsOf,
  DAY,
  openBucket,
  put,
  storeBlob,
  type World,
} from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';

const ORPHAN_MS = LIMITS.orphanSeconds * 1000;

async function open() {
  const { deps, bucket } = await openBucket();
  /** Stores a blob of the key that nothing names, and returns its name. */
  const orphan = async (key: string, text = 'x', { name, id } = { ...bucket }) => {
    const blob = `objects/${name}.${id}/${key}/${deps.ids.ulid()}`;
    await storeBlob(deps, blob, text);
    return blob;
  };
  /** Removes what is old by now. */
  const sweep = (world: World = deps, signal: StopSignal = NEVER_STOP) => {
    deps.clock.advance(ORPHAN_MS + 1);
    return removeOrphans(world, 'objects/', undefined, signal);
  };
  return { deps, bucket, orphan, sweep };
}

/** Another process on the same state; `calls`: what it asked, as `objects.get`. */
function counted(deps: World) {
  const calls: string[] = [];
  const fakes = createFakes({
    ...deps,
    yieldPoint: ({ port, operation, when }) => {
      if (when === 'before') calls.push(`${port}.${operation}`);
    },
  });
  const count = (call: string) => calls.filter((one) => one === call).length;
  return { world: { ...deps, ...fakes, log: deps.log, meter: deps.meter }, count };
}

const keys = (count: number, prefix = 'k') =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`);

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

test('what is removed is counted, and the next page begins after the last blob', async () => {
  const { deps, orphan, sweep } = await open();
  const blobs: string[] = [];
  await put(deps, 'k', 'x');
  for (const key of keys(9)) blobs.push(await orphan(key, 'four'));
  for (const key of keys(1000, 'z')) deps.state.blobs.set(`objects/${key}`, { ...fileOf(deps) });
  expect(await sweep()).toEqual({ removed: 9, next: 'objects/z0989' });
  expect(deps.meter.amounts('OrphanBytes')).toEqual([9 * 4]);
  const fields = { count: 9, bytes: 9 * 4, prefix: 'objects/' };
  expect(deps.log.lines).toEqual([{ level: 'info', event: 'orphans_removed', fields }]);
  expect(blobsOf(deps).filter((blob) => blobs.includes(blob))).toEqual([]);
  const last = await removeOrphans(deps, 'objects/', 'objects/z0989', NEVER_STOP);
  expect(last).toEqual({ removed: 0 });
});

/** What somebody else has stored. */
function fileOf({ state }: World) {
  const [stored] = state.blobs.values();
  if (!stored) throw new Error('no blob');
  return stored;
}

test('the blobs of two buckets are looked up in the records of their own', async () => {
  const { deps, sweep } = await open();
  await put(deps, 'a', 'x');
  const other = await createBucket(deps, 'other');
  if (!other) throw new Error('no bucket');
  const [record] = deps.state.objectsOf((await deps.buckets.get(BUCKET))?.id ?? '').values();
  const blob = `objects/other.${other.id}/a/${deps.ids.ulid()}`;
  await storeBlob(deps, blob);
  const copy = { ...record, bucket: 'other', blob } as LiveObject;
  deps.state.objectsOf(other.id).set('a', copy);
  const kept = blobsOf(deps).sort();
  expect(await sweep()).toEqual({ removed: 0 });
  expect(blobsOf(deps).sort()).toEqual(kept);
});

describe('nothing is removed', () => {
  test('of a bucket that is neither known nor recorded as deleted', async () => {
    const { deps, orphan, sweep } = await open();
    for (const name of ['gone', 'purged']) {
      const bucket = await createBucket(deps, name);
      if (!bucket) throw new Error('no bucket');
      await orphan('a', 'x', bucket);
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

  test('of a bucket whose record is lost and whose counters are not', async () => {
    const { deps, bucket, orphan, sweep } = await open();
    await orphan('a');
    deps.state.buckets.delete(BUCKET);
    expect(await sweep()).toEqual({ removed: 0 });
    expect(deps.log.lines).toEqual([missing(BUCKET, bucket.id)]);
  });

  test('of a bucket that counts objects and has no record', async () => {
    const { deps, bucket, orphan, sweep } = await open();
    await orphan('a');
    await deps.buckets.correct(bucket, { asOf: 0, objects: 1, bytes: 1 });
    expect(await sweep()).toEqual({ removed: 0 });
    expect(deps.log.lines).toEqual([missing(BUCKET, bucket.id)]);
    await put(deps, 'b', 'x');
    expect(await sweep()).toEqual({ removed: 1 });
  });

  test.each([
    [19, 0, 19],
    [20, 0, 0],
    [20, 9, 0],
    [20, 10, 20],
  ])('of %j keys of which %j have a record, unless these are enough: %j', async (...drawn) => {
    const [count, known, removed] = drawn;
    const { deps, bucket, orphan, sweep } = await open();
    for (const key of keys(known)) await put(deps, key, 'x');
    for (const key of keys(count)) await orphan(key);
    expect(await sweep()).toEqual({ removed });
    const lines = deps.log.lines.filter(({ level }) => level === 'error');
    expect(lines).toEqual(removed === 0 ? [missing(BUCKET, bucket.id)] : []);
  });

  test('of keys without records, however many other keys between them have one', async () => {
    const { deps, orphan } = await open();
    for (const key of keys(20)) await orphan(key);
    deps.clock.advance(ORPHAN_MS + 1);
    for (const key of keys(20)) await put(deps, `${key}/new`, 'x');
    expect(await removeOrphans(deps, 'objects/', undefined, NEVER_STOP)).toEqual({ removed: 0 });
  });

  test('of an upload by another name than its row has', async () => {
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

test('keys that are far apart are found by their names', async () => {
  const { deps, orphan } = await open();
  for (const key of keys(20)) await put(deps, key, 'x');
  for (const key of keys(20)) await orphan(key);
  deps.clock.advance(ORPHAN_MS + 1);
  for (const key of keys(40)) await put(deps, `${key}/new`, 'x');
  expect(await removeOrphans(deps, 'objects/', undefined, NEVER_STOP)).toEqual({ removed: 20 });
});

describe('the reads', () => {
  test.each([
    [9, 1],
    [10, 0],
  ])('of %j keys are %j BatchGetItem', async (count, batches) => {
    const { deps, sweep } = await open();
    for (const key of keys(count)) await put(deps, key, 'x');
    const { world, count: calls } = counted(deps);
    await sweep(world);
    expect(calls('objects.getMany')).toBe(batches);
  });

  test('leave out the history of a key whose one blob is current, or of an open upload', async () => {
    const { deps, bucket, sweep } = await open();
    await put(deps, 'a', 'x');
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/b/${id}`;
    const names = { id, bucket: BUCKET, bucketId: bucket.id, key: 'b', blob };
    const row = { ...names, expiresAt: deps.clock.iso(), ttl: 9e9 };
    await deps.uploads.create({ ...row, state: 'pending' });
    await storeBlob(deps, blob);
    const { world, count } = counted(deps);
    await sweep(world);
    await removeOrphans(world, 'uploads/', undefined, NEVER_STOP);
    expect(count('uploads.get')).toBe(1);
    expect(count('objects.get')).toBe(0);
  });

  test('of a history end at the last blob in question', async () => {
    const { deps, sweep } = await open();
    for (const text of ['one', 'two', 'three', 'four']) await put(deps, 'a', text);
    const [first = '', second = ''] = blobsOf(deps);
    for (const blob of [first, second]) deps.state.blobs.delete(blob);
    const { world, count } = counted(deps);
    expect(await sweep(world)).toEqual({ removed: 0 });
    expect(count('changeLog.get')).toBe(1);
  });

  /** A key with so many retained versions, whose blobs are gone. */
  async function withVersions(count: number) {
    const world = await open();
    const { deps, bucket } = world;
    await put(deps, 'a', 'x');
    const record = (await deps.objects.get(bucket.id, 'a')) as LiveObject;
    const at = (cursor: number): LiveObject => ({ ...record, cursor, version: cursor });
    for (let cursor = 2; cursor <= count; cursor++) {
      const entry = { type: 'put', bucket: BUCKET, cursor, at: record.updatedAt } as const;
      const object = at(cursor);
      deps.state.changesOf(bucket.id).set(cursor, { ...entry, object, previous: at(cursor - 1) });
    }
    deps.state.objectsOf(bucket.id).set('a', at(count));
    await world.orphan('a');
    return world;
  }

  test.each([
    [5000, 1],
    [5001, 0],
  ])('of a history of %j versions find %j orphans', async (versions, removed) => {
    const { sweep } = await withVersions(versions);
    expect(await sweep()).toEqual({ removed });
  });

  test('end when the time of the run is over, and nothing is removed', async () => {
    const { deps, sweep } = await withVersions(3);
    const { world, count } = counted(deps);
    expect(await sweep(world, { aborted: true })).toEqual({ removed: 0 });
    expect(count('changeLog.get')).toBe(0);
    expect(await sweep()).toEqual({ removed: 1 });
  });
});
