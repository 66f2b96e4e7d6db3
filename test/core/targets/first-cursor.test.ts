/** Where a new target starts in the buckets that existed before it. */
import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { NEVER_STOP } from '../../../core/stop-signal';
import { register } from '../../../core/targets/register';
import { put, type World } from '../../support/bucket-world';
import { MINUTE, openTarget, openWorld } from './target-world';

/** Registers the target at that time, and returns its cursors by the names of the buckets. */
async function cursorsAt(deps: World, since: number, target = openTarget()) {
  const isDone = await register(deps, target, { since, complete: false }, NEVER_STOP);
  expect(isDone).toBe(true);
  const stored = [...deps.state.targetCursorsOf(target.id).values()];
  return Object.fromEntries(stored.map(({ bucket, cursor }) => [bucket.name, cursor]));
}

test.each([
  [15 * MINUTE - 1, 0],
  [15 * MINUTE, 0],
  [15 * MINUTE + 1, 1],
])('a change of %j ms before the target leaves its cursor at %j', async (age, cursor) => {
  const { deps } = await openWorld();
  await put(deps, 'a', 'x');
  expect(await cursorsAt(deps, deps.clock.now() + age)).toEqual({ photos: cursor });
});

test('the first cursor is before the first recent change, above what is trimmed', async () => {
  const { deps, bucket } = await openWorld();
  for (const key of ['a', 'b', 'c', 'd']) await put(deps, key, 'x');
  deps.clock.advance(60 * MINUTE);
  await put(deps, 'e', 'x');
  await deps.buckets.movePublished(bucket, { from: 0, to: 5, objects: 5, bytes: 5 });
  await deps.buckets.raiseOldest(bucket, 3);
  await deps.changeLog.remove(bucket.id, [1, 2]);
  const since = deps.clock.now() + MINUTE;
  expect(await cursorsAt(deps, since)).toEqual({ photos: 4 });
  const oldest = openTarget({ id: 'oldest', startFrom: 'oldest' });
  expect(await cursorsAt(deps, since, oldest)).toEqual({ photos: 2 });
});

test('the first cursor is not above a change whose writer is still at work', async () => {
  const { deps, bucket } = await openWorld();
  await put(deps, 'a', 'x');
  await deps.commits.allocate(bucket);
  expect(await cursorsAt(deps, deps.clock.now() + 60 * MINUTE)).toEqual({ photos: 1 });
});

test('the first cursor is above changes that are trimmed meanwhile', async () => {
  const { deps, bucket } = await openWorld();
  for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
  await deps.buckets.movePublished(bucket, { from: 0, to: 3, objects: 3, bytes: 3 });
  await deps.changeLog.remove(bucket.id, [1, 2]);
  expect(await cursorsAt(deps, deps.clock.now() + MINUTE)).toEqual({ photos: 2 });
});

test('a target has no cursor in buckets that are as new as it is', async () => {
  const { deps } = await openWorld();
  const gone = await createBucket(deps, 'gone');
  if (!gone) throw new Error('no bucket');
  deps.clock.advance(MINUTE);
  await deps.commits.allocate(gone);
  const since = deps.clock.now();
  await deleteBucket(deps, gone);
  await createBucket(deps, 'new');
  expect(await cursorsAt(deps, since)).toEqual({ photos: 0 });
  const later = openTarget({ id: 'later' });
  expect(await cursorsAt(deps, since + 1, later)).toEqual({ gone: 1, new: 0, photos: 0 });
});

test('a target keeps the cursors that it has', async () => {
  const { deps, bucket } = await openWorld();
  await put(deps, 'a', 'x');
  const target = openTarget();
  deps.state.targetCursorsOf(target.id).set(bucket.id, { bucket, cursor: 7, failures: 0 });
  let reads = 0;
  const get = deps.changeLog.get.bind(deps.changeLog);
  const changeLog = Object.assign(Object.create(deps.changeLog) as typeof deps.changeLog, {
    get: (id: string, cursor: number) => {
      reads += 1;
      return get(id, cursor);
    },
  });
  const since = deps.clock.now() + 60 * MINUTE;
  await deps.targetCursors.register(target.id, since);
  expect(await cursorsAt({ ...deps, changeLog }, since, target)).toEqual({ photos: 7 });
  expect(reads).toBe(0);
  expect(deps.state.registrations.get(target.id)).toEqual({ since, complete: true });
});
