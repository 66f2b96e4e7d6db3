/** The names of blobs and uploads in S3, and the parts of uploads. */
import { blobName, parseBlobName, ulidTime } from '../../../core/objects/blob-names';
import { copiedParts, isMultipart, partSizeFor } from '../../../core/uploads/parts';
import { isUploadId, uploadIdOf } from '../../../core/uploads/uploads';
import { newUpload } from '../../support/samples';

const ID = '0123456789aZ';
const ULID = '01KAG8Y2M4Q7T9V1X3Z5B7D9F1';

test('the name of a blob has all that is needed to find its object', () => {
  for (const key of ['a', 'a/b', '/', 'a\nb', `x/${ULID}`]) {
    const name = blobName({ name: 'photos', id: ID }, key, ULID);
    expect(name).toBe(`objects/photos.${ID}/${key}/${ULID}`);
    const parts = { bucket: 'photos', bucketId: ID, key, ulid: ULID };
    expect(parseBlobName(name)).toEqual(parts);
    expect(parseBlobName(name.replace('objects', 'uploads'))).toEqual(parts);
  }
});

test.each([
  '',
  `links/photos.${ID}/a/${ULID}`,
  `x/objects/photos.${ID}/a/${ULID}`,
  `objects/photos/a/${ULID}`,
  `objects/Photos.${ID}/a/${ULID}`,
  `objects/photos.${ID}x/a/${ULID}`,
  `objects/photos.0123456789a_/a/${ULID}`,
  `objects/photos.${ID}/${ULID}`,
  `objects/photos.${ID}//${ULID}`,
  `objects/photos.${ID}/a/${ULID.toLowerCase()}`,
  `objects/photos.${ID}/a/${ULID}0/`,
])('%j is not the name of a blob', (name) => {
  expect(parseBlobName(name)).toBeUndefined();
});

test.each([
  ['01ARYZ6S410000000000000000', 1469918176385],
  ['0000000001ZZZZZZZZZZZZZZZZ', 1],
  ['00000000ZZ', 1023],
  ['00000000I0', Number.NaN],
  ['0000000i00', Number.NaN],
])('the time of the ULID %s is %d', (ulid, time) => {
  expect(ulidTime(ulid)).toBe(time);
});

test.each([
  [ULID, true],
  ['7ZZZZZZZZZZZZZZZZZZZZZZZZZ', true],
  [ULID.slice(1), false],
  [`${ULID}0`, false],
  [ULID.toLowerCase(), false],
  [ULID.replace('K', 'I'), false],
  [ULID.replace('K', 'L'), false],
  [ULID.replace('K', 'O'), false],
  [ULID.replace('K', 'U'), false],
  [7, false],
  [[ULID], false],
])('whether %j is the id of an upload: %s', (value, is) => {
  expect(isUploadId(value)).toBe(is);
});

test('the name of the blob of an upload ends with the id of the upload', () => {
  expect(uploadIdOf(`uploads/photos.${ID}/a/b/${ULID}`)).toBe(ULID);
  expect(uploadIdOf(`objects/photos.${ID}/a/${ULID}`)).toBeUndefined();
  expect(uploadIdOf(`uploads/photos.${ID}/${ULID}/a`)).toBeUndefined();
});

test('an upload has parts when their size and number are known', () => {
  const parts = { size: 10, partSize: 5, multipartId: 'm' };
  expect(isMultipart(newUpload(parts))).toBe(true);
  for (const name of Object.keys(parts)) {
    expect(isMultipart(newUpload({ ...parts, [name]: undefined }))).toBe(false);
  }
});

const MiB = 1024 * 1024;

test.each([
  [1, 8 * MiB],
  [80 * MiB, 8 * MiB],
  [80 * MiB + 1, 9 * MiB],
  [90 * MiB, 9 * MiB],
])('%i bytes in at most 10 parts of at least 8 MiB have parts of %i', (size, partSize) => {
  expect(partSizeFor(size, 8 * MiB, 10)).toBe(partSize);
});

test('the parts of a copy cover its source, and the last one may be shorter', () => {
  const [first, second] = [
    { number: 1, start: 0, end: 4 },
    { number: 2, start: 5, end: 9 },
  ];
  expect(copiedParts(10, 5)).toEqual([first, second]);
  expect(copiedParts(11, 5)).toEqual([first, second, { number: 3, start: 10, end: 10 }]);
  expect(copiedParts(9, 5)).toEqual([first, { ...second, end: 8 }]);
});
