import { newApiKey, randomBase62 } from '../../core/access/api-key';
import { API_KEY, BUCKET_NAME, BUCKET_PATTERN, LIMITS } from '../../core/limits';
import { parseBlobName } from '../../core/objects/blob-names';

/** AWS: "Object key names". */
const S3_KEY_BYTES = 1024;

test('the longest S3 key of the service fits the limit of S3', () => {
  const bucket = 'b'.repeat(LIMITS.bucketNameMax);
  const key = 'k'.repeat(LIMITS.keyBytes);
  for (const prefix of ['objects', 'uploads']) {
    const blob = `${prefix}/${bucket}.${randomBase62(12)}/${key}/${'0'.repeat(26)}`;
    expect(parseBlobName(blob)).toMatchObject({ bucket, key });
    expect(blob.length).toBeLessThanOrEqual(S3_KEY_BYTES);
  }
});

test('the patterns of buckets accept the promised lengths and no other', () => {
  const { bucketNameMin, bucketNameMax } = LIMITS;
  const name = (length: number) => 'b'.repeat(length);
  const lengths = Array.from({ length: 100 }, (_, length) => length);
  expect(lengths.filter((length) => BUCKET_NAME.test(name(length)))).toEqual(
    lengths.filter((length) => length >= bucketNameMin && length <= bucketNameMax),
  );
  expect(lengths.filter((length) => BUCKET_PATTERN.test(name(length)))).toEqual(
    lengths.filter((length) => length >= 1 && length <= bucketNameMax),
  );
});

test('every new API key matches the pattern that the gateway checks', () => {
  for (let count = 0; count < 50; count++) {
    expect(newApiKey().text).toMatch(new RegExp(`^${API_KEY}$`));
  }
});
