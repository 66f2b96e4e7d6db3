/** Which hours a run reads, what it leaves to the next one, and what it logs. */

import { createBucket, deleteBucket } from '../../../../core/buckets/buckets';
import { expireObjects } from '../../../../core/maintenance/expire-objects';
import { NEVER_STOP, type StopSignal, stopWhen } from '../../../../core/stop-signal';
import { BUCKET, openBucket, remove, type World } from '../../../support/bucket-world';
import { createFakes } from '../../../support/fakes/fakes';
import { HOUR, inFuture, liveKeys, MINUTE, putExpiring } from './world';

/** What the next run reads besides the latest hours. */
const saved = ({ state }: World) => state.service.get('expiry');

/** A run; returns the hours that it read, in order. */
async function expire(deps: World, signal: StopSignal = NEVER_STOP): Promise<string[]> {
  const { objects } = deps;
  const hours: string[] = [];
  const due = (...parameters: Parameters<typeof objects.due>) => {
    const hour = parameters[0].slice(0, 13);
    if (hours.at(-1) !== hour) hours.push(hour);
    return objects.due(...parameters);
  };
  const watching = Object.assign(Object.create(objects) as typeof objects, { due });
  await expireObjects({ ...deps, objects: watching }, signal).catch(() => undefined);
  return hours;
}

/** The same ports, whose commits fail in that bucket. */
function failingIn(deps: World, id: string): World {
  const { commits } = deps;
  const allocate = async (...parameters: Parameters<typeof commits.allocate>) => {
    if (parameters[0].id === id) throw new Error('throttled');
    return commits.allocate(...parameters);
  };
  return { ...deps, commits: Object.assign(Object.create(commits), { allocate }) };
}

test('the first run reads every hour since the first bucket, at least the last two', async () => {
  const { deps } = await openBucket();
  const hours = ['2025-12-31T22', '2025-12-31T23', '2026-01-01T00'];
  expect(await expire(deps)).toEqual(hours);
  expect(saved(deps)).toBe('2025-12-31T22');
  deps.state.service.delete('expiry');
  deps.clock.advance(4 * HOUR);
  await createBucket(deps, 'later');
  const later = ['2026-01-01T00', '2026-01-01T01', '2026-01-01T02', '2026-01-01T03'];
  expect(await expire(deps)).toEqual([...later, '2026-01-01T04']);
});

test('a run saves the hour with which the next one begins, when that is another', async () => {
  const { deps } = await openBucket();
  await expire(deps);
  const { serviceState } = deps;
  let saves = 0;
  const save = (name: string, value: string) => {
    saves += 1;
    return serviceState.save(name, value);
  };
  const watching = Object.assign(Object.create(serviceState) as typeof serviceState, { save });
  for (const minutes of [59, 1, 59]) {
    deps.clock.advance(minutes * MINUTE);
    await expire({ ...deps, serviceState: watching });
  }
  expect(saves).toBe(1);
  expect(saved(deps)).toBe('2025-12-31T23');
});

test('a run that is stopped before it begins reads nothing, and saves what was to be read', async () => {
  const { deps } = await openBucket();
  expect(await expire(deps, { aborted: true })).toEqual([]);
  expect(saved(deps)).toBeUndefined();
  await expire(deps);
  deps.clock.advance(10 * HOUR);
  expect(await expire(deps, { aborted: true })).toEqual([]);
  expect(saved(deps)).toBe('2025-12-31T22');
});

test('a run that is stopped in the latest hours reads all of these again', async () => {
  const { deps } = await openBucket();
  await expire(deps);
  deps.clock.advance(10 * HOUR);
  let asked = 0;
  // Eight parts of each of the 12 hours up to the one before the last.
  await expire(
    deps,
    stopWhen(() => ++asked > 12 * 8 + 1),
  );
  expect(saved(deps)).toBe('2026-01-01T08');
});

describe('of a bucket that fails', () => {
  /** A bucket with objects that expire at hours 1 and 4 and 10, ten hours later. */
  async function openFailing() {
    const { deps, bucket } = await openBucket();
    await expire(deps);
    const other = await createBucket(deps, 'other');
    if (!other) throw new Error('no bucket');
    for (const hour of [1, 4, 8, 10])
      await putExpiring(deps, `${hour}`, inFuture(deps, hour * HOUR));
    await putExpiring(deps, 'x', inFuture(deps, 7 * HOUR), other.name);
    deps.clock.advance(10 * HOUR + MINUTE);
    return { deps, bucket, other, failing: failingIn(deps, bucket.id) };
  }

  test('the hours are saved that no later run would read, until it succeeds', async () => {
    const { deps, bucket, other, failing } = await openFailing();
    await expire(failing);
    expect(saved(deps)).toBe('2026-01-01T08,2026-01-01T01,2026-01-01T04');
    expect(liveKeys(deps, other.id)).toEqual([]);
    expect(await expire(failing)).toEqual([
      ...['2026-01-01T08', '2026-01-01T09', '2026-01-01T10'],
      ...['2026-01-01T01', '2026-01-01T04'],
    ]);
    expect(saved(deps)).toBe('2026-01-01T08,2026-01-01T01,2026-01-01T04');
    await expire(deps);
    expect(saved(deps)).toBe('2026-01-01T08');
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('one attempt is made in a run, and the error names it', async () => {
    const { deps, bucket, failing } = await openFailing();
    await expect(expireObjects(failing, NEVER_STOP)).rejects.toThrow(`failed for ${bucket.id}`);
    const fields = { bucketId: bucket.id, error: new Error('throttled') };
    expect(deps.log.lines.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', event: 'bucket_failed', fields },
    ]);
  });

  test('an hour is left that the bucket did not get to, as well as one that failed', async () => {
    const { deps, failing } = await openFailing();
    await expire(failing);
    await remove(deps, '1');
    const one = createFakes({
      ...deps,
      yieldPoint: ({ operation }) => {
        if (operation === 'allocate') throw new Error('throttled');
      },
    });
    await expire({ ...deps, ...one, log: deps.log });
    expect(saved(deps)).toBe('2026-01-01T08,2026-01-01T04');
  });
});

describe('of a bucket that allocates no cursors', () => {
  test('the hour is left while it may be kept after all', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps);
    await putExpiring(deps, 'a', inFuture(deps, HOUR));
    deps.clock.advance(10 * HOUR);
    await deps.buckets.close(bucket, deps.clock.iso());
    await expire(deps);
    expect(saved(deps)).toBe('2026-01-01T08,2026-01-01T01');
  });

  test('nothing is left when it is deleted', async () => {
    const { deps, bucket } = await openBucket();
    await expire(deps);
    const object = await putExpiring(deps, 'a', inFuture(deps, HOUR));
    await remove(deps, 'a');
    await deleteBucket(deps, bucket);
    deps.state.objectsOf(bucket.id).set('a', object);
    deps.clock.advance(10 * HOUR);
    await expire(deps);
    expect(saved(deps)).toBe('2026-01-01T08');
    expect(deps.log.lines).toEqual([]);
  });
});

test('every page of an hour is read from the end of the one before', async () => {
  const { deps, bucket } = await openBucket();
  await expire(deps);
  for (let n = 0; n < 60; n++) await putExpiring(deps, `k${n}`, inFuture(deps, HOUR));
  // Nothing is deleted, so that what is read twice shows.
  const failing = failingIn(deps, bucket.id);
  deps.clock.advance(HOUR + MINUTE);
  const { objects } = deps;
  const read: string[] = [];
  const due = async (...[slot, until, , after]: Parameters<typeof objects.due>) => {
    const page = await objects.due(slot, until, 3, after);
    read.push(...page.items.map(({ key }) => key));
    return page;
  };
  const paged = Object.assign(Object.create(objects) as typeof objects, { due });
  await expireObjects({ ...failing, objects: paged }, NEVER_STOP).catch(() => undefined);
  expect(read.sort()).toEqual([...deps.state.objectsOf(bucket.id).keys()].sort());
});

test('the deleted objects of a bucket are counted in the log', async () => {
  const { deps } = await openBucket();
  const other = await createBucket(deps, 'other');
  for (const name of [BUCKET, BUCKET, 'other']) {
    const key = `k${deps.state.objects.size}${deps.ids.ulid()}`;
    await putExpiring(deps, key, inFuture(deps, HOUR), name);
  }
  expect(other).toBeDefined();
  await expire(deps);
  expect(deps.log.lines).toEqual([]);
  deps.clock.advance(2 * HOUR);
  await expire(deps);
  const counts = new Map<unknown, number>();
  for (const { event, fields } of deps.log.lines) {
    expect(event).toBe('objects_expired');
    counts.set(fields.bucket, (counts.get(fields.bucket) ?? 0) + Number(fields.count));
  }
  expect(counts).toEqual(
    new Map([
      [BUCKET, 2],
      ['other', 1],
    ]),
  );
});
