/** The names of blobs and uploads in S3, and the parts of uploads. */
import { blobName, parseBlobName } from '../../../core/objects/blob-names';

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
