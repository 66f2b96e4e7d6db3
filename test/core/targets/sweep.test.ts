/** What a sweep reports and sends, and what of it fails alone. */
import { createBucket } from '../../../core/buckets/buckets';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { sweep } from '../../../core/targets/sweep';
import { put, type World } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
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
])('a change that waits for %j ms is reported as %j', async (age, reported) => {
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

test('a bucket of which a target has no cursor yet is reported from its first change', async () => {
  const { deps, targets } = await openSwept('archive');
  deps.clock.advance(1);
  const films = await createBucket(deps, 'films');
  if (!films) throw new Error('no bucket');
  await deps.commits.allocate(films);
  const at = deps.clock.iso();
  await deps.changeLog.fill(films.id, { type: 'noop', bucket: 'films', cursor: 1, at });
  deps.clock.advance(10 * MINUTE);
  await sweep(deps, targets, NEVER_STOP);
  expect(logged(deps, 'notification_late').map(({ fields }) => fields)).toEqual([
    { target: 'archive', bucket: 'films', from: 0, behind: 1, seconds: 600, failures: 0 },
  ]);
});

test('changes that were trimmed before the target had them are not reported as late', async () => {
  const { deps, bucket, targets } = await openSwept('archive');
  await put(deps, 'a', 'x');
  await deps.changeLog.remove(bucket.id, [1]);
  deps.clock.advance(60 * MINUTE);
  await sweep(deps, targets, NEVER_STOP);
  expect(logged(deps, 'notification_late')).toEqual([]);
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
  'a failure of %s for one target leaves the others their tasks',
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

test('a target whose registration fails is named, and the next one is registered', async () => {
  const { deps } = await openWorld();
  const targets = ['bad', 'good'].map((id) => openTarget({ id }));
  const swept = sweep(withFailing(deps, 'list'), targets, NEVER_STOP);
  await expect(swept).rejects.toThrow('failed for bad');
  const fields = { target: 'bad', error: new Error('throttled') };
  expect(logged(deps, 'target_sweep_failed').map((line) => line.fields)).toEqual([fields]);
  expect(deps.state.registrations.get('bad')?.complete).toBe(false);
  expect(deps.state.registrations.get('good')?.complete).toBe(true);
});

test('a target that does not follow a bucket keeps its cursor there, and gets no task', async () => {
  const { deps, bucket, stored } = await openSwept('archive');
  deps.state.targetCursorsOf('archive').set(bucket.id, { bucket, cursor: 0, failures: 0 });
  await put(deps, 'a', 'x');
  const narrow = openTarget({ buckets: ['films', 'photo'] });
  await sweep(deps, [narrow], NEVER_STOP);
  expect(deps.state.targetTasks).toEqual([]);
  expect(stored(narrow)).toEqual({ bucket, cursor: 0, failures: 0 });
});

test('a target of several names and prefixes follows what one of them matches', async () => {
  const { deps, bucket } = await openSwept('archive');
  deps.state.targetCursorsOf('archive').set(bucket.id, { bucket, cursor: 0, failures: 0 });
  await put(deps, 'a', 'x');
  await sweep(deps, [openTarget({ buckets: ['films', 'pho*'] })], NEVER_STOP);
  expect(deps.state.targetTasks).toEqual([{ target: 'archive', buckets: [bucket] }]);
});

test('a task that cannot be sent is logged with its target, and the next target gets its own', async () => {
  const { deps, bucket, targets } = await openSwept('bad', 'good');
  await put(deps, 'a', 'x');
  const error = new Error('throttled');
  const targetTasks = {
    send: async (task: (typeof deps.state.targetTasks)[number]) => {
      if (task.target === 'bad') throw error;
      await deps.targetTasks.send(task);
    },
  };
  const swept = sweep({ ...deps, targetTasks }, targets, NEVER_STOP);
  await expect(swept).rejects.toThrow('failed for bad');
  expect(logged(deps, 'target_sweep_failed').map(({ fields }) => fields)).toEqual([
    { target: 'bad', error },
  ]);
  expect(deps.state.targetTasks).toEqual([{ target: 'good', buckets: [bucket] }]);
});

test('a sweep that is stopped removes no cursor of a bucket that exists', async () => {
  const { deps, bucket, targets, stored } = await openSwept('archive');
  deps.state.targetCursorsOf('archive').set(bucket.id, { bucket, cursor: 0, failures: 0 });
  await put(deps, 'a', 'x');
  await sweep(
    deps,
    targets,
    stopWhen(() => true),
  );
  expect(deps.state.targetTasks).toEqual([]);
  expect(targets[0] && stored(targets[0])).toEqual({ bucket, cursor: 0, failures: 0 });
});

test.each([
  [0, 0],
  [2, 1],
])('a sweep of %j registered targets lists the buckets %j times', async (count, lists) => {
  const ids = ['a', 'b'].slice(0, count);
  const { deps, targets } = await openSwept(...ids);
  let listed = 0;
  const fakes = createFakes({
    ...deps,
    yieldPoint: ({ port, operation, when }) => {
      if (port === 'buckets' && operation === 'list' && when === 'before') listed += 1;
    },
  });
  await sweep({ ...deps, ...fakes }, targets, NEVER_STOP);
  expect(listed).toBe(lists);
});
