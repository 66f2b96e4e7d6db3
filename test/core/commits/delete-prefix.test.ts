/** How far one call of a deletion by prefix goes. */

import { deletePrefix } from '../../../core/commits/delete-prefix';
import { LIMITS } from '../../../core/limits';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';
import { liveObject, tombstone } from '../../support/samples';

const keyOf = (n: number) => `a/${String(n).padStart(5, '0')}`;

/** A bucket with as many records, of which those with a number below `deleted` are tombstones. */
async function withRecords(count: number, deleted: number) {
  const { deps, bucket } = await openBucket();
  const records = deps.state.objectsOf(bucket.id);
  for (let n = 0; n < count; n++) {
    const fields = { bucket: BUCKET, key: keyOf(n), cursor: 0 };
    records.set(keyOf(n), n < deleted ? tombstone(fields) : liveObject(fields));
  }
  const left = () => [...records.values()].filter(({ state }) => state === 'live').length;
  return { deps, bucket, left };
}

const options = { prefix: 'a/', by: 'k', beforeCommit: async (count: number) => count };

async function deleteAll(deps: World, bucket: Parameters<typeof deletePrefix>[1]) {
  const deleted: number[] = [];
  for (let start: string | undefined = 'a/'; start !== undefined; ) {
    const done = await deletePrefix(deps, bucket, { ...options, start });
    deleted.push(done.deleted);
    start = done.next;
  }
  return deleted;
}

test.each([0, 1, 400])(
  'the calls delete every object, whatever tombstones are before them (%i)',
  async (deleted) => {
    const { deps, bucket, left } = await withRecords(LIMITS.deletesPerCall + 600, deleted);
    const counts = await deleteAll(deps, bucket);
    expect(counts[0]).toBe(LIMITS.deletesPerCall);
    expect(counts.reduce((sum, count) => sum + count)).toBe(LIMITS.deletesPerCall + 600 - deleted);
    expect(left()).toBe(0);
  },
);

test('a call says which cursors its deletions have, and who made them', async () => {
  const { deps, bucket } = await openBucket();
  for (const key of ['a', 'a/1', 'a/2', 'b']) await put(deps, key, 'x');
  await remove(deps, 'a/1');
  const listed = jest.spyOn(deps.objects, 'list');
  const done = await deletePrefix(deps, bucket, { ...options, start: 'a/' });
  expect(done).toEqual({ deleted: 1, from: 6, to: 6 });
  expect(listed).toHaveBeenCalledTimes(1);
  expect(await deps.objects.get(bucket.id, 'a/2')).toMatchObject({ state: 'deleted', by: 'k' });
  const rest = await deletePrefix(deps, bucket, { ...options, prefix: '', start: 'a/' });
  expect(rest).toEqual({ deleted: 1, from: 7, to: 7 });
  const nothing = await deletePrefix(deps, bucket, { ...options, start: 'a/' });
  expect(nothing).toEqual({ deleted: 0 });
  expect(await deletePrefix(deps, bucket, { ...options, start: 'b' })).toEqual({ deleted: 0 });
  expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({ state: 'live' });
});

test('a call covers all cursors of its commits', async () => {
  const { deps, bucket } = await withRecords(70, 0);
  expect(await deletePrefix(deps, bucket, { ...options, start: 'a/' })).toEqual({
    ...{ deleted: 70, from: 1, to: 70 },
  });
});

test('a call that deletes as much as it may, and everything, is the last one', async () => {
  const { deps, bucket } = await withRecords(LIMITS.deletesPerCall, 0);
  const done = await deletePrefix(deps, bucket, { ...options, start: 'a/' });
  expect(done).toEqual({ deleted: LIMITS.deletesPerCall, from: 1, to: LIMITS.deletesPerCall });
});

test('a call finds nothing to delete when others were faster', async () => {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a/1', 'x');
  const beforeCommit = async (count: number) => {
    await remove(deps, 'a/1');
    return count;
  };
  const done = await deletePrefix(deps, bucket, { ...options, beforeCommit, start: 'a/' });
  expect(done).toEqual({ deleted: 0 });
});

test('a call ends with as many deletions as it may make', async () => {
  const { deps, bucket, left } = await withRecords(40, 0);
  const asked: number[] = [];
  const beforeCommit = async (count: number) => {
    asked.push(count);
    return asked.length === 2 ? 3 : count;
  };
  const done = await deletePrefix(deps, bucket, { ...options, beforeCommit, start: 'a/' });
  expect(done).toEqual({ deleted: 35, from: 1, to: 35, next: keyOf(35) });
  expect([asked, left()]).toEqual([[32, 8], 5]);
});

test('a call commits for 10 seconds, and the next one continues', async () => {
  const { deps, bucket } = await withRecords(100, 0);
  const slow = async (count: number) => {
    deps.clock.advance(5_000);
    return count;
  };
  const done = await deletePrefix(deps, bucket, { ...options, beforeCommit: slow, start: 'a/' });
  expect(done).toEqual({ deleted: 64, from: 1, to: 64, next: keyOf(64) });
});

test('a call reads for 10 seconds, and at most LIMITS.pageRecords records', async () => {
  const { deps, bucket } = await withRecords(3_000, 3_000);
  const { list } = deps.objects;
  let reads = 0;
  const reading = (milliseconds: number, again = false): World => ({
    ...deps,
    objects: Object.assign(Object.create(deps.objects), {
      list: async (...[id, range, limit]: Parameters<typeof list>) => {
        reads += 1;
        deps.clock.advance(milliseconds);
        const page = await deps.objects.list(id, again ? { from: 'a/' } : range, limit);
        return { ...page, more: true };
      },
    }),
  });
  const late = await deletePrefix(reading(5_000), bucket, { ...options, start: 'a/' });
  expect(late).toEqual({ deleted: 0, next: `${keyOf(1_999)}\0` });
  expect(reads).toBe(2);
  reads = 0;
  const endless = await deletePrefix(reading(0, true), bucket, { ...options, start: 'a/' });
  expect(endless.next).toBeDefined();
  expect(reads).toBe(LIMITS.pageRecords / LIMITS.pageMax);
});
