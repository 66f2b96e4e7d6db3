/** Registering a target when there are more buckets than one sweep has time for. */

import { createBucket } from '../../../core/buckets/buckets';
import { publishChanges } from '../../../core/log/publish';
import { stopWhen } from '../../../core/stop-signal';
import type { Target } from '../../../core/targets/ports';
import { sweep } from '../../../core/targets/sweep';
import { createFakes } from '../../support/fakes/fakes';

const BUCKETS = Array.from({ length: 10 }, (_, n) => `bucket-${n}`);
const HOUR_MS = 3_600_000;

const target = (id: string): Target => ({
  id,
  buckets: ['*'],
  startFrom: 'now',
  maxBatchSize: 100,
  timeoutMs: 1000,
  send: async (notifications) => notifications.length,
});

async function openWorld() {
  const calls: string[] = [];
  const deps = createFakes({
    yieldPoint: ({ port, operation, when }) => {
      if (when === 'before') calls.push(`${port}.${operation}`);
    },
  });
  const count = (call: string) => calls.filter((one) => one === call).length;
  /** Adds an old entry to the log of each bucket. */
  const write = async () => {
    for (const name of BUCKETS) {
      const record = await deps.buckets.get(name);
      await deps.commits.allocate({ name, id: record?.id ?? '' });
      await publishChanges(deps, name, { fillAllGaps: true });
    }
    deps.clock.advance(HOUR_MS);
  };
  for (const name of BUCKETS) await createBucket(deps, name);
  await write();
  /** A sweep that has time for so many buckets. */
  const sweepFor = async (targets: readonly Target[], buckets: number) => {
    calls.length = 0;
    await sweep(
      deps,
      targets,
      stopWhen(() => count('targetCursors.initialize') >= buckets),
    );
    return { initialized: count('targetCursors.initialize'), entries: count('changeLog.get') };
  };
  return { deps, sweepFor, write };
}

test('a registration that was stopped continues in the next sweep and logs how many buckets are left', async () => {
  const { deps, sweepFor } = await openWorld();
  const targets = [target('new')];
  expect(await sweepFor(targets, 4)).toEqual({ initialized: 4, entries: 4 });
  expect(await sweepFor(targets, 4)).toEqual({ initialized: 4, entries: 4 });
  expect(deps.state.registrations.get('new')?.complete).toBe(false);
  expect(await sweepFor(targets, 4)).toEqual({ initialized: 2, entries: 2 });
  expect(deps.state.registrations.get('new')?.complete).toBe(true);
  const logged = deps.log.lines.filter(({ event }) => event === 'registration_continues');
  expect(logged.map(({ fields }) => fields)).toEqual([
    { target: 'new', left: 6 },
    { target: 'new', left: 2 },
  ]);
  expect([...deps.state.targetCursorsOf('new').values()].map(({ cursor }) => cursor)).toEqual(
    BUCKETS.map(() => 1),
  );
});

test('a sweep sends the tasks of registered targets before it registers new ones', async () => {
  const { deps, sweepFor, write } = await openWorld();
  await sweepFor([target('old')], 100);
  await write();
  expect(await sweepFor([target('new'), target('old')], 4)).toMatchObject({ initialized: 4 });
  expect(deps.state.targetTasks.map((task) => [task.target, task.buckets.length])).toEqual([
    ['old', BUCKETS.length],
  ]);
});

test('a sweep sends the tasks of a target that it has just registered', async () => {
  const { deps, sweepFor } = await openWorld();
  await sweepFor([{ ...target('new'), startFrom: 'oldest' }], 100);
  expect(deps.state.targetTasks).toMatchObject([{ target: 'new' }]);
});
