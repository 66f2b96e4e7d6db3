/** One target and one bucket: leases, and how a run ends. */
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { notifyTarget } from '../../../core/targets/notify';
import { put, type World } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { MINUTE, openTarget, openWorld, rangesOf, write } from './target-world';

/** Another process on the same state, in which `act` runs at each operation of the port. */
function withStep(deps: World, port: string, operation: string, act: () => unknown): World {
  const fakes = createFakes({
    ...deps,
    yieldPoint: async (step) => {
      if (step.port === port && step.operation === operation && step.when === 'before') await act();
    },
  });
  return { ...deps, ...fakes, log: deps.log };
}

describe('a run without anything to send', () => {
  test('is done, and takes no lease', async () => {
    const { deps, bucket, stored } = await openWorld();
    const target = openTarget();
    expect(await notifyTarget(deps, target, bucket, { aborted: true })).toBe('done');
    expect(target.sent).toEqual([]);
    expect(stored(target)).toBeUndefined();
  });

  test('is done in a bucket whose log is gone', async () => {
    const { deps } = await openWorld();
    const gone = { name: 'photos', id: 'b00000000099' };
    expect(await notifyTarget(deps, openTarget(), gone, NEVER_STOP)).toBe('done');
  });

  test('is done at a gap that a writer may still fill, and releases the lease', async () => {
    const { deps, bucket, stored } = await openWorld();
    await deps.commits.allocate(bucket);
    const target = openTarget();
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(target.sent).toEqual([]);
    expect(stored(target)).toEqual({ bucket, cursor: 0, failures: 0 });
  });

  test('is busy when another attempt took the lease meanwhile', async () => {
    const { deps, bucket, stored } = await openWorld();
    await deps.commits.allocate(bucket);
    const target = openTarget();
    const lease = { holder: 'other', until: deps.clock.now() + MINUTE };
    const taken = { bucket, cursor: 0, failures: 0, lease };
    const racing = withStep(deps, 'changeLog', 'readShown', () =>
      deps.state.targetCursorsOf(target.id).set(bucket.id, taken),
    );
    expect(await notifyTarget(racing, target, bucket, NEVER_STOP)).toBe('busy');
    expect(stored(target)).toEqual(taken);
  });
});

describe('the lease', () => {
  test('lasts for the timeout of the target and 15 seconds, from each read on', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 150);
    const left: unknown[] = [];
    const target = openTarget({
      send: async ({ length }) => {
        left.push((stored(target)?.lease?.until ?? 0) - deps.clock.now());
        deps.clock.advance(7_000);
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(left).toEqual([25_000, 25_000]);
    expect(stored(target)).toEqual({ bucket, cursor: 150, failures: 0 });
  });

  test('of another attempt leaves the bucket to it', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 1);
    const target = openTarget();
    const lease = { holder: 'other', until: deps.clock.now() + 1 };
    deps.state.targetCursorsOf(target.id).set(bucket.id, { bucket, cursor: 0, failures: 0, lease });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('busy');
    expect(target.sent).toEqual([]);
    deps.clock.advance(1);
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(stored(target)).toEqual({ bucket, cursor: 1, failures: 0 });
  });

  test('that was lost while the target was called ends the run', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 150);
    const lease = { holder: 'other', until: deps.clock.now() + MINUTE };
    const target = openTarget({
      send: async ({ length }) => {
        const taken = { bucket, cursor: 0, failures: 0, lease };
        deps.state.targetCursorsOf(target.id).set(bucket.id, taken);
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('busy');
    expect(target.sent).toHaveLength(1);
    expect(stored(target)).toEqual({ bucket, cursor: 0, failures: 0, lease });
  });
});

describe('a run', () => {
  test('sends what was written while the target was called', async () => {
    const { deps, bucket } = await openWorld();
    await write(deps, 1);
    const target = openTarget({
      send: async ({ length }) => {
        if (target.sent.length < 3) await put(deps, 'new', 'x');
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(rangesOf(target)).toEqual([[[0, 1]], [[1, 2]], [[2, 3]]]);
  });

  test('sends what follows a gap that its writer fills meanwhile', async () => {
    const { deps, bucket } = await openWorld();
    await write(deps, 1);
    await deps.commits.allocate(bucket);
    const target = openTarget({
      send: async ({ length }) => {
        const entry = { type: 'noop', bucket: bucket.name, cursor: 2, at: deps.clock.iso() };
        await deps.changeLog.fill(bucket.id, { ...entry, type: 'noop' });
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(rangesOf(target)).toEqual([[[0, 1]], [[1, 2]]]);
  });

  test('looks again at a log that had no gap, and fills one that its writer left since', async () => {
    const { deps, bucket } = await openWorld();
    await write(deps, 1);
    const target = openTarget({
      send: async ({ length }) => {
        if (target.sent.length > 1) return length;
        await deps.commits.allocate(bucket);
        await put(deps, 'new', 'x');
        deps.clock.advance(3000);
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(rangesOf(target)).toEqual([[[0, 1]], [[1, 3]]]);
  });

  test('ends at a gap although more was written after it', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 1);
    await deps.commits.allocate(bucket);
    const target = openTarget({
      send: async ({ length }) => {
        await put(deps, 'new', 'x');
        return length;
      },
    });
    expect(await notifyTarget(deps, target, bucket, NEVER_STOP)).toBe('done');
    expect(rangesOf(target)).toEqual([[[0, 1]]]);
    expect(stored(target)).toEqual({ bucket, cursor: 1, failures: 0 });
  });

  test.each([150, 50])('that is stopped with %j changes keeps no lease', async (count) => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, count);
    const target = openTarget();
    const signal = stopWhen(() => target.sent.length > 0);
    expect(await notifyTarget(deps, target, bucket, signal)).toBe('stopped');
    expect(stored(target)).toEqual({ bucket, cursor: Math.min(count, 100), failures: 0 });
  });

  test('sends nothing when it is stopped before it begins', async () => {
    const { deps, bucket, stored } = await openWorld();
    await write(deps, 1);
    const target = openTarget();
    expect(await notifyTarget(deps, target, bucket, { aborted: true })).toBe('stopped');
    expect(target.sent).toEqual([]);
    expect(stored(target)).toBeUndefined();
  });
});
