import { publishChanges } from '../../../core/log/publish';
import { GAP_FILL_AFTER_MS, settledCursor } from '../../../core/log/reader';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { NEVER_STOP } from '../../../core/stop-signal';
import { BUCKET, DAY, openBucket, put, remove } from '../../support/bucket-world';

describe('publishing', () => {
  test('stops at a gap, and fills it once the next entry is two seconds old', async () => {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket);
    await put(deps, 'a', 'one');
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 0 }, gap: 1 });
    deps.clock.advance(GAP_FILL_AFTER_MS - 1);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 0 }, gap: 1 });
    deps.clock.advance(1);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 2 } });
    expect((await deps.changeLog.get(bucket.id, 1))?.type).toBe('noop');
  });

  test('leaves a gap after the last entry to the janitor', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await deps.commits.allocate(bucket);
    deps.clock.advance(DAY);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 1 }, gap: 2 });
    await maintainLogs(deps, NEVER_STOP);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(2);
  });

  test('counts each change once when several instances publish it', async () => {
    const { deps } = await openBucket();
    await put(deps, 'a', '12345');
    await put(deps, 'a', '123');
    await put(deps, 'b', '1');
    await Promise.all([1, 2, 3].map(() => publishChanges(deps, BUCKET)));
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ objectCount: 2, totalSize: 4 });
    await remove(deps, 'a');
    await Promise.all([1, 2, 3].map(() => publishChanges(deps, BUCKET)));
    await publishChanges(deps, BUCKET);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ objectCount: 1, totalSize: 1 });
  });
});

test.each(['publishing', 'reading the settled cursor'])(
  '%s does not fill a gap that was published and trimmed concurrently',
  async (step) => {
    const { deps, bucket } = await openBucket();
    for (const text of ['one', 'two', 'three']) await put(deps, 'a', text);
    const stale = await deps.buckets.stats(BUCKET);
    const record = await deps.buckets.get(BUCKET);
    const { read } = deps.changeLog;
    jest.spyOn(deps.changeLog, 'read').mockImplementationOnce(async (...range) => {
      await publishChanges(deps, BUCKET);
      await deps.buckets.raiseOldest(bucket, 3);
      await deps.changeLog.remove(bucket.id, [1, 2]);
      return read.apply(deps.changeLog, range);
    });
    const pushed: number[] = [];
    if (!record) throw new Error('no bucket');
    if (step === 'reading the settled cursor')
      expect(await settledCursor(deps, record, stale)).toBe(3);
    else {
      await publishChanges(deps, BUCKET, {
        fillAllGaps: true,
        push: async (_record, from) => {
          pushed.push(from);
        },
      });
    }
    expect([...deps.state.changesOf(bucket.id).keys()]).toEqual([3]);
    expect(pushed).toEqual([]);
  },
);
