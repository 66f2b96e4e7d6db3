/** Enrolling among more buckets than one run has time for. */

import { publishChanges } from '../../../core/log/feed';
import { createBucket } from '../../../core/objects/buckets';
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
  send: async (messages) => messages.length,
});

async function openWorld() {
  const looked: string[] = [];
  const deps = createFakes({
    yieldPoint: ({ port, operation, when }) => {
      if (when === 'before') looked.push(`${port}.${operation}`);
    },
  });
  const count = (call: string) => looked.filter((one) => one === call).length;
  /** A number in each bucket, which was used long ago. */
  const write = async () => {
    for (const name of BUCKETS) {
      const record = await deps.buckets.get(name);
      await deps.buckets.allocate({ name, id: record?.id ?? '' });
      await publishChanges(deps, name, { force: true });
    }
    deps.clock.advance(HOUR_MS);
  };
  for (const name of BUCKETS) await createBucket(deps, name);
  await write();
  /** A round that has time for so many buckets. */
  const look = async (targets: readonly Target[], buckets: number) => {
    looked.length = 0;
    await sweep(deps, targets, () => count('targetCursors.initialize') >= buckets);
    return { begun: count('targetCursors.initialize'), entries: count('changeLog.get') };
  };
  return { deps, look, write };
}

test('one that was stopped goes on where it was, repeats nothing, and says what is left', async () => {
  const { deps, look } = await openWorld();
  const targets = [target('new')];
  expect(await look(targets, 4)).toEqual({ begun: 4, entries: 4 });
  expect(await look(targets, 4)).toEqual({ begun: 4, entries: 4 });
  expect(deps.state.registrations.get('new')?.complete).toBe(false);
  expect(await look(targets, 4)).toEqual({ begun: 2, entries: 2 });
  expect(deps.state.registrations.get('new')?.complete).toBe(true);
  const told = deps.log.lines.filter(({ event }) => event === 'enrolment_continues');
  expect(told.map(({ fields }) => fields)).toEqual([
    { target: 'new', left: 6 },
    { target: 'new', left: 2 },
  ]);
  expect([...deps.state.targetCursorsOf('new').values()].map(({ cursor }) => cursor)).toEqual(
    BUCKETS.map(() => 1),
  );
});

test('the targets that are in are looked after before it goes on', async () => {
  const { deps, look, write } = await openWorld();
  await look([target('old')], 100);
  await write();
  expect(await look([target('new'), target('old')], 4)).toMatchObject({ begun: 4 });
  expect(deps.state.targetTasks.map((errand) => [errand.target, errand.buckets.length])).toEqual([
    ['old', BUCKETS.length],
  ]);
});

test('a target is looked after in the round in which it gets in', async () => {
  const { deps, look } = await openWorld();
  await look([{ ...target('new'), startFrom: 'oldest' }], 100);
  expect(deps.state.targetTasks).toMatchObject([{ target: 'new' }]);
});
