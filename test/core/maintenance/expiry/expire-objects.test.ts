import { createBucket } from '../../../../core/buckets/buckets';
import { changeView } from '../../../../core/log/change-view';
import { nextDigest } from '../../../../core/log/digest';
import { expireObjects } from '../../../../core/maintenance/expire-objects';
import { NEVER_STOP, stopWhen } from '../../../../core/stop-signal';
import { versionView } from '../../../../core/views';
import { openBucket, put, type World } from '../../../support/bucket-world';
import { readLog } from '../../../support/invariants';
import { HOUR, inFuture, liveKeys, MINUTE, patchExpiry, putExpiring } from './world';

const expire = expireObjects;

describe('the deletion of expired objects', () => {
  test('deletes an object after its expiry, and never before', async () => {
    const { deps, bucket } = await openBucket();
    await putExpiring(deps, 'a', inFuture(deps, HOUR));
    await put(deps, 'b', 'stays');
    deps.clock.advance(HOUR);
    await expire(deps, NEVER_STOP);
    // The clock of this function may be ahead.
    expect(liveKeys(deps, bucket.id)).toEqual(['a', 'b']);
    deps.clock.advance(MINUTE);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual(['b']);
  });

  test('names its cause in the change, in the versions and in the digest of the log', async () => {
    const { deps, bucket } = await openBucket();
    await putExpiring(deps, 'a', inFuture(deps, MINUTE));
    deps.clock.advance(2 * MINUTE);
    await expire(deps, NEVER_STOP);
    const entry = await deps.changeLog.get(bucket.id, 2);
    const stats = await deps.buckets.stats(bucket.name);
    if (!entry || entry.type === 'noop' || !stats) throw new Error('no change');
    expect(changeView(entry)).toMatchObject({ cursor: 2, type: 'delete', cause: 'expired' });
    expect(versionView(entry.object)).toMatchObject({ type: 'delete', cause: 'expired' });
    expect(versionView(entry.object)).not.toHaveProperty('by');
    const { cause: _, ...byClient } = entry.object as typeof entry.object & { cause?: string };
    const other = { ...entry, object: byClient as typeof entry.object };
    expect(changeView(other)).not.toHaveProperty('cause');
    expect(nextDigest(stats, [entry])).not.toEqual(nextDigest(stats, [other]));
  });

  test('deletes what expired while no run has ever succeeded', async () => {
    const { deps, bucket } = await openBucket();
    await putExpiring(deps, 'a', inFuture(deps, HOUR));
    deps.clock.advance(30 * HOUR);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('deletes several objects in one commit', async () => {
    const { deps, bucket } = await openBucket();
    const expiresAt = inFuture(deps, MINUTE);
    for (let n = 0; n < 70; n++) await putExpiring(deps, `k${n}`, expiresAt);
    deps.clock.advance(2 * MINUTE);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
    const entries = await deps.changeLog.read(bucket.id, 70, 140);
    const commits = new Set(
      entries.map((entry) => (entry.type !== 'noop' && entry.commit?.first) || entry.cursor),
    );
    // The objects lie in eight slots.
    expect(commits.size).toBeLessThanOrEqual(16);
  });

  test('deletes in one run what the index returns in several pages', async () => {
    const { deps, bucket } = await openBucket();
    const expiresAt = inFuture(deps, MINUTE);
    for (let n = 0; n < 40; n++) await putExpiring(deps, `k${n}`, expiresAt);
    deps.clock.advance(2 * MINUTE);
    const due = deps.objects.due.bind(deps.objects);
    jest
      .spyOn(deps.objects, 'due')
      .mockImplementation((slot, until, _limit, after) => due(slot, until, 2, after));
    await expire(deps, NEVER_STOP);
    jest.restoreAllMocks();
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('leaves an object that was overwritten, patched or deleted after it was found', async () => {
    const { deps, bucket } = await openBucket();
    for (const key of ['deleted', 'due', 'kept', 'later', 'new']) {
      await putExpiring(deps, key, inFuture(deps, MINUTE));
    }
    deps.clock.advance(2 * MINUTE);
    const getMany = deps.objects.getMany.bind(deps.objects);
    const change = async (key: string | undefined) => {
      if (key === 'kept') await patchExpiry(deps, key, null);
      if (key === 'later') await patchExpiry(deps, key, inFuture(deps, HOUR));
      if (key === 'new') await putExpiring(deps, key);
      if (key === 'deleted') await deps.state.objectsOf(bucket.id).delete(key);
    };
    const changed = new Set<string>();
    jest.spyOn(deps.objects, 'getMany').mockImplementation(async (id, keys) => {
      const found = await getMany(id, keys);
      for (const key of keys) {
        if (changed.has(key)) continue;
        changed.add(key);
        await change(key);
      }
      return found;
    });
    await expire(deps, NEVER_STOP);
    jest.restoreAllMocks();
    expect(liveKeys(deps, bucket.id)).toEqual(['kept', 'later', 'new']);
    deps.clock.advance(2 * HOUR);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual(['kept', 'new']);
  });

  test('finds an object that had expired before it was committed', async () => {
    const { deps, bucket } = await openBucket();
    deps.clock.advance(100 * HOUR);
    await expire(deps, NEVER_STOP);
    // An upload by signed URL may be reported days after it was signed.
    await putExpiring(deps, 'a', inFuture(deps, -50 * HOUR));
    deps.clock.advance(3 * HOUR);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('catches up after days without a run', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps, NEVER_STOP);
    for (let day = 0; day < 5; day++) {
      await putExpiring(deps, `k${day}`, inFuture(deps, (day + 1) * 24 * HOUR));
    }
    deps.clock.advance(6 * 24 * HOUR);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('continues in the next run where a run was stopped', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps, NEVER_STOP);
    for (let n = 0; n < 40; n++) await putExpiring(deps, `k${n}`, inFuture(deps, n * 20 * MINUTE));
    deps.clock.advance(20 * HOUR);
    for (let run = 0; liveKeys(deps, bucket.id).length > 0; run++) {
      expect(run).toBeLessThan(60);
      let asked = 0;
      await expire(
        deps,
        stopWhen(() => ++asked > 20),
      );
    }
  });

  test('leaves a failing bucket to the next run, after the other ones', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps, NEVER_STOP);
    const other = await createBucket(deps, 'zebra');
    await putExpiring(deps, 'a', inFuture(deps, MINUTE));
    const allocate = deps.commits.allocate.bind(deps.commits);
    jest.spyOn(deps.commits, 'allocate').mockImplementation(async (ref, count, at) => {
      if (ref.id === bucket.id) throw new Error('throttled');
      return allocate(ref, count, at);
    });
    // Beyond the hours that every run reads.
    deps.clock.advance(10 * HOUR);
    await expect(expire(deps, NEVER_STOP)).rejects.toThrow(`failed for ${bucket.id}`);
    jest.restoreAllMocks();
    expect(other).toBeDefined();
    expect(liveKeys(deps, bucket.id)).toEqual(['a']);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  /** A bucket whose commits fail until the returned function is called. */
  const breakBucket = (deps: World, id: string) => {
    const allocate = deps.commits.allocate.bind(deps.commits);
    const spy = jest.spyOn(deps.commits, 'allocate').mockImplementation(async (ref, ...others) => {
      if (ref.id === id) throw new Error('throttled');
      return allocate(ref, ...others);
    });
    return () => spy.mockRestore();
  };

  test('a bucket that fails takes no time from others, before or after it', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps, NEVER_STOP);
    const other = await createBucket(deps, 'zebra');
    if (!other) throw new Error('no bucket');
    for (let n = 0; n < 30; n++) await putExpiring(deps, `k${n}`, inFuture(deps, n * HOUR));
    await putExpiring(deps, 'b', inFuture(deps, 60 * HOUR), other.name);
    const mend = breakBucket(deps, bucket.id);
    deps.clock.advance(40 * HOUR);
    await expect(expire(deps, NEVER_STOP)).rejects.toThrow(bucket.id);
    const { getMany } = deps.objects;
    let attempts = 0;
    jest.spyOn(deps.objects, 'getMany').mockImplementation((id, keys) => {
      if (id === bucket.id) attempts += 1;
      return getMany.call(deps.objects, id, keys);
    });
    deps.clock.advance(21 * HOUR);
    let asked = 0;
    // Enough for the hours since the last run, not for those with failures.
    const signal = stopWhen(() => ++asked > 24 * 8 + 2);
    await expire(deps, signal).catch(() => undefined);
    expect(liveKeys(deps, other.id)).toEqual([]);
    expect(liveKeys(deps, bucket.id)).toHaveLength(30);
    await expect(expire(deps, NEVER_STOP)).rejects.toThrow(bucket.id);
    // In each run at most one attempt for each slot of an hour.
    expect(attempts).toBeLessThanOrEqual(2 * 8);
    mend();
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
    jest.restoreAllMocks();
  });

  test('returns to a bucket whose deletion was undone', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps, NEVER_STOP);
    await putExpiring(deps, 'a', inFuture(deps, MINUTE));
    await deps.buckets.close(bucket, deps.clock.iso());
    deps.clock.advance(10 * HOUR);
    await expire(deps, NEVER_STOP);
    await deps.buckets.reopen(bucket);
    deps.clock.advance(10 * HOUR);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
    const record = await deps.buckets.get(bucket.name);
    const log = record && (await readLog(deps.changeLog, record));
    expect(log?.filter(({ type }) => type === 'delete')).toHaveLength(1);
  });

  test('begins with the present when the clock was set back', async () => {
    const { deps, bucket } = await openBucket();
    await deps.serviceState.save('expiry', '2999-01-01T00');
    await putExpiring(deps, 'a', inFuture(deps, MINUTE));
    deps.clock.advance(2 * MINUTE);
    await expire(deps, NEVER_STOP);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });
});
