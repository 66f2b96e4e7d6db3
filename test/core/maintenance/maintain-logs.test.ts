import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { createBucket } from '../../../core/objects/buckets';
import { NEVER_STOP } from '../../../core/stop-signal';
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
});
