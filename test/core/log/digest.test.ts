import { createHash } from 'node:crypto';
import { canonicalJson, firstDigest, nextDigest, publishedDigest } from '../../../core/log/digest';
import type { BucketStats } from '../../../core/store/buckets';
import { AT } from '../../support/samples';

const sha256 = (...parts: (string | Buffer)[]) =>
  parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest();

const STATS: BucketStats = {
  ...{ id: 'b00000000001', oldest: 1, trimmed: 1, published: 0, objectCount: 0, totalSize: 0 },
};
const first = { sha256: sha256(STATS.id).toString('base64'), since: 0 };
const stored = { sha256: sha256('stored').toString('base64'), since: 2 };

test.each([
  [null, 'null'],
  ['a"', '"a\\""'],
  [1, '1'],
  [[2, [true]], '[2,[true]]'],
  [{ b: 1, a: { d: [], c: 'x' } }, '{"a":{"c":"x","d":[]},"b":1}'],
  [{ a: 1, c: 3, b: 2 }, '{"a":1,"b":2,"c":3}'],
  [{ b: undefined, a: null }, '{"a":null}'],
  [{}, '{}'],
])('canonicalJson of %j is %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test.each([
  ['nothing is published', {}, first],
  ['it belongs to the mark', { published: 3, digest: { ...stored, at: 3 } }, stored],
  ['it belongs to an earlier mark', { published: 3, digest: { ...stored, at: 2 } }, undefined],
  ['there is none', { published: 3 }, undefined],
])('publishedDigest is known when %s', (_, stats, digest) => {
  expect(publishedDigest({ ...STATS, ...stats })).toEqual(digest);
});

test('nextDigest continues the digest of the mark, or begins after it', () => {
  const noops = [4, 5].map(
    (cursor) => ({ type: 'noop', bucket: 'photos', cursor, at: AT }) as const,
  );
  const after = (digest: Buffer) => sha256(sha256(digest, '4'), '5').toString('base64');
  const known = { ...STATS, published: 3, digest: { ...stored, at: 3 } };
  expect(nextDigest(known, noops)).toEqual({ sha256: after(sha256('stored')), since: 2 });
  const unknown = { ...STATS, published: 3 };
  expect(nextDigest(unknown, noops)).toEqual({ sha256: after(sha256(STATS.id)), since: 3 });
  expect(firstDigest(STATS.id, 3)).toEqual({ ...first, since: 3 });
});
