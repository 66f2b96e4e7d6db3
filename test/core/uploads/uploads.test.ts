import fc from 'fast-check';
import type { Action, ApiKeyRecord, Permission } from '../../../core/access/ports';
import { deleteBucket } from '../../../core/buckets/buckets';
import { sha256Base64 } from '../../../core/http/digests';
import { settleUploads } from '../../../core/maintenance/settle-uploads';
import { NEVER_STOP } from '../../../core/stop-signal';
import { ingestBlob } from '../../../core/uploads/uploads';
import {
  BUCKET,
  blobsOf,
  openBucket,
  put,
  storeBlob,
  type World,
} from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { waitIdle } from '../../support/fakes/wait-idle';
import { newKey } from '../../support/samples';

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
    const { id, blob } = await createUpload(deps, bucket.id);
    await storeBlob(deps, blob);
    const outcomes = await Promise.all([1, 2, 3].map(() => ingestBlob(deps, blob)));
    expect(outcomes.sort()).toEqual(['committed', 'nothing', 'nothing']);
    expect(await ingestBlob(deps, blob)).toBe('nothing');
    expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({
      version: 1,
      blob,
      contentType: 'text/plain',
    });
    expect(await deps.uploads.get(id)).toMatchObject({ committed: { version: 1, cursor: 1 } });
  });

  test.each([
    ['if_none_match', { ifNoneMatch: '*' }, 'precondition_failed'],
    ['if_match', { ifMatch: '"other"' }, 'precondition_failed'],
    ['the declared size', { size: 99 }, 'size_mismatch'],
  ])(
    'are refused and their blobs removed when the report violates %s',
    async (_name, extra, reason) => {
      const { deps, bucket } = await openBucket();
      await put(deps, 'a', 'there');
      const { id, blob } = await createUpload(deps, bucket.id, extra);
      await storeBlob(deps, blob);
      expect(await ingestBlob(deps, blob)).toBe('refused');
      expect(blobsOf(deps)).not.toContain(blob);
      expect(await deps.uploads.get(id)).toMatchObject({ state: 'refused', reason });
      expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(1);
      await storeBlob(deps, blob);
      expect(await ingestBlob(deps, blob)).toBe('refused');
      expect(blobsOf(deps)).not.toContain(blob);
    },
  );

  describe('whose URLs an API key has signed', () => {
    const signer = { keyId: 'signer', generation: 1 };
    const usable = newKey({ id: 'signer', generation: 1 });
    const only = (actions: Action[], more: Partial<Permission> = {}): Partial<ApiKeyRecord> => ({
      permissions: [{ buckets: [BUCKET], actions, ...more }],
    });

    test.each<[string, Partial<ApiKeyRecord>]>([
      ['is usable', {}],
      ['may sign and write the object only', only(['sign', 'write'], { prefix: 'a' })],
      ['has expired since', { expiresAt: '2025-12-31T00:00:00.000Z' }],
      [
        'was rotated with an overlap',
        { generation: 2, previousUntil: '2026-01-01T01:00:00.000Z', previousSecretHash: 'x' },
      ],
    ])('are committed when the key %s', async (_name, change) => {
      const { deps, bucket } = await openBucket();
      deps.state.apiKeys.set('signer', { ...usable, ...change });
      const { blob } = await createUpload(deps, bucket.id, { signer });
      await storeBlob(deps, blob);
      expect(await ingestBlob(deps, blob)).toBe('committed');
    });

    const REFUSED: [string, Partial<ApiKeyRecord> | undefined][] = [
      ['was revoked', { revokedAt: '2026-01-01T00:00:00.000Z' }],
      ['was rotated without an overlap', { generation: 2 }],
      ['may no longer write', only(['sign', 'read'])],
      ['may no longer sign', only(['write'])],
      ['may write below another prefix only', only(['sign', 'write'], { prefix: 'b' })],
      ['is gone', undefined],
    ];

    test.each(REFUSED)('are discarded when the key %s', async (_name, change) => {
      const { deps, bucket } = await openBucket();
      if (change) deps.state.apiKeys.set('signer', { ...usable, ...change });
      const { id, blob } = await createUpload(deps, bucket.id, { signer });
      await storeBlob(deps, blob);
      expect(await ingestBlob(deps, blob)).toBe('refused');
      expect(await ingestBlob(deps, blob)).toBe('refused');
      expect(await deps.objects.get(bucket.id, 'a')).toBeUndefined();
      expect(blobsOf(deps)).toEqual([]);
      expect(await deps.uploads.get(id)).toMatchObject({ state: 'refused', reason: 'forbidden' });
      const logged = deps.log.lines.filter(({ event }) => event === 'upload_refused');
      expect(logged).toMatchObject([{ fields: { keyId: 'signer', upload: id } }]);
    });

    test('are discarded by the janitor when the key was revoked', async () => {
      const { deps, bucket } = await openBucket();
      deps.state.apiKeys.set('signer', { ...usable, revokedAt: deps.clock.iso() });
      const { id, blob } = await createUpload(deps, bucket.id, { signer });
      await storeBlob(deps, blob);
      deps.clock.advance(3600_000);
      await settleUploads(deps, NEVER_STOP);
      expect(await deps.uploads.get(id)).toMatchObject({ state: 'refused' });
      expect(blobsOf(deps)).toEqual([]);
    });
  });

  test('are committed only when their row names the S3 bucket that reports them', async () => {
    const { deps, bucket } = await openBucket();
    const store = 'content';
    const { blob } = await createUpload(deps, bucket.id, { store });
    await storeBlob(deps, blob);
    const foreign = {
      ...deps,
      blobs: Object.assign(Object.create(deps.blobs), { bucketName: 'x' }),
    };
    expect(await ingestBlob(foreign, blob)).toBe('nothing');
    expect(await deps.objects.get(bucket.id, 'a')).toBeUndefined();
    expect(deps.log.lines).toMatchObject([{ event: 'foreign_event', level: 'error' }]);
    expect(await ingestBlob(deps, blob)).toBe('committed');
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
    expect((await deps.uploads.get(id))?.reason).toBe('bucket_deleted');
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
          await waitIdle(s);
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
