import { lagOf } from '../../../core/consumers/lag';
import { readBucketState } from '../../../core/log/cursor-reads';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { BUCKET, DAY, openBucket, put } from '../../support/bucket-world';

/** Found by the simulation, seed 400311: the lag was 0 s beside 2 changes. */
test('a consumer whose next change is trimmed after the bucket was read is behind the retention', async () => {
  const { deps, bucket } = await openBucket();
  const consumer = { cursor: 0, updatedAt: deps.clock.iso() };
  for (const key of ['a', 'b']) await put(deps, key, 'text');
  await publishChanges(deps, BUCKET);
  deps.clock.advance(8 * DAY);
  const read = await readBucketState(deps, BUCKET);
  await trimBucket(deps, bucket, read.stats, { entries: 1000 });
  expect(await lagOf(deps, read, consumer)).toEqual({
    ...{ changes: 2, isBehindRetention: true },
    seconds: (deps.clock.now() - Date.parse(consumer.updatedAt)) / 1000,
  });
});
