/** When a key is not as it was, and what it takes to bring it back. */
import { descriptorOf } from '../../../core/views';
import type { LiveObject, ObjectRecord } from '../../../core/store/objects';
import {
  compare,
  copiedBytes,
  differenceOf,
  hasItsBlob,
  sizeOf,
  withoutPastExpiry,
} from '../../../core/versions/differences';
import { liveObject, tombstone } from '../../support/samples';

const KEY = 'a/b.txt';
const EXPIRY = '2026-02-01T00:00:00.000Z';
const was = liveObject();
const gone = tombstone();
const differs = (now: ObjectRecord | undefined, old: LiveObject | undefined) =>
  compare(KEY, now, old) !== undefined;

const changed: readonly (readonly [string, Partial<LiveObject>])[] = [
  ['size', { size: 6 }],
  ['content type', { contentType: 'text/css' }],
  ['headers', { headers: { 'cache-control': 'no-store' } }],
  ['another header', { headers: { ...was.headers, 'content-language': 'de' } }],
  ['no header', { headers: {} }],
  ['another header of the same value', { headers: { 'content-language': 'max-age=60' } }],
  ['metadata', { metadata: { ...was.metadata, colour: 'red' } }],
  ['less metadata', { metadata: {} }],
  ['an expiry', { expiresAt: EXPIRY }],
  ['other bytes of unknown checksum', { etag: 'other', checksumSha256: undefined }],
  ['other bytes', { etag: 'other', checksumSha256: 'other' }],
];

test.each(changed)('an object with other %s is not as it was', (_, change) => {
  const now = liveObject({ ...change, version: 2 });
  expect(compare(KEY, now, was)).toEqual({ key: KEY, now, was });
  expect(differs(was, liveObject(change))).toBe(true);
});

test.each<[string, Partial<LiveObject>]>([
  ['of another time', { version: 7, cursor: 9, updatedAt: EXPIRY, createdAt: EXPIRY, by: 'x' }],
  ['in another blob', { blob: 'other', ancestors: [1] }],
  ['with another etag of the same bytes', { etag: 'other-2' }],
  ['with an unknown checksum', { checksumSha256: undefined }],
])('an object %s is as it was', (_, change) => {
  expect(compare(KEY, liveObject(change), was)).toBeUndefined();
  expect(compare(KEY, was, liveObject(change))).toBeUndefined();
});

test('objects of unknown checksums are compared by their etags', () => {
  const unknown = (etag: string) => liveObject({ etag, checksumSha256: undefined });
  expect(differs(unknown('e'), unknown('e'))).toBe(false);
  expect(differs(unknown('e'), unknown('f'))).toBe(true);
});

test('a key without an object is as it was when there was none', () => {
  expect([differs(gone, undefined), differs(undefined, undefined)]).toEqual([false, false]);
  expect(compare(KEY, gone, was)).toEqual({ key: KEY, now: gone, was });
  expect(compare(KEY, undefined, was)).toEqual({ key: KEY, now: undefined, was });
  expect(compare(KEY, was, undefined)).toEqual({ key: KEY, now: was, was: undefined });
  expect(differenceOf({ now: was, was: gone })).toEqual({ key: KEY, now: was, was: undefined });
  expect(differenceOf({ now: gone, was: tombstone({ version: 4 }) })).toBeUndefined();
});

test.each<[string, ObjectRecord, number, boolean]>([
  ['lies ahead', liveObject(), Date.parse(EXPIRY) - 1, true],
  ['is now', liveObject(), Date.parse(EXPIRY), false],
  ['is over', liveObject(), Date.parse(EXPIRY) + 1, false],
  ['is over, and the object still has it', liveObject({ expiresAt: EXPIRY }), 9e12, true],
  ['is over, and the object has another', liveObject({ expiresAt: '2027' }), 9e12, false],
  ['is over, and the object is deleted', gone, 9e12, false],
])('an expiry that %s is kept or not', (_, now, at, isKept) => {
  const old = liveObject({ expiresAt: EXPIRY });
  expect(withoutPastExpiry({ now, was: old }, at)).toStrictEqual({
    now,
    was: isKept ? old : liveObject(),
  });
});

test('a record without an expiry stays what it was', () => {
  for (const old of [was, gone]) {
    expect(withoutPastExpiry({ now: gone, was: old }, 9e12)).toStrictEqual({ now: gone, was: old });
  }
});

test('an object whose bytes are still current is restored without a copy', () => {
  const patched = { key: KEY, now: liveObject({ metadata: {}, version: 2 }), was };
  expect([hasItsBlob(patched), copiedBytes(patched)]).toEqual([true, 0]);
  const replaced = { key: KEY, now: liveObject({ blob: 'other' }), was };
  expect([hasItsBlob(replaced), copiedBytes(replaced)]).toEqual([false, 5]);
  const deleted = { key: KEY, now: gone, was };
  expect([hasItsBlob(deleted), copiedBytes(deleted)]).toEqual([false, 5]);
  for (const now of [was, gone]) {
    const created = { key: KEY, now, was: undefined };
    expect([hasItsBlob(created), copiedBytes(created)]).toEqual([false, 0]);
  }
});

test('a change is as large in a message as what it shows', () => {
  const view = Buffer.byteLength(JSON.stringify(descriptorOf(was)));
  expect(sizeOf({ key: KEY, now: gone, was })).toEqual({ view, copy: 5 });
  expect(sizeOf({ key: '\u00e4', now: was, was: undefined })).toEqual({ view: 4, copy: 0 });
});
