/** The scan over expired uploads: pages, interruptions, and what becomes of each upload. */
import { settleUploads } from '../../../core/maintenance/settle-uploads';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import type { Upload } from '../../../core/store/uploads';
import { BUCKET, blobsOf, DAY, openBucket, storeBlob } from '../../support/bucket-world';

async function openUploads() {
  const { deps, bucket } = await openBucket();
  const expiresAt = deps.clock.iso();
  const create = async (key: string, more: Partial<Upload> = {}): Promise<Upload> => {
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/${key}/${id}`;
    const names = { id, bucket: BUCKET, bucketId: bucket.id, key, blob };
    const upload: Upload = { ...names, state: 'pending', expiresAt, ttl: 9e9, ...more };
    await deps.uploads.create(upload);
    return upload;
  };
  const states = () => [...deps.state.uploads.values()].map(({ state }) => state);
  return { deps, bucket, create, states };
}

test('a multipart upload that is refused is aborted in S3', async () => {
  const { deps, create } = await openUploads();
  const { id, blob } = await create('a');
  const multipartId = await deps.blobs.createMultipart(blob, {});
  await deps.uploads.renew({ ...((await deps.uploads.get(id)) as Upload), multipartId });
  deps.clock.advance(DAY);
  await settleUploads(deps, NEVER_STOP);
  expect(deps.state.multiparts.size).toBe(0);
  expect((await deps.uploads.get(id))?.state).toBe('refused');
});

test('a staged upload is refused at its expiry, and its blob is left to the reconciler', async () => {
  const { deps, create } = await openUploads();
  const { id, blob } = await create('a', { state: 'staged' });
  await storeBlob(deps, blob);
  deps.clock.advance(1);
  await settleUploads(deps, NEVER_STOP);
  expect(await deps.uploads.get(id)).toMatchObject({ state: 'refused', reason: 'expired' });
  expect(blobsOf(deps)).toEqual([blob]);
});

test('a run that is stopped leaves the rest of its page and the later pages to the next one', async () => {
  const { deps, create, states } = await openUploads();
  for (let n = 0; n < 30; n++) await create('a');
  deps.clock.advance(DAY);
  const refused = () => states().filter((state) => state === 'refused').length;
  await settleUploads(
    deps,
    stopWhen(() => refused() === 10),
  );
  expect(refused()).toBe(10);
  await settleUploads(
    deps,
    stopWhen(() => refused() === 25),
  );
  expect(refused()).toBe(25);
  await settleUploads(deps, NEVER_STOP);
  expect(refused()).toBe(30);
});

test('an upload whose commit fails does not stop the others', async () => {
  const { deps, create, bucket } = await openUploads();
  const [bad, good] = [await create('a'), await create('b')];
  for (const { blob } of [bad, good]) await storeBlob(deps, blob);
  deps.clock.advance(1);
  const error = new Error('throttled');
  const { objects } = deps;
  const get = async (id: string, key: string) => {
    if (key === 'a') throw error;
    return objects.get(id, key);
  };
  const failing = Object.assign(Object.create(objects) as typeof objects, { get });
  const run = settleUploads({ ...deps, objects: failing }, NEVER_STOP);
  await expect(run).rejects.toThrow(`failed for ${BUCKET}`);
  expect(await deps.objects.get(bucket.id, 'b')).toMatchObject({ version: 1 });
  expect((await deps.uploads.get(bad.id))?.state).toBe('pending');
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'bucket_failed', fields: { bucket: BUCKET, error } },
  ]);
});
