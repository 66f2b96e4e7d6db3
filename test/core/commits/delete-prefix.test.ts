/** How far one call of a deletion by prefix goes. */

import { deletePrefix } from '../../../core/commits/delete-prefix';
import { LIMITS } from '../../../core/limits';
import { BUCKET, openBucket, type World } from '../../support/bucket-world';
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

test('a call commits for 10 seconds, and the next one continues', async () => {
  const { deps, bucket } = await withRecords(100, 0);
  const slow = async (count: number) => {
    deps.clock.advance(5_000);
    return count;
  };
  const done = await deletePrefix(deps, bucket, { ...options, beforeCommit: slow, start: 'a/' });
  expect(done).toEqual({ deleted: 64, from: 1, to: 64, next: keyOf(64) });
});
