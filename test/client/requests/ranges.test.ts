/** Which ranges of changes and which digests the client accepts. */
import { parseChangeRange, parseDigest } from '../../../client/resources';

const put = { cursor: 2, type: 'put', object: { key: 'a' } };
const removed = { cursor: 4, type: 'delete', object: { key: 'a' } };
const RANGE = { bucket: 'photos', bucket_id: 'b1', from: 1, to: 4, head: 6 };
const SHA256 = `${'a'.repeat(43)}=`;

test('parseChangeRange returns the fields of a range, and no others', () => {
  const digest = { sha256: SHA256, since: 0 };
  const changes = [put, removed];
  const range = { ...RANGE, changes, digest };
  expect(parseChangeRange({ ...range, extra: 1 })).toEqual(range);
  expect(parseChangeRange({ ...range, digest: 'none' })).toEqual({ ...RANGE, changes });
  const empty = { ...RANGE, from: 4, changes: [] };
  expect(parseChangeRange(empty)).toEqual(empty);
});

test('the head of a range is at least its end', () => {
  expect(parseChangeRange({ ...RANGE, head: 3, changes: [] })).toMatchObject({ head: 4 });
  expect(parseChangeRange({ ...RANGE, head: 5, changes: [] })).toMatchObject({ head: 5 });
});

test.each([null, undefined, 'text', [], 7])(
  '%j is rejected as a range and as a digest',
  (value) => {
    expect(parseChangeRange(value)).toBeUndefined();
    expect(parseDigest(value)).toBeUndefined();
  },
);

test.each<[string, object]>([
  ['a bucket that is no text', { bucket: 7 }],
  ['an id that is no text', { bucket_id: 7 }],
  ['a beginning that is no cursor', { from: '1' }],
  ['an end that is no cursor', { to: 4.5 }],
  ['a head that is no cursor', { head: -1 }],
  ['an end before its beginning', { from: 5, to: 4 }],
  ['changes that are no list', { changes: {} }],
  ['a change that is no record', { changes: [7] }],
  ['a change without a cursor', { changes: [{ ...put, cursor: undefined }] }],
  ['a change of another type', { changes: [{ ...put, type: 'patch' }] }],
  ['a change without an object', { changes: [{ ...put, object: [] }] }],
  ['a change whose object has no key', { changes: [{ ...put, object: { key: 7 } }] }],
  ['a change at its beginning', { changes: [{ ...put, cursor: 1 }] }],
  ['a change behind its end', { changes: [{ ...put, cursor: 5 }] }],
  ['a change twice', { changes: [put, put] }],
  ['changes in another order', { changes: [removed, put] }],
  ['a commit that is no range', { changes: [{ ...put, commit: null }] }],
  ['a commit without a beginning', { changes: [{ ...put, commit: { from: '1', to: 3 } }] }],
  ['a commit without an end', { changes: [{ ...put, commit: { from: 1, to: '3' } }] }],
  ['a commit that begins later', { changes: [{ ...put, commit: { from: 3, to: 4 } }] }],
  ['a commit that ends before', { changes: [{ ...put, commit: { from: 1, to: 1 } }] }],
  ['a commit that ends behind it', { changes: [{ ...put, commit: { from: 2, to: 5 } }] }],
])('a range with %s is rejected', (_, fields) => {
  expect(parseChangeRange({ ...RANGE, changes: [], ...fields })).toBeUndefined();
});

test.each([
  { from: 2, to: 4 },
  { from: 1, to: 2 },
  { from: 2, to: 2 },
])('a change at cursor 2 is accepted with the commit %j', (commit) => {
  const changes = [{ ...put, commit }];
  expect(parseChangeRange({ ...RANGE, changes })?.changes).toEqual(changes);
});

test.each([
  { sha256: 7, since: 0 },
  { sha256: SHA256.slice(1), since: 0 },
  { sha256: `a${SHA256}`, since: 0 },
  { sha256: `${SHA256}a`, since: 0 },
  { sha256: `-${SHA256.slice(1)}`, since: 0 },
  { sha256: SHA256 },
  { sha256: SHA256, since: -1 },
  { sha256: SHA256, since: 2 ** 53 },
])('%j is rejected as a digest', (value) => {
  expect(parseDigest({ sha256: SHA256, since: 0, extra: 1 })).toEqual({ sha256: SHA256, since: 0 });
  expect(parseDigest(value)).toBeUndefined();
});
