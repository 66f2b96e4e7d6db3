/** DELETE of an object, and what an instance does that remembers an old bucket. */

import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket } from '../../../core/buckets/buckets';
import { ServiceError } from '../../../core/errors';
import { sha256Base64 } from '../../../core/http/digests';
import { liveOf } from '../../../core/store/objects';
import { deleteObject, liveRecord, putObject, tombstone } from '../../../core/objects/objects';
import { BUCKET, blobsOf, openBucket, put, type World } from '../../support/bucket-world';
import { newIdempotencyRecord } from '../../support/samples';

const place = { bucket: BUCKET, key: 'a' };
const unconditional = { conditional: false, conditions: () => undefined };

test('a deletion leaves a tombstone with its writer, and keeps the response', async () => {
  const { deps, bucket } = await openBucket();
  const object = await put(deps, 'a', 'one');
  deps.clock.advance(1000);
  const saved = newIdempotencyRecord({ expiresAt: 9e9 });
  const made: unknown[] = [];
  const idempotency = (...records: unknown[]) => {
    made.push(records);
    return saved;
  };
  const deletion = { ...unconditional, by: 'writer', idempotency };
  const tombstone = {
    ...{ state: 'deleted', bucket: BUCKET, key: 'a', version: 2, cursor: 2, ancestors: [1] },
    ...{ deletedAt: deps.clock.iso(), by: 'writer' },
  };
  expect(await deleteObject(deps, place, deletion)).toEqual({
    ...{ result: 'committed', object: tombstone, previous: object },
  });
  expect(await deps.objects.get(bucket.id, 'a')).toStrictEqual(tombstone);
  expect(made).toEqual([[tombstone, object]]);
  await put(deps, 'a', 'again');
  expect(await deleteObject(deps, place, deletion)).toEqual({ result: 'duplicate' });
  expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({ state: 'live', version: 3 });
});

test('a deletion of an unknown writer names none', async () => {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a', 'one');
  await deleteObject(deps, place, unconditional);
  expect(await deps.objects.get(bucket.id, 'a')).not.toHaveProperty('by');
});

test('a record has no field for what is not known of it', () => {
  const bucket = { name: BUCKET, id: 'id' };
  const position = { version: 1, cursor: 2, at: '2026-01-01T00:00:00.000Z', ancestors: [] };
  const content = { size: 1, contentType: 'a/b', headers: {}, metadata: {}, etag: 'e', blob: 'x' };
  const { at: updatedAt, ...placed } = position;
  const live = { state: 'live', bucket: BUCKET, key: 'a', createdAt: updatedAt, updatedAt };
  const fields = { bucket, key: 'a', ...content };
  expect(liveRecord(fields, position, undefined)).toStrictEqual({ ...live, ...content, ...placed });
  const more = { checksumSha256: 'c', expiresAt: 'later', by: 'writer' };
  expect(liveRecord({ ...fields, ...more }, position, undefined)).toStrictEqual({
    ...{ ...live, ...content, ...placed, ...more },
  });
  const deleted = { state: 'deleted', bucket: BUCKET, key: 'a', ...placed, deletedAt: updatedAt };
  expect(tombstone({ bucket, key: 'a' }, position)).toStrictEqual(deleted);
  const why = { by: 'writer', cause: 'expired' } as const;
  expect(tombstone({ bucket, key: 'a', ...why }, position)).toStrictEqual({ ...deleted, ...why });
});

test('a deletion reads its key once, and its bucket only when there is nothing', async () => {
  const { deps } = await openBucket();
  await put(deps, 'a', 'one');
  const [keys, buckets] = [jest.spyOn(deps.objects, 'get'), jest.spyOn(deps.buckets, 'get')];
  await deleteObject(deps, place, unconditional);
  expect([keys.mock.calls.length, buckets.mock.calls.length]).toEqual([1, 0]);
  await expect(deleteObject(deps, place, unconditional)).rejects.toMatchObject({
    ...{ code: 'not_found', details: place },
  });
  expect([keys.mock.calls.length, buckets.mock.calls.length]).toEqual([2, 1]);
});

test('what does not exist is not found, whatever the conditions say', async () => {
  const { deps } = await openBucket();
  const conditions = () => {
    throw new ServiceError('precondition_failed');
  };
  const missing = { code: 'not_found', details: place };
  const remove = () => deleteObject(deps, place, { conditional: true, conditions });
  await expect(remove()).rejects.toMatchObject(missing);
  await put(deps, 'a', 'one');
  await expect(remove()).rejects.toMatchObject({ code: 'precondition_failed' });
  await deleteObject(deps, place, unconditional);
  await expect(remove()).rejects.toMatchObject(missing);
});

test('a deletion asks the condition of the object that it deletes', async () => {
  const { deps } = await openBucket();
  const object = await put(deps, 'a', 'one');
  const asked: unknown[] = [];
  const conditions = (current: unknown) => void asked.push(current);
  await deleteObject(deps, place, { conditional: true, conditions });
  expect(asked).toEqual([object]);
});

/** An instance that knows the id of a deleted bucket, whose name is that of a new one. */
async function recreated() {
  const { deps, bucket } = await openBucket();
  await deps.bucketIds.resolve(BUCKET);
  await deps.buckets.close(bucket, deps.clock.iso());
  const closed = await deps.buckets.get(BUCKET);
  if (!closed) throw new Error('no bucket');
  await deps.buckets.remove({ ...closed, trimmed: 1, deletedAt: deps.clock.iso() });
  const created = await createBucket(deps, BUCKET);
  const other: World = { ...deps, bucketIds: new BucketIds(deps.buckets) };
  return { deps, other, id: created?.id ?? '' };
}

test('a deletion finds the object of a bucket that was created again', async () => {
  const { deps, other, id } = await recreated();
  await put(other, 'a', 'one');
  expect(await deleteObject(deps, place, unconditional)).toMatchObject({ result: 'committed' });
  expect(await deps.objects.get(id, 'a')).toMatchObject({ state: 'deleted', version: 2 });
});

test('a PUT with a condition of the object of a bucket that was created again is stored', async () => {
  const { deps, other, id } = await recreated();
  const first = liveOf(await put(other, 'a', 'one'));
  const body = Buffer.from('two');
  const content = {
    ...{ body, contentType: 'a/b', headers: {}, metadata: {} },
    checksumSha256: sha256Base64(body),
  };
  const conditions = (current: { readonly etag: string } | undefined) => {
    if (current?.etag !== first?.etag) throw new ServiceError('precondition_failed');
  };
  await putObject(deps, place, content, { conditional: true, conditions });
  expect(await deps.objects.get(id, 'a')).toMatchObject({ state: 'live', version: 2 });
  expect(blobsOf(deps)).toHaveLength(2);
});
