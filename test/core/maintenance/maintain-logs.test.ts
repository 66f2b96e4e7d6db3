import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { createBucket } from '../../../core/objects/buckets';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

describe('log maintenance', () => {
  test('maintains the other buckets when one fails, and then throws an error that names it', async () => {
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

  test('trims eight buckets at a time; a stopped round is continued with the next bucket', async () => {
    const { deps } = await openBucket();
    const names = new Map<string, string>();
    for (let n = 10; n < 30; n++) {
      const bucket = await createBucket(deps, `bucket-${n}`);
      if (!bucket) throw new Error('no bucket');
      names.set(bucket.id, bucket.name);
      await deps.commits.allocate(bucket);
    }
    await maintainLogs(deps, NEVER_STOP);

    const get = deps.changeLog.get.bind(deps.changeLog);
    let begun: string[] = [];
    let running = 0;
    let most = 0;
    jest.spyOn(deps.changeLog, 'get').mockImplementation(async (id, cursor) => {
      begun.push(names.get(id) ?? id);
      most = Math.max(most, ++running);
      const entry = await get(id, cursor);
      running -= 1;
      return entry;
    });
    await maintainLogs(
      deps,
      stopWhen(() => begun.length > 0),
    );
    expect(begun.length).toBeLessThanOrEqual(8);
    const last = begun.at(-1);
    begun = [];
    await maintainLogs(deps, NEVER_STOP);
    const sorted = [...names.values()].sort();
    const next = sorted.indexOf(last ?? '') + 1;
    expect(begun).toEqual([...sorted.slice(next), ...sorted.slice(0, next)]);
    expect(most).toBe(8);
  });
});
