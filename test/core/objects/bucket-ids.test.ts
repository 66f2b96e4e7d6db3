/**
 * Record and statistics of a bucket are two reads: between them it may be deleted and made again
 * under its name.
 */

import { changesPage } from '../../../core/channel/page';
import { publishChanges } from '../../../core/log/publish';
import { settledCursor } from '../../../core/log/reader';
import { trimBucket } from '../../../core/log/trim';
import { createBucket } from '../../../core/objects/buckets';
import type { BucketRecord } from '../../../core/objects/ports';
import { BUCKET, DAY, openBucket, put, type World } from '../../support/bucket-world';

async function makeAgain(deps: World, bucket: BucketRecord): Promise<BucketRecord> {
  await deps.buckets.close(bucket, deps.clock.iso());
  const record = await deps.buckets.get(BUCKET);
  const grave = record && { ...record, trimmed: 1, deletedAt: deps.clock.iso() };
  if (!grave || !(await deps.buckets.remove(grave))) throw new Error('stays');
  const made = await createBucket(deps, BUCKET);
  if (!made) throw new Error('no bucket');
  return made;
}

/**
 * A bucket with ten delivered changes, and one read of its statistics that is overtaken by
 * `meanwhile`.
 */
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

test('what is still under way in the new life is not taken for settled', async () => {
  const { deps, overtaken } = await setUp(async (world, bucket) => {
    const made = await makeAgain(world, bucket);
    for (let n = 0; n < 2; n++) await world.commits.allocate({ name: BUCKET, id: made.id });
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

test('a page from now begins before what is still under way in the new life', async () => {
  const { deps, overtaken } = await setUp(async (world, bucket) => {
    const made = await makeAgain(world, bucket);
    for (let n = 0; n < 2; n++) await world.commits.allocate({ name: BUCKET, id: made.id });
  });
  overtaken();
  const page = await changesPage(deps, { bucket: BUCKET, prefix: '', limit: 10, wait: 0 });
  expect(page).toMatchObject({ from: 0, to: 0, head: 0 });
});

test('the new life is not trimmed by the marks of the old one', async () => {
  const { deps, bucket, overtaken } = await setUp(async (world, old) => {
    await makeAgain(world, old);
    for (let n = 0; n < 5; n++) await put(world, 'b', 'new');
  });
  // Where a trim was cut off.
  deps.clock.advance(8 * DAY);
  jest.spyOn(deps.buckets, 'raiseTrimmed').mockRejectedValueOnce(new Error('died'));
  const stats = await deps.buckets.stats(BUCKET);
  if (!stats) throw new Error('no stats');
  await expect(trimBucket(deps, bucket, stats, { entries: 500 })).rejects.toThrow('died');
  overtaken();
  const feed = await publishChanges(deps, BUCKET);
  if (!feed) throw new Error('no feed');
  await trimBucket(deps, feed.record, feed.stats, { entries: 500 });
  const log = await deps.changeLog.read(feed.record.id, 0, 5);
  expect(log.map(({ cursor, type }) => `${cursor} ${type}`)).toEqual(
    [1, 2, 3, 4, 5].map((cursor) => `${cursor} put`),
  );
});

test('a reader of the old life is not given voids for what was swept with it', async () => {
  const { deps, bucket } = await setUp(async () => {});
  const page = await changesPage(deps, {
    bucket: BUCKET,
    prefix: '',
    cursor: 0,
    limit: 10,
    wait: 0,
  });
  expect(page).toMatchObject({ to: 10 });
  const { read } = deps.changeLog;
  jest.spyOn(deps.changeLog, 'read').mockImplementationOnce(async (...range) => {
    await makeAgain(deps, bucket);
    await deps.changeLog.remove(bucket.id, [1, 2, 3]);
    deps.clock.advance(DAY);
    return read.apply(deps.changeLog, range);
  });
  await expect(
    changesPage(deps, { bucket: BUCKET, prefix: '', cursor: 0, limit: 10, wait: 0 }),
  ).rejects.toMatchObject({ code: 'cursor_expired' });
  expect(deps.state.changesOf(bucket.id).size).toBe(7);
});
