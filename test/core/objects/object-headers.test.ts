/** Buckets and objects as clients see them. */
import {
  cacheHeaders,
  objectHeaders,
  validatorHeaders,
} from '../../../core/objects/object-headers';
import type { LiveObject } from '../../../core/store/objects';
import { descriptorOf, versionView } from '../../../core/views';
import { AT, LATER, liveObject, tombstone } from '../../support/samples';

const KEY = 'a/b.txt';
const object = liveObject({ by: 'writer', isPatched: true });
const expiresAt = '2026-02-01T00:00:00.000Z';
const plain = (): LiveObject => {
  const { checksumSha256: _, ...rest } = liveObject({ headers: {}, metadata: {} });
  return rest;
};

test('descriptorOf returns the public fields of an object', () => {
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

test('versionView returns the fields of a version, its writer and the cause of a deletion', () => {
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
