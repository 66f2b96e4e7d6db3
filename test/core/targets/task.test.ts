/** A task: registration first, then each bucket by itself. */
import { createBucket } from '../../../core/buckets/buckets';
import { NEVER_STOP } from '../../../core/stop-signal';
import { runTask } from '../../../core/targets/task';
import { put } from '../../support/bucket-world';
import { logged, openTarget, openWorld, rangesOf } from './target-world';

const fresh = () => ({ registered: new Set<string>(), signal: NEVER_STOP });

test('a task of a target that cannot be registered in its time notifies nothing', async () => {
  const { deps, bucket } = await openWorld();
  await put(deps, 'a', 'x');
  deps.clock.advance(1);
  const target = openTarget({ startFrom: 'oldest' });
  const registered = new Set<string>();
  await runTask(deps, target, [bucket], { registered, signal: { aborted: true } });
  expect(registered.size).toBe(0);
  expect(deps.state.registrations.get(target.id)?.complete).toBe(false);
  await runTask(deps, target, [bucket], { registered, signal: NEVER_STOP });
  expect(rangesOf(target)).toEqual([[[0, 1]]]);
  expect([...registered]).toEqual([target.id]);
});

test('a bucket that fails does not stop the others, and the task fails in the end', async () => {
  const { deps, bucket } = await openWorld();
  const target = openTarget();
  const options = fresh();
  await runTask(deps, target, [], options);
  const films = await createBucket(deps, 'films');
  if (!films) throw new Error('no bucket');
  await deps.commits.allocate(films);
  await put(deps, 'a', 'x');
  const error = new Error('throttled');
  const readShown = deps.changeLog.readShown.bind(deps.changeLog);
  const changeLog = Object.assign(Object.create(deps.changeLog) as typeof deps.changeLog, {
    readShown: async (id: string, after: number, to: number) => {
      if (id === films.id) throw error;
      return readShown(id, after, to);
    },
  });
  const task = runTask({ ...deps, changeLog }, target, [films, bucket], options);
  await expect(task).rejects.toBe(error);
  expect(rangesOf(target)).toEqual([[[0, 1]]]);
  expect(logged(deps, 'target_task_failed')).toEqual([
    {
      ...{ level: 'error', event: 'target_task_failed' },
      fields: { target: 'archive', bucket: 'films', error },
    },
  ]);
});
