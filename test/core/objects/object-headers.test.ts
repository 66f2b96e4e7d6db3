/** Buckets and objects as clients see them. */
import { bucketView } from '../../../core/buckets/bucket-view';
import { cacheHeaders, objectHeaders, servedAs, signedDownload, validatorHeaders } from '../../../core/objects/object-headers';
import { deletedView, descriptorOf, versionView } from '../../../core/views';
import { liveOf } from '../../../core/store/objects';
import { objectNotFound, versionNotFound } from '../../../core/not-found';
import type { LiveObject } from '../../../core/store/objects';
import { AT, LATER, liveObject, newBucket, tombstone } from '../../support/samples';

const KEY = 'a/b.txt';
const object = liveObject({ by: 'writer', isPatched: true });
const expiresAt = '2026-02-01T00:00:00.000Z';
const plain = (): LiveObject => {
  const { checksumSha256: _, ...rest } = liveObject({ headers: {}, metadata: {} });
  return rest;
};

test('only a record of an object is live', () => {
  expect(liveOf(object)).toBe(object);
  expect([liveOf(undefined), liveOf(tombstone())]).toEqual([undefined, undefined]);
});

test('a descriptor shows what a client may see of an object', () => {
  const { etag, metadata, checksumSha256 } = object;
  const shown = {
    ...{ bucket: 'photos', key: KEY, size: 5, etag, version: 1, cursor: 1 },
    ...{ created_at: AT, updated_at: AT, content_type: 'text/plain; charset=utf-8' },
  };
  expect(descriptorOf({ ...object, expiresAt })).toStrictEqual({
    ...{ ...shown, metadata, checksum_sha256: checksumSha256, expires_at: expiresAt },
  });
  expect(descriptorOf(plain())).toStrictEqual({ ...shown, metadata: {} });
});

test('what is not found is named', () => {
  expect(objectNotFound('photos', KEY)).toMatchObject({
    ...{ code: 'not_found', details: { bucket: 'photos', key: KEY } },
  });
  const newest = tombstone({ version: 4 });
  const errors = [4, 5].map((version) => versionNotFound(newest, version));
  expect(errors).toMatchObject(
    [4, 5].map((version) => ({
      ...{ code: 'not_found', details: { bucket: 'photos', key: KEY, version, newest: 4 } },
    })),
  );
  // Only of the second it is certain that it never was.
  expect(errors.map(({ message }) => message.includes('no longer'))).toEqual([true, false]);
});

test('a signed URL comes with what it serves', () => {
  const signed = { url: 'https://x', headers: { a: 'b' }, expiresAt: LATER };
  expect(signedDownload(object, signed)).toStrictEqual({
    ...{ url: 'https://x', method: 'GET', headers: { a: 'b' }, expires_at: LATER },
    ...{ bucket: 'photos', key: KEY, version: 1, size: 5, etag: object.etag },
  });
});

test('a signed URL serves a patched object with the headers that S3 does not know', () => {
  const headers = {
    'cache-control': 'no-store',
    'content-disposition': 'inline',
    'content-encoding': 'gzip',
    'content-language': 'de',
  };
  expect(servedAs(liveObject({ headers, isPatched: true }))).toStrictEqual({
    ...{ contentType: 'text/plain; charset=utf-8', cacheControl: 'no-store' },
    ...{ contentDisposition: 'inline', contentEncoding: 'gzip', contentLanguage: 'de' },
  });
  expect(servedAs(liveObject({ headers }))).toStrictEqual({});
  expect(servedAs(liveObject({ headers, isPatched: false }))).toStrictEqual({});
});

test('a deleted object shows when it was deleted', () => {
  expect(deletedView(tombstone({ by: 'writer', cause: 'expired' }))).toStrictEqual({
    ...{ bucket: 'photos', key: KEY, version: 2, cursor: 2, deleted_at: LATER },
  });
});

test('a version shows what it was, who made it, and why it was deleted', () => {
  const { etag } = object;
  const put = { version: 1, cursor: 1, type: 'put', at: LATER, size: 5, etag };
  const content = { content_type: 'text/plain; charset=utf-8' };
  const updated = { ...object, updatedAt: LATER };
  expect(versionView(updated)).toStrictEqual({ ...put, ...content, by: 'writer' });
  const { by: _, ...unknown } = updated;
  expect(versionView(unknown)).toStrictEqual({ ...put, ...content });
  const deletion = { version: 2, cursor: 2, type: 'delete', at: LATER };
  expect(versionView(tombstone())).toStrictEqual(deletion);
  expect(versionView(tombstone({ by: 'writer', cause: 'expired' }))).toStrictEqual({
    ...{ ...deletion, by: 'writer', cause: 'expired' },
  });
});

test('a bucket shows its counters and rules where they are given', () => {
  const bucket = newBucket({ cursor: 9, closingAt: LATER });
  const shown = { name: bucket.name, bucket_id: bucket.id, created_at: AT, cursor: 7 };
  expect(bucketView(bucket, 7)).toStrictEqual(shown);
  const counters = { objectCount: 2, totalSize: 10 };
  const rules = [
    { prefix: '', expireAfterDays: 1 },
    { prefix: 'a/', expireAfterDays: 2 },
  ];
  expect(bucketView(bucket, 7, counters, rules)).toStrictEqual({
    ...{ ...shown, object_count: 2, total_size: 10 },
    lifecycle: [{ expire_after_days: 1 }, { prefix: 'a/', expire_after_days: 2 }],
  });
});

test('the headers of an object describe it, and do not let a page run it', () => {
  const headers = { 'cache-control': 'max-age=60', 'content-language': 'de' };
  const described = liveObject({ headers, metadata: { colour: 'blue' }, expiresAt });
  const validators = {
    ETag: `"${object.etag}"`,
    'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'x-object-version': '1',
    'x-object-cursor': '1',
  };
  expect(validatorHeaders(described)).toStrictEqual(validators);
  const cached = cacheHeaders(described);
  expect(cached).toStrictEqual({
    'Cache-Control': expect.stringMatching(/^private.*max-age=60|max-age=60.*private/),
    Vary: 'Authorization, Origin',
  });
  expect(objectHeaders(described)).toMatchObject({
    ...{ ...validators, ...cached },
    'Accept-Ranges': 'bytes',
    'Content-Type': 'text/plain; charset=utf-8',
    'x-object-size': '5',
    'X-Content-Type-Options': 'nosniff',
    'content-language': 'de',
    'x-object-meta-colour': 'blue',
    'x-object-expires-at': expiresAt,
    'Repr-Digest': `sha-256=:${described.checksumSha256}:`,
  });
  expect(objectHeaders(described)).not.toHaveProperty('cache-control');
  const few = Object.keys(objectHeaders(plain()));
  for (const name of ['x-object-expires-at', 'Repr-Digest']) expect(few).not.toContain(name);
});
