/** A target that fails, and a log of which it has missed a part. */
import { NEVER_STOP } from '../../../core/stop-signal';
import type { Notification } from '../../../core/targets/notifications';
import { notifyTarget } from '../../../core/targets/notify';
import { commitPuts, keysNamed } from '../../support/commits';
import { logged, openTarget, openWorld, rangesOf, write } from './target-world';

const failing = async (): Promise<number> => {
  throw new Error('down');
};

describe('a target that fails', () => {
  test.each([
    [5, 3, 32_000],
    [6, 1, 60_000],
    [7, 1, 60_000],
    [40, 1, 60_000],
  ])('after %j failures is given %j changes, and left alone for %j ms', async (...drawn) => {
    const [failures, entries, delay] = drawn;
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 150);
    const target = openTarget({ send: failing });
    deps.state.targetCursorsOf(target.id).set(bucket.id, { bucket, cursor: 0, failures });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('failing');
    expect(rangesOf(target)).toEqual([[[0, entries]]]);
    const lease = { until: deps.clock.now() + delay };
    expect(stored(target)).toEqual({ bucket, cursor: 0, failures: failures + 1, lease });
    expect(deps.clock.sleeps).toEqual([]);
  });

  test('is given the rest after it accepted a part, which ends its failures in a row', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 3);
    const seen: unknown[] = [];
    const accepts = [2, 1];
    const target = openTarget({
      maxBatchSize: 1,
      send: async () => {
        seen.push(stored(target)?.failures);
        return accepts.shift() ?? 0;
      },
    });
    deps.state.targetCursorsOf(target.id).set(bucket.id, { bucket, cursor: 0, failures: 2 });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(rangesOf(target)).toEqual([
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      [[2, 3]],
    ]);
    expect(seen).toEqual([2, 1]);
    expect(deps.clock.sleeps).toEqual([1000]);
    expect(stored(target)).toEqual({ bucket, cursor: 3, failures: 0 });
    const fields = { target: 'archive', bucket: 'photos', from: 0, accepted: 2 };
    expect(logged(deps, 'notification_refused')).toEqual([
      { level: 'error', event: 'notification_refused', fields },
    ]);
  });

  test('inside a commit is given the whole commit again', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 1);
    await commitPuts(deps, bucket, keysNamed('c', 3));
    const accepts = [3, 3];
    const target = openTarget({ maxBatchSize: 1, send: async () => accepts.shift() ?? 0 });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    const firsts = target.sent.map(([first]: readonly Notification[]) => first?.from);
    expect(firsts).toEqual([0, 1]);
    expect(stored(target)).toEqual({ bucket, cursor: 4, failures: 0 });
  });
});

describe('a target whose next changes were trimmed', () => {
  test('receives a reset, and the later changes under the same lease', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 5);
    await deps.buckets.raiseOldest(bucket, 4);
    await deps.changeLog.remove(bucket.id, [1, 2, 3]);
    const leases: unknown[] = [];
    const target = openTarget({
      send: async ({ length }) => {
        leases.push(stored(target)?.lease?.holder);
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(target.sent[0]).toEqual([
      {
        ...{ type: 'reset', bucket: 'photos', bucket_id: bucket.id, reason: 'cursor_expired' },
        ...{ from: 0, to: 3, oldest: 4, head: 3 },
      },
    ]);
    expect(rangesOf(target).slice(1)).toEqual([[[3, 5]]]);
    expect(leases[1]).toBe(leases[0]);
    const fields = { target: 'archive', bucket: 'photos', from: 0, oldest: 4, head: 3 };
    expect(logged(deps, 'notification_expired')).toEqual([
      { level: 'error', event: 'notification_expired', fields },
    ]);
  });
});
