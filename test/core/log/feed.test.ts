import { commitChange } from '../../../core/log/commit';
import type { Commits } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { GAP_FILL_AFTER_MS, readRun, settledCursor } from '../../../core/log/reader';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { createBucket } from '../../../core/objects/buckets';
import { NEVER_STOP } from '../../../core/stop-signal';
import { BUCKET, DAY, openBucket, put, remove } from '../../support/bucket-world';

describe('the feed', () => {
  test('stops at a young hole, and fences it once the entry behind it is two seconds old', async () => {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket);
    await put(deps, 'a', 'one');
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 0 }, gap: 1 });
    deps.clock.advance(GAP_FILL_AFTER_MS - 1);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 0 }, gap: 1 });
    deps.clock.advance(1);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 2 } });
    expect((await deps.changeLog.get(bucket.id, 1))?.type).toBe('void');
  });

  test('never fences behind the last entry by itself; the janitor does', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await deps.commits.allocate(bucket);
    deps.clock.advance(DAY);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 1 }, gap: 2 });
    await maintainLogs(deps, NEVER_STOP);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(2);
  });

  test('a fenced writer takes a new number', async () => {
    const { deps, bucket } = await openBucket();
    let fenced = false;
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async (change) => {
        if (!fenced) {
          fenced = true;
          await readRun(deps, bucket, { after: 0, to: 1, fillAllGaps: true });
        }
        return deps.commits.commit(change);
      },
    };
    const object = await put({ ...deps, commits }, 'a', 'slow');
    expect([object.version, object.cursor]).toEqual([1, 2]);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 2 } });
  });

  test.each(['fanout', 'a list'])(
    'what another one delivered and trimmed meanwhile is not fenced by %s',
    async (who) => {
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
      if (who === 'a list') expect(await settledCursor(deps, record, stale)).toBe(3);
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

  test('counts each change once, however often it is followed', async () => {
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

test('a bucket that fails holds up no other, and the run tells of it at its end', async () => {
  const { deps } = await openBucket();
  await put(deps, 'a', 'one');
  const other = await createBucket(deps, 'afterwards');
  await deps.commits.allocate({ name: 'afterwards', id: other?.id ?? '' });
  const read = deps.changeLog.read.bind(deps.changeLog);
  jest.spyOn(deps.changeLog, 'read').mockImplementation((id, after, to) => {
    if (id !== other?.id) return read(id, after, to);
    return Promise.reject(new Error('throttled'));
  });
  await expect(maintainLogs(deps, NEVER_STOP)).rejects.toThrow('failed for afterwards');
  expect((await deps.buckets.stats(BUCKET))?.published).toBe(1);
  jest.restoreAllMocks();
  await maintainLogs(deps, NEVER_STOP);
  expect((await deps.buckets.stats('afterwards'))?.published).toBe(1);
});

test('a change that loses every race is refused as unavailable, and its numbers are filled', async () => {
  const { deps, bucket } = await openBucket();
  const commits: Commits = {
    allocate: (ref) => deps.commits.allocate(ref),
    commit: async () => ({
      result: 'refused',
      changed: true,
      settled: false,
      replayed: false,
    }),
  };
  const intent = {
    bucket,
    key: 'a',
    check: () => undefined,
    build: () => {
      throw new Error('not reached');
    },
  };
  const tombstone = {
    ...intent,
    build: (place: { version: number; cursor: number; at: string }) => ({
      state: 'deleted' as const,
      bucket: BUCKET,
      key: 'a',
      version: place.version,
      cursor: place.cursor,
      deletedAt: place.at,
      ancestors: [],
    }),
  };
  await expect(commitChange({ ...deps, commits }, tombstone, undefined)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 1 } });
});
