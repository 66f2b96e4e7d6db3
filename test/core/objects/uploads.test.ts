import fc from 'fast-check';
import { sha256Base64 } from '../../../core/http/digests';
import { settleUploads } from '../../../core/maintenance/settle-uploads';
import { deleteBucket } from '../../../core/objects/buckets';
import { ingestBlob } from '../../../core/objects/uploads';
import { NEVER_STOP } from '../../../core/stop-signal';
import {
  BUCKET,
  blobsOf,
  openBucket,
  put,
  storeBlob,
  type World,
} from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';

describe('presigned uploads', () => {
  async function createUpload(deps: World, bucketId: string, extra: object = {}) {
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucketId}/a/${id}`;
    const expiresAt = new Date(deps.clock.now() + 300_000).toISOString();
    const ttl = deps.clock.now() / 1000 + 7 * 86_400;
    const upload = {
      id,
      bucket: BUCKET,
      bucketId,
      key: 'a',
      blob,
      state: 'pending' as const,
      expiresAt,
      ttl,
    };
    await deps.uploads.create({ ...upload, ...extra });
    return { id, blob };
  }
  test('are committed by the first report, and further reports do nothing', async () => {
    const { deps, bucket } = await openBucket();
    const { blob } = await createUpload(deps, bucket.id);
    await storeBlob(deps, blob);
    const outcomes = await Promise.all([1, 2, 3].map(() => ingestBlob(deps, blob)));
    expect(outcomes.sort()).toEqual(['committed', 'nothing', 'nothing']);
    expect(await ingestBlob(deps, blob)).toBe('nothing');
    expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({
      version: 1,
      blob,
      contentType: 'text/plain',
    });
  });

  test.each([
    ['if_none_match', { ifNoneMatch: '*' }],
    ['if_match', { ifMatch: '"other"' }],
    ['the declared size', { size: 99 }],
  ])('are refused and their blobs removed when the report violates %s', async (_name, extra) => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'there');
    const { id, blob } = await createUpload(deps, bucket.id, extra);
    await storeBlob(deps, blob);
    expect(await ingestBlob(deps, blob)).toBe('refused');
    expect(blobsOf(deps)).not.toContain(blob);
    expect((await deps.uploads.get(id))?.state).toBe('refused');
    expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(1);
    await storeBlob(deps, blob);
    expect(await ingestBlob(deps, blob)).toBe('refused');
    expect(blobsOf(deps)).not.toContain(blob);
  });

  test('are committed by the janitor when their report is lost, and refused when nothing was uploaded', async () => {
    const { deps, bucket } = await openBucket();
    const came = await createUpload(deps, bucket.id);
    const lost = await createUpload(deps, bucket.id);
    await storeBlob(deps, came.blob);
    await settleUploads(deps, NEVER_STOP);
    expect((await deps.uploads.get(came.id))?.state).toBe('pending');
    deps.clock.advance(2 * 3600_000);
    await settleUploads(deps, NEVER_STOP);
    expect((await deps.uploads.get(came.id))?.state).toBe('committed');
    expect((await deps.uploads.get(lost.id))?.state).toBe('pending');
    deps.clock.advance(24 * 3600_000);
    await settleUploads(deps, NEVER_STOP);
    expect((await deps.uploads.get(lost.id))?.state).toBe('refused');
    expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(1);
  });

  test('are refused when their bucket was deleted', async () => {
    const { deps, bucket } = await openBucket();
    const { id, blob } = await createUpload(deps, bucket.id);
    await deleteBucket(deps, bucket);
    await storeBlob(deps, blob, 'up');
    expect(await ingestBlob(deps, blob)).toBe('refused');
    expect((await deps.uploads.get(id))?.reason).toBe('the bucket was deleted');
  });

  test('are committed after an undone deletion of their bucket, also after the URL has expired', async () => {
    const { deps, bucket } = await openBucket();
    const { blob } = await createUpload(deps, bucket.id);
    await storeBlob(deps, blob, 'up');
    deps.clock.advance(3600_000);
    await deps.buckets.close(bucket, deps.clock.iso());
    await expect(ingestBlob(deps, blob)).rejects.toThrow('closing');
    await deps.buckets.reopen(bucket);
    expect(await ingestBlob(deps, blob)).toBe('committed');
  });

  test.each([[{ ifNoneMatch: '*' }], [{ ifMatch: '"there"' }]])(
    'keep the blob of the committed object when two reports with %j are concurrent',
    async (condition) => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), async (s) => {
          const { deps, bucket } = await openBucket();
          const { id, blob } = await createUpload(deps, bucket.id, condition);
          await storeBlob(deps, blob, 'up');
          const reports = [1, 2].map(() => {
            const fakes = createFakes({ ...deps, yieldPoint: () => s.schedule(Promise.resolve()) });
            return ingestBlob({ ...deps, ...fakes }, blob);
          });
          await s.waitIdle();
          await Promise.all(reports);
          const committed = (await deps.uploads.get(id))?.state === 'committed';
          expect(deps.state.blobs.has(blob)).toBe(committed);
          expect((await deps.objects.get(bucket.id, 'a')) !== undefined).toBe(committed);
        }),
      );
    },
  );

  test('are stored without content headers that PUT would reject', async () => {
    const { deps, bucket } = await openBucket();
    const { blob } = await createUpload(deps, bucket.id);
    await deps.blobs.put(blob, Buffer.from('up'), {
      contentType: 'binary/octet-stream',
      headers: {
        'cache-control': 'x'.repeat(2000),
        'content-language': 'de',
        'content-disposition': '\u2603',
      },
      metadata: {},
      checksumSha256: sha256Base64(Buffer.from('up')),
    });
    await ingestBlob(deps, blob);
    expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({
      contentType: 'application/octet-stream',
      headers: { 'content-language': 'de' },
    });
  });

  test('are not created for blobs without an upload record', async () => {
    const { deps } = await openBucket();
    expect(await ingestBlob(deps, 'objects/x')).toBe('nothing');
    expect(await ingestBlob(deps, `uploads/x.y/a/${deps.ids.ulid()}`)).toBe('nothing');
  });
});
