/** How far a consumer is behind, at each place in a log. */

import { lagOf } from '../../../core/consumers/lag';
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
