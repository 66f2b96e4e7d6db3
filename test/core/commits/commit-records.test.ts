/** What each change of a commit makes of its keys. */

import type { ContentFields } from '../../../core/commits/commit-request';
import { sha256Base64 } from '../../../core/http/digests';
import { BUCKET, put } from '../../support/bucket-world';
import { committed, openWith, PLAIN, putOf } from './world';

const DESCRIBED: ContentFields = {
  contentType: 'text/css',
  headers: { 'cache-control': 'no-store', 'content-language': 'de' },
  metadata: { a: 'b' },
  expiresAt: '2026-02-01T00:00:00.000Z',
};
const BLOB = /^objects\/photos\.b0{10}1\/[a-z]+\/[0-9A-Z]{26}$/;

const described = {
  contentType: 'text/css',
  headers: DESCRIBED.headers,
  metadata: { a: 'b' },
};

/** The object `a`, that is described, was stored by another writer, and is a minute old. */
async function openDescribed() {
  const opened = await openWith();
  const { deps, recordOf } = opened;
  await committed(deps, [putOf('a', 'text', DESCRIBED)], {}, { by: 'other' });
  const a = await recordOf('a');
  if (a?.state !== 'live') throw new Error('no object');
  deps.clock.advance(60_000);
  return { ...opened, a, now: deps.clock.iso() };
}

test('a put makes a record of its bytes and of what describes them', async () => {
  const { deps, a } = await openDescribed();
  expect(a).toStrictEqual({
    ...{ state: 'live', bucket: BUCKET, key: 'a', size: 4, version: 1, cursor: 1, ancestors: [] },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
    etag: '1cb251ec0d568de6a929b520c4aed8d1',
    checksumSha256: sha256Base64(Buffer.from('text')),
    ...{ ...described, expiresAt: DESCRIBED.expiresAt, by: 'other' },
    blob: expect.stringMatching(BLOB),
  });
  expect(deps.state.blobs.get(a.blob)).toMatchObject({ ...described, bytes: Buffer.from('text') });
});

test('a put that describes nothing has a default type and no metadata', async () => {
  const { deps, recordOf } = await openWith('a');
  const record = await recordOf('a');
  const plain = { contentType: 'application/octet-stream', headers: {}, metadata: {} };
  expect(record).toMatchObject(plain);
  expect(record).not.toHaveProperty('expiresAt');
  if (record?.state !== 'live') throw new Error('no object');
  expect(deps.state.blobs.get(record.blob)).toMatchObject(plain);
});

test('a copy is described as its source, but does not expire with it', async () => {
  const { deps, a, now } = await openDescribed();
  const [copy] = await committed(deps, [
    { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN },
  ]);
  const { expiresAt: _, ...kept } = a;
  expect(copy).toStrictEqual({
    ...{ ...kept, key: 'b', cursor: 2, createdAt: now, updatedAt: now, by: 'writer' },
    blob: expect.stringMatching(BLOB),
  });
  if (copy?.state !== 'live') throw new Error('no object');
  expect(copy.blob).not.toBe(a.blob);
  expect(deps.state.blobs.get(copy.blob)).toMatchObject({
    ...described,
    bytes: Buffer.from('text'),
  });
});

test('a copy is described by what it names, and by its source in what it does not name', async () => {
  const { deps } = await openDescribed();
  const content = {
    contentType: 'text/html',
    headers: { 'content-language': 'en', 'content-encoding': 'gzip' },
    metadata: {},
    expiresAt: '2026-03-01T00:00:00.000Z',
  };
  const headers = { ...described.headers, ...content.headers };
  const [copy] = await committed(deps, [{ op: 'copy', key: 'b', from: { key: 'a' }, content }]);
  expect(copy).toMatchObject({ ...content, headers });
  expect(copy).toHaveProperty('metadata', {});
  if (copy?.state !== 'live') throw new Error('no object');
  expect(deps.state.blobs.get(copy.blob)).toMatchObject({ contentType: 'text/html', headers });
});

test('a move makes the same object under another key, and deletes its source', async () => {
  const { deps, bucket, a, now } = await openDescribed();
  const objects = await committed(deps, [{ op: 'move', key: 'b', from: { key: 'a' } }]);
  expect(objects).toStrictEqual([
    {
      ...{ ...a, key: 'b', cursor: 2, createdAt: now, updatedAt: now, by: 'writer' },
      blob: expect.stringMatching(BLOB),
    },
    {
      ...{ state: 'deleted', bucket: BUCKET, key: 'a', version: 2, cursor: 3, deletedAt: now },
      ...{ by: 'writer', ancestors: [1] },
    },
  ]);
  expect([...deps.state.objectsOf(bucket.id).values()]).toEqual(expect.arrayContaining(objects));
});

test('a patch makes a version of the same bytes with what it names', async () => {
  const { deps, a, now } = await openDescribed();
  const content = { contentType: 'text/html', headers: { 'content-language': 'en' } };
  const [patched] = await committed(deps, [{ op: 'patch', key: 'a', content }]);
  expect(patched).toStrictEqual({
    ...{ ...a, version: 2, cursor: 2, updatedAt: now, by: 'writer', ancestors: [1] },
    contentType: 'text/html',
    headers: { 'cache-control': 'no-store', 'content-language': 'en' },
    isPatched: true,
  });
});

test.each([
  [undefined, DESCRIBED.expiresAt],
  ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  [null, undefined],
])('a patch with the expiry %j leaves %j', async (expiresAt, left) => {
  const { deps } = await openDescribed();
  const content = {
    headers: {},
    metadata: { c: 'd' },
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const [patched] = await committed(deps, [{ op: 'patch', key: 'a', content }]);
  expect(patched).toMatchObject({ ...described, metadata: { c: 'd' } });
  expect(patched && 'expiresAt' in patched ? patched.expiresAt : undefined).toBe(left);
});

test('a delete leaves a tombstone with its writer', async () => {
  const { deps, now } = await openDescribed();
  expect(await committed(deps, [{ op: 'delete', key: 'a', ifExists: false }])).toStrictEqual([
    {
      ...{ state: 'deleted', bucket: BUCKET, key: 'a', version: 2, cursor: 2, deletedAt: now },
      ...{ by: 'writer', ancestors: [1] },
    },
  ]);
});

test('a staged upload becomes an object with what S3 has stored', async () => {
  const { deps, bucket, recordOf } = await openWith();
  const id = deps.ids.ulid();
  const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
  const staged = { size: 2, etag: 'e', contentType: 'a/b', headers: {}, metadata: { a: 'b' } };
  const row = { bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, state: 'staged' } as const;
  const objectExpiresAt = '2026-02-01T00:00:00.000Z';
  await deps.uploads.create({ id, ...row, staged, objectExpiresAt, expiresAt: '', ttl: 9e9 });
  const [object] = await committed(deps, [{ op: 'put', key: 'a', uploadId: id }]);
  expect(object).toStrictEqual({
    ...{ state: 'live', bucket: BUCKET, key: 'a', version: 1, cursor: 1, ancestors: [] },
    ...{ createdAt: deps.clock.iso(), updatedAt: deps.clock.iso(), by: 'writer' },
    ...{ ...staged, blob, expiresAt: objectExpiresAt },
  });
  expect(await recordOf('a')).toStrictEqual(object);
  expect(await deps.uploads.get(id)).toMatchObject({ committed: { version: 1, cursor: 1 } });
});

test('a version is copied that is older than the object, also after it was deleted', async () => {
  const { deps, textOf } = await openWith();
  for (const text of ['one', 'two']) await put(deps, 'a', text);
  await committed(deps, [{ op: 'delete', key: 'a', ifExists: false }]);
  const copy = (version?: number) =>
    committed(deps, [{ op: 'copy', key: 'b', from: { key: 'a', version }, content: PLAIN }]);
  await copy(1);
  expect(await textOf('b')).toBe('one');
  await expect(copy()).rejects.toMatchObject({
    code: 'not_found',
    details: { bucket: BUCKET, key: 'a', index: 0 },
  });
  await expect(copy(3)).rejects.toMatchObject({
    code: 'not_found',
    details: { bucket: BUCKET, key: 'a', version: 3, newest: 3, index: 0 },
  });
});
