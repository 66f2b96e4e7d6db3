/** What becomes of the bytes of an upload that S3 has reported. */
import { LIMITS } from '../../../core/limits';
import type { Upload } from '../../../core/store/uploads';
import { ingestBlob, safeContent, stagedObject } from '../../../core/uploads/uploads';
import { BUCKET, blobsOf, openBucket, put, type World } from '../../support/bucket-world';
import { newKey, newUpload } from '../../support/samples';

const SIGNER = { keyId: 'signer', generation: 0 };
const stored = {
  contentType: 'text/css',
  headers: { 'cache-control': 'no-store' },
  metadata: { a: 'b' },
  checksumSha256: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=',
};
const BYTES = Buffer.from('password');
const ETAG = '5f4dcc3b5aa765d61d8327deb882cf99';

/** A pending upload of the key `a`, with its bytes. */
async function openUpload(more: Partial<Upload> = {}) {
  const { deps, bucket } = await openBucket();
  deps.state.apiKeys.set('signer', newKey({ id: 'signer' }));
  const id = deps.ids.ulid();
  const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
  const upload = newUpload({ id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, ...more });
  await deps.uploads.create(upload);
  await deps.blobs.put(blob, BYTES, stored);
  const ingest = (world: World = deps) => ingestBlob(world, blob);
  const saved = () => deps.uploads.get(id);
  return { deps, bucket, blob, id, upload, ingest, saved };
}

test('an upload becomes an object with what S3 has of it, by the key that signed it', async () => {
  const objectExpiresAt = '2026-02-01T00:00:00.000Z';
  const { deps, bucket, blob, ingest } = await openUpload({ signer: SIGNER, objectExpiresAt });
  expect(await ingest()).toBe('committed');
  expect(await deps.objects.get(bucket.id, 'a')).toStrictEqual({
    ...{ state: 'live', bucket: BUCKET, key: 'a', version: 1, cursor: 1, ancestors: [] },
    ...{ createdAt: deps.clock.iso(), updatedAt: deps.clock.iso(), by: 'signer' },
    ...{ ...stored, etag: ETAG, size: 8, blob, expiresAt: objectExpiresAt },
  });
  expect(deps.log.lines).toEqual([]);
  const asked = jest.spyOn(deps.blobs, 'head');
  expect(await ingest()).toBe('nothing');
  expect(asked).not.toHaveBeenCalled();
});

test('an upload without checksum, expiry and signer becomes an object without them', async () => {
  const { deps, bucket, blob, ingest } = await openUpload();
  const { checksumSha256: _, ...bare } = deps.state.blobs.get(blob) ?? {};
  deps.state.blobs.set(blob, bare as never);
  await ingest();
  const object = await deps.objects.get(bucket.id, 'a');
  for (const field of ['checksumSha256', 'expiresAt', 'by'])
    expect(object).not.toHaveProperty(field);
});

test('an upload is staged with what S3 has of it, for 24 hours', async () => {
  const { deps, ingest, saved, upload } = await openUpload({ awaitsCommit: true });
  expect(await ingest()).toBe('staged');
  expect(await saved()).toEqual({
    ...{ ...upload, state: 'staged', staged: { ...stored, etag: ETAG, size: 8 } },
    expiresAt: '2026-01-02T00:00:00.000Z',
    ttl: deps.clock.now() / 1000 + LIMITS.stagedUploadSeconds + LIMITS.uploadRowSeconds,
  });
  const asked = jest.spyOn(deps.blobs, 'head');
  expect(await ingest()).toBe('nothing');
  expect(asked).not.toHaveBeenCalled();
});

test('what S3 does not know of an upload is no field of what is staged', async () => {
  const { deps, blob, ingest } = await openUpload({ awaitsCommit: true });
  const { checksumSha256: _, ...bare } = deps.state.blobs.get(blob) ?? {};
  deps.state.blobs.set(blob, bare as never);
  const stage = jest.spyOn(deps.uploads, 'stage');
  expect(await ingest()).toBe('staged');
  expect(stage.mock.calls[0]?.[1]).not.toHaveProperty('checksumSha256');
});

test.each<[string, Partial<Upload>, object]>([
  ['another size than was declared', { size: 9 }, { reason: 'size_mismatch', bytes: 8 }],
  ['a key that may not write', { signer: { ...SIGNER, keyId: 'gone' } }, { reason: 'forbidden' }],
  ['a condition that is false', { ifMatch: '"e"' }, { reason: 'precondition_failed' }],
])('an upload with %s is refused, and logged', async (_, more, fields) => {
  const { deps, id, blob, ingest, saved } = await openUpload(more);
  expect(await ingest()).toBe('refused');
  const keyId = more.signer?.keyId;
  expect(deps.log.lines).toEqual([
    {
      ...{ level: 'info', event: 'upload_refused' },
      fields: { bytes: undefined, ...fields, bucket: BUCKET, upload: id, keyId },
    },
  ]);
  expect(await saved()).toMatchObject({ state: 'refused' });
  expect(blobsOf(deps)).not.toContain(blob);
});

test('an upload of the declared size, whose conditions hold, is committed', async () => {
  for (const more of [{ size: 8 }, { ifNoneMatch: '*' as const }]) {
    const { ingest } = await openUpload(more);
    expect(await ingest()).toBe('committed');
  }
  const { deps, bucket, ingest } = await openUpload({ ifMatch: '"e", "x"' });
  const object = await put(deps, 'a', 'one');
  if (object.state === 'live') {
    deps.state.objectsOf(bucket.id).set('a', { ...object, etag: 'x' });
  }
  expect(await ingest()).toBe('committed');
});

test('the copy of an object needs a key that may write, and none that may sign', async () => {
  const copyOf = { blob: 'x', etag: 'e', size: 8 };
  for (const [of, outcome] of [
    [copyOf, 'committed'],
    [undefined, 'refused'],
  ] as const) {
    const { deps, ingest } = await openUpload({ signer: SIGNER, copyOf: of });
    const permissions = [{ buckets: [BUCKET], actions: ['write' as const] }];
    deps.state.apiKeys.set('signer', newKey({ id: 'signer', permissions }));
    expect(await ingest()).toBe(outcome);
  }
  const { deps, ingest } = await openUpload({ signer: SIGNER, copyOf });
  const permissions = [{ buckets: [BUCKET], actions: ['sign' as const] }];
  deps.state.apiKeys.set('signer', newKey({ id: 'signer', permissions }));
  expect(await ingest()).toBe('refused');
});

test('a report of bytes that are gone does nothing', async () => {
  const { deps, blob, ingest, saved } = await openUpload({ size: 9 });
  deps.state.blobs.delete(blob);
  expect(await ingest()).toBe('nothing');
  expect(await saved()).toMatchObject({ state: 'pending' });
});

test('a report of another blob under the id of an upload does nothing', async () => {
  const { deps, id, saved } = await openUpload();
  const other = `uploads/${BUCKET}.other/b/${id}`;
  await deps.blobs.put(other, BYTES, stored);
  expect(await ingestBlob(deps, other)).toBe('nothing');
  expect(await saved()).toMatchObject({ state: 'pending' });
});

test('a report by a bucket of somebody else is logged with the bucket that it is not', async () => {
  const { deps, id, ingest } = await openUpload({ store: 'theirs' });
  expect(await ingest()).toBe('nothing');
  const fields = { bucketName: 'content', upload: id };
  expect(deps.log.lines).toEqual([{ level: 'error', event: 'foreign_event', fields }]);
});

test('a refusal leaves the bytes when another report was faster', async () => {
  const { deps, id, blob, ingest } = await openUpload({ size: 9 });
  const faster: World = {
    ...deps,
    uploads: Object.assign(Object.create(deps.uploads) as World['uploads'], {
      refuse: async (upload: string, reason: string) => {
        const row = deps.state.uploads.get(id);
        if (row) deps.state.uploads.set(id, { ...row, state: 'committed' });
        return deps.uploads.refuse(upload, reason);
      },
    }),
  };
  expect(await ingest(faster)).toBe('nothing');
  expect([blobsOf(deps), deps.log.lines]).toEqual([[blob], []]);
});

test('an error of the commit is thrown, so that the report is repeated', async () => {
  const { deps, ingest, saved } = await openUpload();
  const lost = async () => {
    throw new Error('lost');
  };
  const commits = Object.assign(Object.create(deps.commits) as World['commits'], {
    allocate: lost,
  });
  await expect(ingest({ ...deps, commits })).rejects.toThrow('lost');
  const busy = Object.assign(Object.create(deps.commits) as World['commits'], {
    commit: async () => ({ result: 'refused', changed: true, settled: false, isDuplicate: false }),
  });
  const unavailable = { code: 'unavailable' };
  await expect(ingest({ ...deps, commits: busy })).rejects.toMatchObject(unavailable);
  expect(await saved()).toMatchObject({ state: 'pending' });
});

const staged = { size: 8, etag: ETAG, ...stored };
const place = { bucketId: 'id', key: 'a' };

test('a commit gets what a staged upload has stored', () => {
  const upload = newUpload({ ...place, state: 'staged', staged });
  expect(stagedObject(upload, place)).toStrictEqual({ ...staged, blob: upload.blob });
  const objectExpiresAt = '2026-02-01T00:00:00.000Z';
  expect(stagedObject({ ...upload, objectExpiresAt }, place)).toStrictEqual({
    ...{ ...staged, blob: upload.blob, expiresAt: objectExpiresAt },
  });
});

test.each<[string, Upload | undefined]>([
  ['none', undefined],
  ['one of another key', newUpload({ ...place, key: 'b', state: 'staged', staged })],
  ['one of another bucket', newUpload({ ...place, bucketId: 'x', state: 'staged', staged })],
  ['one that is pending', newUpload({ ...place, state: 'pending', staged })],
  ['one that is committed', newUpload({ ...place, state: 'committed', staged })],
  ['one without content', newUpload({ ...place, state: 'staged' })],
])('a commit does not find an upload that is %s', (_, upload) => {
  expect(() => stagedObject(upload, place)).toThrow(
    expect.objectContaining({ code: 'not_found', details: { key: 'a' } }),
  );
});

test('what S3 has of an upload is dropped where PUT would have rejected it', () => {
  const properties = { size: 1, etag: 'e', metadata: {}, lastModified: '' };
  const headers = { 'cache-control': 'no-store', 'content-language': '\u2603', server: 'x' };
  expect(safeContent({ ...properties, contentType: 'a/b', headers })).toEqual({
    ...{ contentType: 'a/b', headers: { 'cache-control': 'no-store' } },
  });
  for (const contentType of [undefined, '', 'x', 'binary/octet-stream']) {
    expect(safeContent({ ...properties, contentType, headers: {} })).toEqual({
      ...{ contentType: 'application/octet-stream', headers: {} },
    });
  }
});
