/**
 * The record and the statistics of a bucket are two reads. Between them the bucket may be deleted
 * and created again.
 */

import { createBucket } from '../../../core/buckets/buckets';
import { changesPage } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { publishChanges } from '../../../core/log/publish';
import { settledCursor } from '../../../core/log/reader';
import { trimBucket } from '../../../core/log/trim';
import type { BucketRecord } from '../../../core/store/buckets';
import { BUCKET, DAY, openBucket, put, type World } from '../../support/bucket-world';

async function recreate(deps: World, bucket: BucketRecord): Promise<BucketRecord> {
  await deps.buckets.close(bucket, deps.clock.iso());
  const record = await deps.buckets.get(BUCKET);
  const deleted = record && { ...record, trimmed: 1, deletedAt: deps.clock.iso() };
  if (!deleted || !(await deps.buckets.remove(deleted)))
    throw new Error('the bucket was not removed');
  const created = await createBucket(deps, BUCKET);
  if (!created) throw new Error('no bucket');
  return created;
}

/** A bucket with ten published changes. `overtaken` runs `meanwhile` before the next `get`. */
async function setUp(meanwhile: (deps: World, bucket: BucketRecord) => Promise<void>) {
  const { deps, bucket } = await openBucket();
  for (let n = 0; n < 10; n++) await put(deps, 'a', 'x');
  await publishChanges(deps, BUCKET);
  const { get } = deps.buckets;
  const overtaken = () =>
    jest.spyOn(deps.buckets, 'get').mockImplementationOnce(async (name) => {
      await meanwhile(deps, bucket);
      return get.call(deps.buckets, name);
    });
  return { deps, bucket, overtaken };
}

test('settledCursor excludes unfinished writes of the new incarnation', async () => {
  const { deps, overtaken } = await setUp(async (world, bucket) => {
    const created = await recreate(world, bucket);
    for (let n = 0; n < 2; n++) await world.commits.allocate({ name: BUCKET, id: created.id });
  });
  const read = async () => {
    overtaken();
    const stats = await deps.buckets.stats(BUCKET);
    const record = await deps.buckets.get(BUCKET);
    if (!record) throw new Error('no bucket');
    return settledCursor(deps, record, stats);
  };
  expect(await read()).toBe(0);
});

test('a page from now begins before unfinished writes of the new incarnation', async () => {
  const { deps, overtaken } = await setUp(async (world, bucket) => {
    const created = await recreate(world, bucket);
    for (let n = 0; n < 2; n++) await world.commits.allocate({ name: BUCKET, id: created.id });
  });
  overtaken();
  const request = { bucket: BUCKET, prefix: '', limit: 10, wait: 0 };
  const { page } = await changesPage(deps, request, NEVER_WAITS);
  expect(page).toMatchObject({ from: 0, to: 0, head: 0 });
});

test('trimming does not apply the marks of the old incarnation to the new one', async () => {
  const { deps, bucket, overtaken } = await setUp(async (world, old) => {
    await recreate(world, old);
    for (let n = 0; n < 5; n++) await put(world, 'b', 'new');
  });
  // An interrupted trim.
  deps.clock.advance(8 * DAY);
  jest.spyOn(deps.buckets, 'raiseTrimmed').mockRejectedValueOnce(new Error('died'));
  const stats = await deps.buckets.stats(BUCKET);
  if (!stats) throw new Error('no stats');
  await expect(trimBucket(deps, bucket, stats, { entries: 500 })).rejects.toThrow('died');
  overtaken();
  const log = await publishChanges(deps, BUCKET);
  if (!log) throw new Error('no log');
  await trimBucket(deps, log.record, log.stats, { entries: 500 });
  const entries = await deps.changeLog.read(log.record.id, 0, 5);
  expect(entries.map(({ cursor, type }) => `${cursor} ${type}`)).toEqual(
    [1, 2, 3, 4, 5].map((cursor) => `${cursor} put`),
  );
});

test('a reader of the old incarnation gets cursor_expired instead of no-op entries', async () => {
  const { deps, bucket } = await setUp(async () => {});
  const request = { bucket: BUCKET, prefix: '', cursor: 0, limit: 10, wait: 0 };
  const { page } = await changesPage(deps, request, NEVER_WAITS);
  expect(page).toMatchObject({ to: 10 });
  const { read } = deps.changeLog;
  jest.spyOn(deps.changeLog, 'read').mockImplementationOnce(async (...range) => {
    await recreate(deps, bucket);
    await deps.changeLog.remove(bucket.id, [1, 2, 3]);
    deps.clock.advance(DAY);
    return read.apply(deps.changeLog, range);
  });
  await expect(changesPage(deps, request, NEVER_WAITS)).rejects.toMatchObject({
    code: 'cursor_expired',
  });
  expect(deps.state.changesOf(bucket.id).size).toBe(7);
});
