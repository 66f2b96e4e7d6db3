import { createBucket } from '../../../core/buckets/buckets';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { BUCKET, DAY, openBucket, put } from '../../support/bucket-world';

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

  test('waits two seconds before it fills gaps, and not at all when nothing is left', async () => {
    const { deps, bucket } = await openBucket();
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.clock.sleeps).toEqual([]);
    await deps.commits.allocate(bucket);
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.clock.sleeps).toEqual([2000]);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(1);
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

  test.each([
    ['only gaps', 0],
    ['a change of a clock that is ahead', 60_000],
  ])('reports no age for %s', async (_name, ahead) => {
    const { deps, bucket } = await openBucket();
    deps.clock.advance(ahead);
    if (ahead > 0) await put(deps, 'a', 'one');
    else await deps.commits.allocate(bucket);
    deps.clock.advance(-ahead);
    await maintainLogs(deps, NEVER_STOP);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(1);
    expect(deps.meter.amounts('PublishLag')).toEqual([]);
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

  test('does nothing more when its time ends while it publishes', async () => {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket);
    const other = await createBucket(deps, 'other');
    await deps.commits.allocate({ name: 'other', id: other?.id ?? '' });
    let measured = 0;
    const { consumers } = deps;
    const all = async () => {
      measured += 1;
      return [];
    };
    const counting = Object.assign(Object.create(consumers) as typeof consumers, { all });
    const signal = stopWhen(() => deps.clock.sleeps.length > 0);
    await maintainLogs({ ...deps, consumers: counting }, signal);
    expect(measured).toBe(0);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(0);
    await maintainLogs({ ...deps, consumers: counting }, NEVER_STOP);
    expect(measured).toBe(1);
  });

  test('names the consumers when they cannot be measured, and trims', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await maintainLogs(deps, NEVER_STOP);
    deps.clock.advance(8 * DAY);
    const error = new Error('throttled');
    const { consumers } = deps;
    const all = () => Promise.reject(error);
    const failing = Object.assign(Object.create(consumers) as typeof consumers, { all });
    const run = maintainLogs({ ...deps, consumers: failing }, NEVER_STOP);
    await expect(run).rejects.toThrow('failed for consumers');
    expect(deps.log.lines).toEqual([{ level: 'error', event: 'bucket_failed', fields: { error } }]);
    expect(await deps.changeLog.get(bucket.id, 1)).toBeUndefined();
  });

  test('names the bucket that it cannot trim, and trims the others', async () => {
    const { deps, bucket } = await openBucket();
    const other = await createBucket(deps, 'other');
    await put(deps, 'a', 'one');
    await deps.commits.allocate({ name: 'other', id: other?.id ?? '' });
    await maintainLogs(deps, NEVER_STOP);
    deps.clock.advance(8 * DAY);
    const error = new Error('throttled');
    const { changeLog } = deps;
    const remove = async (id: string, cursors: readonly number[]) => {
      if (id === bucket.id) throw error;
      await changeLog.remove(id, cursors);
    };
    const failing = Object.assign(Object.create(changeLog) as typeof changeLog, { remove });
    const run = maintainLogs({ ...deps, changeLog: failing }, NEVER_STOP);
    await expect(run).rejects.toThrow(`failed for ${BUCKET}`);
    expect(deps.log.lines).toEqual([
      { level: 'error', event: 'bucket_failed', fields: { bucket: BUCKET, error } },
    ]);
    expect(deps.state.changesOf(other?.id ?? '').size).toBe(0);
    expect(deps.state.service.has('trimmed-bucket')).toBe(false);
  });

  test('continues to trim below a mark that an earlier run has raised', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await maintainLogs(deps, NEVER_STOP);
    await deps.buckets.raiseOldest(bucket, 2);
    await maintainLogs(deps, NEVER_STOP);
    expect(await deps.changeLog.get(bucket.id, 1)).toBeUndefined();
    expect((await deps.buckets.stats(BUCKET))?.trimmed).toBe(2);
    const reads: number[] = [];
    const { changeLog } = deps;
    const get = (id: string, cursor: number) => {
      reads.push(cursor);
      return changeLog.get(id, cursor);
    };
    const watching = Object.assign(Object.create(changeLog) as typeof changeLog, { get });
    await maintainLogs({ ...deps, changeLog: watching }, NEVER_STOP);
    expect(reads).toEqual([]);
  });
});
