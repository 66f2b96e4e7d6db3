import fc from 'fast-check';
import { commitChange } from '../../../core/log/commit';
import { reconcile } from '../../../core/maintenance/reconcile';
import { settleUploads } from '../../../core/maintenance/settle-uploads';
import { liveRecord } from '../../../core/objects/objects';
import { NEVER_STOP } from '../../../core/stop-signal';
import { ingestBlob, stagedObject } from '../../../core/uploads/uploads';
import {
  BUCKET,
  blobsOf,
  DAY,
  openBucket,
  storeBlob,
  type World,
} from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { waitIdle } from '../../support/fakes/wait-idle';

/** A pass of its own, whenever the last one ended. */
async function reconcileAnew(deps: World): Promise<void> {
  await deps.serviceState.save('reconcile', '');
  await reconcile(deps, NEVER_STOP);
}

describe('uploads that await a commit', () => {
  async function stagedUpload() {
    const { deps, bucket } = await openBucket();
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
    const expiresAt = new Date(deps.clock.now() + 300_000).toISOString();
    const names = { bucket: BUCKET, bucketId: bucket.id, key: 'a', blob };
    const row = { id, ...names, expiresAt, ttl: deps.clock.now() / 1000 + 7 * 86_400 };
    await deps.uploads.create({ ...row, state: 'pending', awaitsCommit: true });
    await storeBlob(deps, blob, 'up');
    return { deps, bucket, id, blob };
  }
  const commit = async ({ deps, bucket, id }: Awaited<ReturnType<typeof stagedUpload>>) => {
    const fields = stagedObject(await deps.uploads.get(id), { bucketId: bucket.id, key: 'a' });
    return commitChange(
      deps,
      {
        bucket,
        key: 'a',
        check: () => undefined,
        build: (position, before) => liveRecord({ bucket, key: 'a', ...fields }, position, before),
        uploadId: id,
      },
      await deps.objects.get(bucket.id, 'a'),
    );
  };

  test('are staged by the first report of S3 and change no object', async () => {
    const { deps, bucket, id, blob } = await stagedUpload();
    const outcomes = await Promise.all([1, 2, 3].map(() => ingestBlob(deps, blob)));
    expect(outcomes.sort()).toEqual(['nothing', 'nothing', 'staged']);
    expect(await deps.uploads.get(id)).toMatchObject({
      state: 'staged',
      staged: { size: 2, contentType: 'text/plain', headers: {}, metadata: {} },
      expiresAt: new Date(deps.clock.now() + 86_400_000).toISOString(),
    });
    expect(await deps.objects.get(bucket.id, 'a')).toBeUndefined();
    expect((await deps.buckets.get(BUCKET))?.cursor).toBe(0);
  });

  test('become an object with the properties of their bytes by a commit, once', async () => {
    const world = await stagedUpload();
    const { deps, bucket, id, blob } = world;
    await ingestBlob(deps, blob);
    expect(await commit(world)).toMatchObject({ result: 'committed' });
    expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({
      ...{ blob, size: 2, contentType: 'text/plain', version: 1 },
    });
    await expect(commit(world)).rejects.toMatchObject({ code: 'not_found' });
    expect(await ingestBlob(deps, blob)).toBe('nothing');
    expect(await deps.uploads.get(id)).toMatchObject({ committed: { version: 1, cursor: 1 } });
  });

  test.each([
    ['another key', { key: 'b' }],
    ['another bucket', { bucketId: 'other' }],
  ])('are not found for %s', async (_name, change) => {
    const { deps, bucket, id, blob } = await stagedUpload();
    const of = { bucketId: bucket.id, key: 'a' };
    const upload = async () => stagedObject(await deps.uploads.get(id), of);
    await expect(upload()).rejects.toMatchObject({ code: 'not_found' });
    await ingestBlob(deps, blob);
    expect(await upload()).toMatchObject({ blob, size: 2 });
    const staged = await deps.uploads.get(id);
    expect(() => stagedObject(staged, { ...of, ...change })).toThrow('no staged upload');
  });

  test('keep their blob through janitor and reconciler for 24 hours, and are then discarded', async () => {
    const { deps, id, blob } = await stagedUpload();
    deps.clock.advance(DAY / 2);
    // The report of S3 was lost.
    await settleUploads(deps, NEVER_STOP);
    expect((await deps.uploads.get(id))?.state).toBe('staged');
    deps.clock.advance(DAY - 1000);
    await settleUploads(deps, NEVER_STOP);
    await reconcile(deps, NEVER_STOP);
    expect(blobsOf(deps)).toContain(blob);
    deps.clock.advance(2000);
    await settleUploads(deps, NEVER_STOP);
    expect(await deps.uploads.get(id)).toMatchObject({ state: 'refused', reason: 'expired' });
    expect(blobsOf(deps)).toEqual([blob]);
    await reconcileAnew(deps);
    expect(blobsOf(deps)).toEqual([]);
  });

  test('have their blob exactly as long as they have an object when they expire during a commit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (s) => {
        const world = await stagedUpload();
        const { deps, bucket, id, blob } = world;
        await ingestBlob(deps, blob);
        deps.clock.advance(2 * DAY);
        const scheduled = () => ({
          ...deps,
          ...createFakes({ ...deps, yieldPoint: () => s.schedule(Promise.resolve()) }),
        });
        const both = [
          commit({ ...world, deps: scheduled() }).catch(() => undefined),
          settleUploads(scheduled(), NEVER_STOP),
        ];
        await waitIdle(s);
        await Promise.all(both);
        await reconcileAnew(deps);
        const committed = (await deps.uploads.get(id))?.state === 'committed';
        expect(deps.state.blobs.has(blob)).toBe(committed);
        expect((await deps.objects.get(bucket.id, 'a')) !== undefined).toBe(committed);
      }),
    );
  });
});
