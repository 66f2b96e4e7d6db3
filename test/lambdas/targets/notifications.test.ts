/** What a target receives, and where it starts. */

import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { DAY, put, remove } from '../../support/bucket-world';
import { cursorsOf, eventsOf, MINUTE, openTargets, target } from './targets-world';

describe('a target', () => {
  test('receives each change in the form of the channel', async () => {
    const receiver = target('all');
    const { deps, bucket, processBatch, record } = await openTargets(receiver);
    const object = await put(deps, 'a', 'x', { tag: 'y' });
    await remove(deps, 'a');
    await processBatch(record(bucket.name, bucket.id));
    expect(receiver.accepted).toEqual([
      {
        type: 'changes',
        bucket: 'photos',
        bucket_id: bucket.id,
        from: 0,
        to: 2,
        head: 2,
        changes: [
          {
            cursor: 1,
            type: 'put',
            object: expect.objectContaining({
              key: 'a',
              size: 1,
              metadata: { tag: 'y' },
              etag: object.state === 'live' && object.etag,
            }),
          },
          { cursor: 2, type: 'delete', object: expect.objectContaining({ key: 'a', version: 2 }) },
        ],
      },
    ]);
  });

  test('receives many changes in adjacent ranges', async () => {
    const receiver = target('all');
    const { deps, bucket, processBatch, record } = await openTargets(receiver);
    for (let n = 0; n < 250; n++) await put(deps, `k${n}`, 'x');
    await processBatch(record(bucket.name, bucket.id));
    expect(receiver.accepted.map(({ from, to }) => [from, to])).toEqual([
      [0, 100],
      [100, 200],
      [200, 250],
    ]);
  });

  test('receives a notification without changes for a no-op entry', async () => {
    const receiver = target('all', { maxBatchSize: 1 });
    const { deps, bucket, processBatch, record } = await openTargets(receiver);
    await put(deps, 'a', 'x');
    await deps.commits.allocate(bucket);
    await put(deps, 'b', 'x');
    // A writer may still be in flight.
    await processBatch(record(bucket.name, bucket.id));
    expect(receiver.accepted.map(({ to }) => to)).toEqual([1]);
    deps.clock.advance(MINUTE);
    await processBatch(record(bucket.name, bucket.id));
    expect(
      receiver.accepted.map((one) => [one.from, one.to, 'changes' in one && one.changes.length]),
    ).toEqual([
      [0, 1, 1],
      [1, 2, 0],
      [2, 3, 1],
    ]);
  });

  test('receives the last changes of a deleted bucket, and those of a new bucket of the same name', async () => {
    const receiver = target('all');
    const { deps, bucket, sweepAndNotify } = await openTargets(receiver);
    await sweepAndNotify();
    await put(deps, 'a', 'x');
    await remove(deps, 'a');
    await deleteBucket(deps, bucket);
    const again = await createBucket(deps, bucket.name);
    await put(deps, 'b', 'x');
    await sweepAndNotify();
    expect(receiver.accepted.map(({ bucket_id, to }) => [bucket_id, to]).sort()).toEqual(
      [
        [bucket.id, 2],
        [again?.id, 1],
      ].sort(),
    );
  });

  test('receives a reset when changes were trimmed before it accepted them', async () => {
    const receiver = target('all');
    const { deps, bucket, sweepAndNotify } = await openTargets(receiver);
    await sweepAndNotify();
    for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
    deps.clock.advance(8 * DAY);
    await put(deps, 'd', 'x');
    const log = await publishChanges(deps, bucket.name);
    if (log) await trimBucket(deps, bucket, log.stats, { entries: 100 });
    await sweepAndNotify();
    expect(receiver.accepted[0]).toEqual({
      type: 'reset',
      reason: 'cursor_expired',
      bucket: 'photos',
      bucket_id: bucket.id,
      from: 0,
      to: 3,
      oldest: 4,
      head: 4,
    });
    expect(cursorsOf(receiver)).toEqual([4]);
    expect(eventsOf(deps, 'notification_expired')).toMatchObject([
      { target: 'all', from: 0, oldest: 4 },
    ]);
  });
});

describe('a new target', () => {
  test.each([
    ['now', [4, 5]],
    ['oldest', [1, 2, 3, 4, 5]],
  ] as const)('starts at %s in a bucket that existed before it', async (startFrom, cursors) => {
    const receiver = target('new', { startFrom });
    const { deps, bucket, processBatch, record } = await openTargets(receiver);
    for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
    deps.clock.advance(60 * MINUTE);
    // Just before the target is first seen: the deployment may have ended by then.
    await put(deps, 'd', 'x');
    deps.clock.advance(MINUTE);
    await put(deps, 'e', 'x');
    await processBatch(record(bucket.name, bucket.id));
    expect(cursorsOf(receiver)).toEqual(cursors);
  });

  test('receives every change of a bucket that is created later', async () => {
    const receiver = target('new');
    const { deps, processBatch, record, sweepAndNotify } = await openTargets(receiver);
    await sweepAndNotify();
    deps.clock.advance(60 * MINUTE);
    const films = await createBucket(deps, 'films');
    if (!films) throw new Error('no bucket');
    await deps.commits.allocate({ name: 'films', id: films.id });
    deps.clock.advance(60 * MINUTE);
    await publishChanges(deps, 'films', { fillAllGaps: true });
    await processBatch(record('films', films.id));
    expect(receiver.accepted.map(({ bucket, from, to }) => [bucket, from, to])).toEqual([
      ['films', 0, 1],
    ]);
  });
});
