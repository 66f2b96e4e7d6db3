/** Records that lost their bytes, and tombstones that lost their history. */
import { ServiceError } from '../../../../core/errors';
import { publishChanges } from '../../../../core/log/publish';
import { checkRecords } from '../../../../core/maintenance/recovery/records';
import { BUCKET, openBucket, put, remove, type World } from '../../../support/bucket-world';
import { createFakes } from '../../../support/fakes/fakes';
import { liveObjects } from './scenario';

const MARGIN_MS = 60_000;

/** A bucket with an object that has its bytes, one that has not, and the rest of a deleted one. */
async function open() {
  const { deps, bucket } = await openBucket();
  for (const key of ['deleted', 'kept', 'lost']) await put(deps, key, key);
  deps.clock.advance(1000);
  await remove(deps, 'deleted');
  const deletedAt = deps.clock.now();
  await publishChanges(deps, BUCKET);
  const blob = [...deps.state.blobs.keys()].find((name) => name.includes('/lost/')) ?? '';
  deps.state.blobs.delete(blob);
  deps.clock.advance(1000);
  const options = { moment: deletedAt + MARGIN_MS + 1, dropNewer: false, apply: true, to: 4 };
  const check = (more: Partial<typeof options> = {}, ports: World = deps) =>
    checkRecords(ports, bucket, { ...options, ...more });
  const record = (key: string) => deps.state.objectsOf(bucket.id).get(key);
  return { deps, bucket, blob, deletedAt, check, record };
}

const counters = async ({ buckets }: World) => {
  const stats = await buckets.stats(BUCKET);
  return [stats?.objectCount, stats?.totalSize];
};

test('a record without bytes is deleted by a change, and logged', async () => {
  const { deps, bucket, blob, check, record } = await open();
  expect(await check()).toEqual({ live: 1, lost: 1 });
  expect(record('lost')).toMatchObject({
    ...{ state: 'deleted', bucket: BUCKET, key: 'lost', version: 2, cursor: 5 },
    deletedAt: deps.clock.iso(),
  });
  expect(Object.keys(liveObjects(deps, bucket.id))).toEqual(['kept']);
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'bytes_lost', fields: { bucket: BUCKET, key: 'lost', blob } },
  ]);
});

test('without `apply` it is only logged, and neither tombstones nor counters change', async () => {
  const { deps, bucket, check, record } = await open();
  await deps.buckets.correct(bucket, { asOf: 0, objects: 3, bytes: 3 });
  const before = await counters(deps);
  expect(await check({ apply: false })).toEqual({ live: 1, lost: 1 });
  expect(record('lost')?.state).toBe('live');
  expect(record('deleted')).toBeDefined();
  expect(await counters(deps)).toEqual(before);
});

test.each([
  ['at the last cursor that is removed, before the margin', 4, 1, false],
  ['above the last cursor that is removed', 3, 1, true],
  ['at the margin before the moment', 4, 0, true],
])('a tombstone %s is kept: %#', async (_name, to, more, isKept) => {
  const { deletedAt, check, record } = await open();
  await check({ to, moment: deletedAt + MARGIN_MS + more });
  expect(record('deleted') !== undefined).toBe(isKept);
});

test('an object that is written again before its deletion stays', async () => {
  const { deps, check, record } = await open();
  let isWritten = false;
  const racing = createFakes({
    ...deps,
    yieldPoint: async ({ operation, when }) => {
      if (operation !== 'allocate' || when !== 'before' || isWritten) return;
      isWritten = true;
      await put(deps, 'lost', 'new');
    },
  });
  const ports = { ...deps, ...racing, log: deps.log };
  expect(await check({}, ports)).toEqual({ live: 1, lost: 1 });
  expect(record('lost')).toMatchObject({ state: 'live', version: 2 });
});

test('the error of a deletion is thrown', async () => {
  const { deps, bucket, check } = await open();
  await deps.buckets.close(bucket, deps.clock.iso());
  await expect(check()).rejects.toThrow();
});

test('the counters of a bucket that has lost all its records become zero', async () => {
  const { deps, bucket, check } = await open();
  deps.state.objectsOf(bucket.id).clear();
  expect(await check()).toEqual({ live: 0, lost: 0 });
  expect(await counters(deps)).toEqual([0, 0]);
});

test('a bucket that does not exist has no records', async () => {
  const { deps, check } = await open();
  deps.state.stats.delete(BUCKET);
  expect(await check()).toEqual({ live: 0, lost: 0 });
});

test('an error of the service that is no refusal is thrown', async () => {
  const { deps, check } = await open();
  const busy = createFakes({
    ...deps,
    yieldPoint: ({ operation }) => {
      if (operation === 'allocate') throw new ServiceError('unavailable');
    },
  });
  await expect(check({}, { ...deps, ...busy, log: deps.log })).rejects.toMatchObject({
    code: 'unavailable',
  });
});
