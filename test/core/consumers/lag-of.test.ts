/** How far a consumer is behind, at each place in a log. */

import { lagOf } from '../../../core/consumers/lag';
import { LIMITS } from '../../../core/limits';
import { readBucketState } from '../../../core/log/cursor-reads';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';

const SECOND = 1000;

/** An object each second from 2026-01-01T00:00:01Z on; the clock is 10.6 seconds after the last. */
async function openLog(count: number) {
  const { deps, bucket } = await openBucket();
  for (let n = 0; n < count; n++) {
    deps.clock.advance(SECOND);
    await put(deps, `k${n}`, 'x');
  }
  deps.clock.advance(10.6 * SECOND);
  return { deps, bucket };
}

/** The lag of a consumer that was stored a minute ago. */
async function lagAt(deps: World, cursor: number) {
  const updatedAt = new Date(deps.clock.now() - 60 * SECOND).toISOString();
  return lagOf(deps, await readBucketState(deps, BUCKET), { cursor, updatedAt });
}

/** Entries of cursors whose writers failed. */
async function addNoops(deps: World, count: number) {
  const { id = '' } = (await deps.buckets.get(BUCKET)) ?? {};
  await deps.commits.allocate({ name: BUCKET, id }, count);
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
}

test.each([
  [0, { changes: 3, seconds: 13, isBehindRetention: false }],
  [1, { changes: 2, seconds: 12, isBehindRetention: false }],
  [2, { changes: 1, seconds: 11, isBehindRetention: false }],
  [3, { changes: 0, seconds: 0, isBehindRetention: false }],
  [4, { changes: 0, seconds: 0, isBehindRetention: false }],
])('a consumer at %j of 3 published changes has the lag %j', async (cursor, lag) => {
  const { deps } = await openLog(3);
  await publishChanges(deps, BUCKET);
  expect(await lagAt(deps, cursor)).toEqual(lag);
});

test('changes count from when they are published', async () => {
  const { deps } = await openLog(3);
  expect(await lagAt(deps, 0)).toEqual({ changes: 0, seconds: 0, isBehindRetention: false });
});

test.each([
  [0, 60, true],
  [1, 60, true],
  [2, 11, false],
])('a consumer at %j of a log from 3 on has waited %j s, behind: %j', async (...drawn) => {
  const [cursor, seconds, isBehindRetention] = drawn;
  const { deps, bucket } = await openLog(3);
  await publishChanges(deps, BUCKET);
  await deps.buckets.raiseOldest(bucket, 3);
  expect(await lagAt(deps, cursor)).toEqual({ changes: 3 - cursor, seconds, isBehindRetention });
});

test('no-op entries have no age, the change after them has', async () => {
  const { deps } = await openLog(1);
  await publishChanges(deps, BUCKET);
  await addNoops(deps, 3);
  deps.clock.advance(5 * SECOND);
  expect(await lagAt(deps, 1)).toEqual({ changes: 3, seconds: 0, isBehindRetention: false });
  await put(deps, 'a', 'x');
  await publishChanges(deps, BUCKET);
  deps.clock.advance(7 * SECOND);
  expect(await lagAt(deps, 1)).toEqual({ changes: 4, seconds: 7, isBehindRetention: false });
});

test.each([
  [LIMITS.entriesPerRead, 0],
  [LIMITS.entriesPerRead + 1, 4],
])('of %j no-op entries only so many are read, and the age is then %j s', async (...drawn) => {
  const [count, seconds] = drawn;
  const { deps } = await openLog(1);
  await publishChanges(deps, BUCKET);
  await addNoops(deps, count);
  deps.clock.advance(4 * SECOND);
  const reads: number[] = [];
  const { changeLog } = deps;
  const read = (id: string, after: number, to: number) => {
    reads.push(to - after);
    return changeLog.read(id, after, to);
  };
  const watching = Object.assign(Object.create(changeLog) as typeof changeLog, { read });
  expect((await lagAt({ ...deps, changeLog: watching }, 1)).seconds).toBe(seconds);
  expect(reads).toEqual([LIMITS.entriesPerRead - 1]);
});

test('the age of a long row of no-op entries is that of the last one that is read', async () => {
  const { deps } = await openLog(1);
  await publishChanges(deps, BUCKET);
  await addNoops(deps, LIMITS.entriesPerRead - 10);
  deps.clock.advance(30 * SECOND);
  await addNoops(deps, 20);
  deps.clock.advance(4 * SECOND);
  expect((await lagAt(deps, 1)).seconds).toBe(4);
});

test('a change of a clock that is ahead has no age', async () => {
  const { deps } = await openLog(1);
  await publishChanges(deps, BUCKET);
  deps.clock.advance(-60 * SECOND);
  expect((await lagAt(deps, 0)).seconds).toBe(0);
});
