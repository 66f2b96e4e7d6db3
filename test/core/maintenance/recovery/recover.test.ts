/** One key: which of its blobs becomes its newest version, and what of the others. */
import { ServiceError } from '../../../../core/errors';
import {
  newerThan,
  type RecoverDeps,
  recoverNewest,
  timeOf,
} from '../../../../core/maintenance/recovery/recover';
import type { KeyBlobs, StoredBlob } from '../../../../core/maintenance/recovery/stored-blobs';
import { tombstone } from '../../../../core/objects/objects';
import type { ObjectRecord } from '../../../../core/store/objects';
import type { Upload } from '../../../../core/store/uploads';
import { BUCKET, openBucket, put, remove, storeBlob } from '../../../support/bucket-world';
import { createFakes } from '../../../support/fakes/fakes';

const SECOND = 1000;

/** A bucket, and blobs of the key `a`, which arrive a second after one another. */
async function open(...kinds: readonly ('objects' | Upload['state'])[]) {
  const { deps, bucket } = await openBucket();
  const stored: StoredBlob[] = [];
  for (const kind of kinds) {
    deps.clock.advance(SECOND);
    const ulid = deps.ids.ulid();
    const prefix = kind === 'objects' ? kind : 'uploads';
    const blob = `${prefix}/${BUCKET}.${bucket.id}/a/${ulid}`;
    const names = { bucket: BUCKET, bucketId: bucket.id, key: 'a', blob };
    if (kind !== 'objects') {
      const row = { id: ulid, ...names, expiresAt: deps.clock.iso(), ttl: 9e9 };
      await deps.uploads.create({ ...row, state: kind });
    }
    await storeBlob(deps, blob, `${kind} ${stored.length}`);
    stored.push({ ...names, ulid, at: deps.clock.now() });
  }
  deps.clock.advance(SECOND);
  const oldest = stored[0]?.at ?? Number.POSITIVE_INFINITY;
  const found: KeyBlobs = {
    ...{ key: 'a', count: stored.length, candidates: stored.toReversed(), oldest },
  };
  const recover = (record?: ObjectRecord, ports: RecoverDeps = deps) =>
    recoverNewest(ports, bucket, found, record);
  const states = () => [...deps.state.uploads.values()].map(({ state }) => state);
  const current = () => deps.state.objectsOf(bucket.id).get('a');
  return { deps, bucket, stored, found, recover, states, current };
}

const iso = (time = 0) => new Date(time).toISOString();

test('the time of a record is that of its last change', async () => {
  const { deps, current } = await open();
  expect(timeOf(undefined)).toBe(Number.NEGATIVE_INFINITY);
  await put(deps, 'a', 'x');
  expect(timeOf(current())).toBe(deps.clock.now());
  deps.clock.advance(SECOND);
  await remove(deps, 'a');
  expect(timeOf(current())).toBe(deps.clock.now());
});

test('newer are the blobs that arrived after the record, save its own', async () => {
  const { deps, stored, found, current } = await open('objects', 'objects', 'objects', 'objects');
  const [, second, third, fourth] = stored;
  await put(deps, 'a', 'x');
  const record = current();
  if (record?.state !== 'live' || !fourth) throw new Error('no object');
  const updatedAt = iso(second?.at);
  expect(newerThan({ ...record, updatedAt, blob: fourth.blob }, found)).toEqual([third]);
  expect(newerThan({ ...record, updatedAt }, found)).toEqual([fourth, third]);
  expect(newerThan(undefined, found)).toEqual(found.candidates);
});

test('the newest blob becomes the object, and open uploads before it are refused', async () => {
  const kinds = ['pending', 'staged', 'committed', 'refused', 'objects', 'objects'] as const;
  const { stored, recover, states, current, deps } = await open(...kinds);
  expect(await recover()).toBe(true);
  const { blob, at } = stored[5] ?? { at: 0 };
  expect(current()).toMatchObject({
    ...{ state: 'live', version: 1, blob, size: 9, contentType: 'text/plain' },
    ...{ createdAt: iso(stored[0]?.at), updatedAt: iso(at) },
  });
  expect(states()).toEqual(['refused', 'refused', 'committed', 'refused']);
  const reasons = [...deps.state.uploads.values()].map(({ reason }) => reason);
  expect(reasons).toEqual(['replaced', 'replaced', undefined, undefined]);
});

test.each([
  ['pending', 'committed'],
  ['staged', 'committed'],
  ['committed', 'committed'],
] as const)('an upload that is %s becomes the object, and is then %s', async (before, after) => {
  const { stored, recover, states, current } = await open('objects', before);
  expect(await recover()).toBe(true);
  expect(current()).toMatchObject({ blob: stored[1]?.blob });
  expect(states()).toEqual([after]);
});

test('an upload that was refused, and a blob that is gone, are passed over', async () => {
  const { deps, stored, recover, current } = await open('objects', 'objects', 'refused');
  deps.state.blobs.delete(stored[1]?.blob ?? '');
  expect(await recover()).toBe(true);
  expect(current()).toMatchObject({ blob: stored[0]?.blob });
});

test('nothing is recovered when no blob is left', async () => {
  const { deps, recover, current } = await open('objects', 'refused');
  deps.state.blobs.clear();
  expect(await recover()).toBe(false);
  expect(current()).toBeUndefined();
});

test.each([
  ['as new as', 0, false],
  ['older than', 1, true],
])('a record that was %s the newest blob is replaced by it: %j', async (_name, age, isReplaced) => {
  const { deps, bucket, stored, recover, current, states } = await open('pending', 'objects');
  await put(deps, 'a', 'x');
  const record = current();
  if (record?.state !== 'live') throw new Error('no object');
  const updatedAt = iso((stored[1]?.at ?? 0) - age);
  deps.state.objectsOf(bucket.id).set('a', { ...record, updatedAt });
  let heads = 0;
  const counted = createFakes({
    ...deps,
    yieldPoint: ({ operation, when }) => {
      if (operation === 'head' && when === 'before') heads += 1;
    },
  });
  // The record was read before it was written.
  expect(await recover(undefined, { ...deps, ...counted })).toBe(isReplaced);
  expect(current()?.version).toBe(isReplaced ? 2 : 1);
  expect(states()).toEqual([isReplaced ? 'refused' : 'pending']);
  expect(heads).toBe(1);
});

test('an upload that is settled meanwhile is not recovered', async () => {
  const { deps, recover, current } = await open('pending');
  const racing = createFakes({
    ...deps,
    yieldPoint: async ({ operation, when }) => {
      const [id = ''] = deps.state.uploads.keys();
      if (operation === 'head' && when === 'after') await deps.uploads.refuse(id, 'expired');
    },
  });
  expect(await recover(undefined, { ...deps, ...racing })).toBe(false);
  expect(current()).toBeUndefined();
});

test('the error of a bucket that allocates no cursors is thrown', async () => {
  const { deps, bucket, recover } = await open('objects');
  await deps.buckets.close(bucket, deps.clock.iso());
  await expect(recover()).rejects.toThrow();
});

test.each([
  ['before', -1, 1],
  ['when', 0, 1],
  ['after', 1, 0],
])('an object is as old as the first blob after its deletion: %s it', async (...drawn) => {
  const [, after, created] = drawn;
  const { deps, bucket, stored, recover, current } = await open('objects', 'objects');
  const [first, second] = stored;
  const position = { version: 4, cursor: 1, at: iso((first?.at ?? 0) - after), ancestors: [] };
  const deleted = tombstone({ bucket, key: 'a' }, position);
  await deps.commits.allocate(bucket);
  deps.state.objectsOf(bucket.id).set('a', deleted);
  expect(await recover(deleted)).toBe(true);
  const { blob } = second ?? {};
  expect(current()).toMatchObject({ blob, version: 5, createdAt: iso(stored[created]?.at) });
});

test('an error of the service that is no refusal is thrown', async () => {
  const { deps, recover } = await open('objects');
  const busy = createFakes({
    ...deps,
    yieldPoint: ({ operation }) => {
      if (operation === 'allocate') throw new ServiceError('unavailable');
    },
  });
  await expect(recover(undefined, { ...deps, ...busy })).rejects.toMatchObject({
    code: 'unavailable',
  });
});
