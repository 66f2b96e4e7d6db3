/** What a sweep reports and sends, and what of it fails alone. */
import { createBucket } from '../../../core/buckets/buckets';
import { NEVER_STOP } from '../../../core/stop-signal';
import { sweep } from '../../../core/targets/sweep';
import { put, type World } from '../../support/bucket-world';
import { logged, MINUTE, openTarget, openWorld } from './target-world';

/** A registered target, and one bucket in which it is at the cursor 0. */
async function openSwept(...ids: string[]) {
  const world = await openWorld();
  const targets = ids.map((id) => openTarget({ id }));
  await sweep(world.deps, targets, NEVER_STOP);
  return { ...world, targets };
}

/** The same ports, of which one operation fails for the target `bad`. */
function withFailing(deps: World, operation: 'register' | 'list'): World {
  const { targetCursors } = deps;
  const failing =
    (call: (target: string, now: number) => Promise<unknown>) =>
    async (target: string, now: number) => {
      if (target === 'bad') throw new Error('throttled');
      return call.call(targetCursors, target, now);
    };
  const broken = { [operation]: failing(targetCursors[operation]) };
  return { ...deps, targetCursors: Object.assign(Object.create(targetCursors), broken) };
}

test.each([
  [5 * MINUTE - 1, []],
  [5 * MINUTE, [{ seconds: 300 }]],
  [7 * MINUTE + 600, [{ seconds: 421 }]],
])('a change that has waited for %j ms is reported: %j', async (age, reported) => {
  const { deps, bucket, targets } = await openSwept('archive');
  deps.state.targetCursorsOf('archive').set(bucket.id, { bucket, cursor: 1, failures: 4 });
  for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
  deps.clock.advance(age);
  await sweep(deps, targets, NEVER_STOP);
  const fields = { target: 'archive', bucket: 'photos', from: 1, behind: 2, failures: 4 };
  expect(logged(deps, 'notification_late')).toEqual(
    reported.map((one) => ({
      ...{ level: 'error', event: 'notification_late', fields: { ...fields, ...one } },
    })),
  );
  expect(deps.state.targetTasks).toEqual([{ target: 'archive', buckets: [bucket] }]);
});

test('a task names at most 100 buckets', async () => {
  const { deps, targets } = await openSwept('archive');
  const created = Array.from({ length: 200 }, (_, n) => `bucket-${n}`);
  for (const name of created) {
    const bucket = await createBucket(deps, name);
    if (bucket) await deps.commits.allocate(bucket);
  }
  await sweep(deps, targets, NEVER_STOP);
  expect(deps.state.targetTasks.map(({ buckets }) => buckets.length)).toEqual([100, 100]);
  const named = deps.state.targetTasks.flatMap(({ buckets }) => buckets.map(({ name }) => name));
  expect(named.sort()).toEqual(created.sort());
});

test.each(['register', 'list'] as const)(
  'the other targets get their tasks when %s fails for one target',
  async (operation) => {
    const { deps, bucket, targets } = await openSwept('bad', 'good');
    await put(deps, 'a', 'x');
    const swept = sweep(withFailing(deps, operation), targets, NEVER_STOP);
    await expect(swept).rejects.toThrow('failed for bad');
    expect(deps.state.targetTasks).toEqual([{ target: 'good', buckets: [bucket] }]);
    const fields = { target: 'bad', error: new Error('throttled') };
    expect(logged(deps, 'target_sweep_failed')).toEqual([
      { level: 'error', event: 'target_sweep_failed', fields },
    ]);
  },
);
