/** Targets that fail, and the sweep that finds what was not sent. */
import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { put } from '../../support/bucket-world';
import {
  cursorsOf,
  eventsOf,
  MINUTE,
  openTargets,
  type RecordingTarget,
  target,
} from './targets-world';

describe('a target that fails', () => {
  test('is notified again with fewer changes at a time, and does not delay other targets', async () => {
    const [bad, good] = [target('bad'), target('good')];
    bad.failures.push(...Array.from({ length: 4 }, () => new Error('down')));
    const { deps, bucket, processBatch, record, sweepAndNotify } = await openTargets(bad, good);
    for (let n = 0; n < 20; n++) await put(deps, `k${n}`, 'x');
    await processBatch(record(bucket.name, bucket.id));
    expect(cursorsOf(good)).toHaveLength(20);
    expect(cursorsOf(bad)).toEqual([]);
    // The target backs off, so this batch does not reach it.
    await processBatch(record(bucket.name, bucket.id));
    expect(bad.failures).toHaveLength(1);
    deps.clock.advance(MINUTE);
    await sweepAndNotify();
    expect(bad.failures).toHaveLength(0);
    deps.clock.advance(MINUTE);
    await sweepAndNotify();
    expect(bad.accepted.map(({ from, to }) => [from, to])).toEqual([
      [0, 6],
      [6, 20],
    ]);
    expect(eventsOf(deps, 'notification_failed')).toHaveLength(4);
  });

  test('receives everything before the change that it rejects, and nothing after it', async () => {
    const receiver = target('picky');
    const send = receiver.send;
    const picky: RecordingTarget = {
      ...receiver,
      send: async (messages) => {
        const bad = messages.some(
          (one) => one.type === 'changes' && one.changes.some(({ cursor }) => cursor === 12),
        );
        if (bad) throw new Error('poison');
        return send(messages);
      },
    };
    const { deps, bucket, sweepAndNotify, processBatch, record } = await openTargets(picky);
    for (let n = 0; n < 20; n++) await put(deps, `k${n}`, 'x');
    await processBatch(record(bucket.name, bucket.id));
    for (let n = 0; n < 30; n++) {
      deps.clock.advance(MINUTE);
      await sweepAndNotify();
    }
    expect(cursorsOf(receiver)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const late = eventsOf(deps, 'notification_late').at(-1);
    expect(late).toMatchObject({ target: 'picky', bucket: 'photos', from: 11, behind: 9 });
    expect(Number(late?.seconds)).toBeGreaterThan(25 * 60);
  });
});

describe('a sweep', () => {
  test('sends a task only when a target is behind', async () => {
    const receiver = target('all');
    const { deps, bucket, sweep, performTasks } = await openTargets(receiver);
    await sweep();
    await put(deps, 'a', 'x');
    await sweep();
    expect(deps.state.targetTasks).toEqual([
      { target: 'all', buckets: [{ name: 'photos', id: bucket.id }] },
    ]);
    await performTasks();
    await sweep();
    expect(deps.state.targetTasks).toEqual([]);
  });

  test('removes the cursor in a bucket whose log is purged', async () => {
    const receiver = target('all');
    const { deps, bucket, sweepAndNotify } = await openTargets(receiver);
    deps.clock.advance(MINUTE);
    await sweepAndNotify();
    await deleteBucket(deps, bucket);
    await sweepAndNotify();
    expect([...deps.state.targetCursorsOf('all').keys()]).toEqual([bucket.id]);
    await deps.buckets.purge(bucket.id);
    await sweepAndNotify();
    expect(deps.state.targetCursorsOf('all').size).toBe(0);
  });

  test('fails when a cursor is ahead of its bucket, and continues with the other buckets', async () => {
    const receiver = target('all');
    const { deps, bucket, sweep, performTasks } = await openTargets(receiver);
    await sweep();
    deps.state.targetCursorsOf('all').set(bucket.id, { bucket, cursor: 9, failures: 0 });
    const zoo = await createBucket(deps, 'zoo');
    await deps.commits.allocate({ name: 'zoo', id: zoo?.id ?? '' });
    await expect(sweep()).rejects.toThrow('failed for all');
    expect(eventsOf(deps, 'target_sweep_failed')).toMatchObject([
      { target: 'all', bucket: 'photos' },
    ]);
    expect(deps.state.targetTasks).toHaveLength(1);
    await performTasks();
  });
});
