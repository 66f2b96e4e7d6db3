/** Where a new target starts in the buckets that existed before it. */
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
])('a target made %j ms after a change begins at cursor %j', async (age, cursor) => {
  const { deps } = await openWorld();
  await put(deps, 'a', 'x');
  expect(await cursorsAt(deps, deps.clock.now() + age)).toEqual({ photos: cursor });
});

test('the first cursor is not above a change whose writer is still at work', async () => {
  const { deps, bucket } = await openWorld();
  await put(deps, 'a', 'x');
  await deps.commits.allocate(bucket);
  expect(await cursorsAt(deps, deps.clock.now() + 60 * MINUTE)).toEqual({ photos: 1 });
});
