/** The steps of a walk over the keys with a rule: where it continues, and where it begins anew. */

import { createBucket, deleteBucket } from '../../../../core/buckets/buckets';
import { LIMITS } from '../../../../core/limits';
import { applyLifecycle } from '../../../../core/maintenance/apply-lifecycle';
import { CLOCK_SKEW_MS } from '../../../../core/maintenance/expire-objects';
import { NEVER_STOP, stopWhen } from '../../../../core/stop-signal';
import type { LiveObject } from '../../../../core/store/objects';
import type { NameRange } from '../../../../core/pages';
import { BUCKET, DAY, openBucket, put, remove, type World } from '../../../support/bucket-world';
import { liveKeys } from './world';

const RULES = [{ prefix: '', expireAfterDays: 1 }];

const step = ({ state }: World) => JSON.parse(state.service.get('lifecycle') ?? 'null');

/** The same ports; `ranges`: the beginnings of what was read of the bucket's records. */
function watched(deps: World) {
  const { objects } = deps;
  const ranges: string[] = [];
  const list = (id: string, range: NameRange, limit: number) => {
    ranges.push(range.from);
    return objects.list(id, range, limit);
  };
  return { ranges, world: { ...deps, objects: Object.assign(Object.create(objects), { list }) } };
}

/** A bucket with a rule and so many objects `k0000`, `k0001`, … */
async function openRuled(count: number) {
  const { deps, bucket } = await openBucket();
  await deps.buckets.setLifecycle({ name: BUCKET, rules: RULES }, deps.clock.iso());
  await put(deps, 'k0000', 'x');
  const objects = deps.state.objectsOf(bucket.id);
  const first = objects.get('k0000') as LiveObject;
  for (let n = 1; n < count; n++) {
    const key = `k${String(n).padStart(4, '0')}`;
    objects.set(key, { ...first, key, cursor: n + 1 });
  }
  deps.state.buckets.set(BUCKET, { ...bucket, cursor: Math.max(1, count) });
  return { deps, bucket };
}

test.each([
  [-1, 1],
  [0, 0],
])('of an object of a day and a minute and %j ms, %j is left', async (more, left) => {
  const { deps, bucket } = await openRuled(1);
  deps.clock.advance(DAY + CLOCK_SKEW_MS + more);
  await applyLifecycle(deps, NEVER_STOP);
  expect(liveKeys(deps, bucket.id)).toHaveLength(left);
});

test('a walk reads each thousand records once, also those that do not expire', async () => {
  const { deps } = await openRuled(2500);
  const { ranges, world } = watched(deps);
  await applyLifecycle(world, NEVER_STOP);
  expect(ranges).toEqual(['', 'k0999\u0000', 'k1999\u0000']);
  expect(step(deps)).toEqual({ part: 'rest', until: deps.clock.now() + 20 * 3_600_000 });
});

test('a walk that is stopped continues at the next thousand', async () => {
  const { deps, bucket } = await openRuled(1500);
  const { ranges, world } = watched(deps);
  const began = deps.clock.now();
  await applyLifecycle(
    world,
    stopWhen(() => ranges.length > 0),
  );
  const at = { id: bucket.id, key: 'k0999\u0000' };
  expect(step(deps)).toEqual({ part: 'bucket', began, from: BUCKET, at });
  deps.clock.advance(1);
  await applyLifecycle(world, NEVER_STOP);
  expect(ranges).toEqual(['', 'k0999\u0000']);
  expect(step(deps)).toEqual({ part: 'rest', until: began + 20 * 3_600_000 });
});

test('a walk that is stopped between two commits reads their records again', async () => {
  const { deps, bucket } = await openRuled(100);
  deps.clock.advance(2 * DAY);
  const left = () => liveKeys(deps, bucket.id).length;
  await applyLifecycle(
    deps,
    stopWhen(() => left() < 100),
  );
  expect(left()).toBe(100 - LIMITS.commitChanges);
  expect(step(deps)).toMatchObject({ from: BUCKET, at: { id: bucket.id, key: '' } });
  await applyLifecycle(deps, NEVER_STOP);
  expect(left()).toBe(0);
  expect(deps.log.lines.map(({ fields }) => fields)).toEqual([
    { bucket: BUCKET, count: 32 },
    { bucket: BUCKET, count: 68 },
  ]);
});

test('a walk begins anew in a bucket that was created again', async () => {
  const { deps, bucket } = await openRuled(1);
  await remove(deps, 'k0000');
  await deleteBucket(deps, bucket);
  await createBucket(deps, BUCKET);
  await deps.bucketIds.refresh(BUCKET);
  await deps.buckets.setLifecycle({ name: BUCKET, rules: RULES }, deps.clock.iso());
  await put(deps, 'a', 'x');
  const at = { id: bucket.id, key: 'k' };
  const value = { part: 'bucket', began: deps.clock.now(), from: BUCKET, at };
  await deps.serviceState.save('lifecycle', JSON.stringify(value));
  const { ranges, world } = watched(deps);
  await applyLifecycle(world, NEVER_STOP);
  expect(ranges).toEqual(['']);
});

test('a bucket that is closing, or gone, is passed over', async () => {
  const { deps, bucket } = await openRuled(1);
  await deps.buckets.setLifecycle({ name: BUCKET, rules: RULES }, deps.clock.iso());
  await deps.buckets.close(bucket, deps.clock.iso());
  const { ranges, world } = watched(deps);
  await applyLifecycle(world, NEVER_STOP);
  deps.state.buckets.delete(BUCKET);
  deps.clock.advance(2 * DAY);
  await applyLifecycle(world, NEVER_STOP);
  expect(ranges).toEqual([]);
  expect(deps.log.lines).toEqual([]);
});

test('a failure names its bucket, and the walk continues after it', async () => {
  const { deps } = await openRuled(1);
  const error = new Error('throttled');
  const list = () => Promise.reject(error);
  const objects = Object.assign(Object.create(deps.objects) as typeof deps.objects, { list });
  const walk = applyLifecycle({ ...deps, objects }, NEVER_STOP);
  await expect(walk).rejects.toThrow(`failed for ${BUCKET}`);
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'bucket_failed', fields: { bucket: BUCKET, error } },
  ]);
  expect(step(deps)).toMatchObject({ part: 'rest' });
});
