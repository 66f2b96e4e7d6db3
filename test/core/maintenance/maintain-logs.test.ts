import { createBucket } from '../../../core/buckets/buckets';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
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
    const fields = { bucket: 'afterwards', error: new Error('throttled') };
    expect(deps.log.lines).toEqual([{ level: 'error', event: 'bucket_failed', fields }]);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(1);
    jest.restoreAllMocks();
    await maintainLogs(deps, NEVER_STOP);
    expect((await deps.buckets.stats('afterwards'))?.published).toBe(1);
  });

  test('trims at most eight buckets at a time, and continues a stopped round', async () => {
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
    expect(most).toBeLessThanOrEqual(8);
  });

  test('reports the age of the oldest change that it published, in seconds', async () => {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket);
    await put(deps, 'a', 'one');
    deps.clock.advance(28_000);
    await put(deps, 'b', 'one');
    const other = await createBucket(deps, 'other');
    await deps.commits.allocate({ name: 'other', id: other?.id ?? '' });
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.meter.amounts('PublishLag')).toEqual([30]);
  });

  test('fills only the gaps that were there when it began', async () => {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket);
    const sleep = async (milliseconds: number) => {
      deps.clock.advance(milliseconds);
      await deps.commits.allocate(bucket);
    };
    const clock = Object.assign(Object.create(deps.clock) as typeof deps.clock, { sleep });
    await maintainLogs({ ...deps, clock }, NEVER_STOP);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(1);
  });
});
