import { newApiKey, randomBase62 } from '../../core/access/api-key';
import {
  API_KEY,
  BUCKET_NAME,
  BUCKET_PATTERN,
  CONSUMER_NAME,
  DEFAULT_RATES,
  LIMITS,
  ratesOf,
} from '../../core/limits';
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

test('the units of limits are powers of 1,024', () => {
  const { metadataBytes, partMinBytes, partMaxBytes } = LIMITS;
  expect({ metadataBytes, partMinBytes, partMaxBytes }).toEqual({
    metadataBytes: 2_048,
    partMinBytes: 5_242_880,
    partMaxBytes: 5_368_709_120,
  });
});

test.each([
  [BUCKET_NAME, ['abc', 'a-b', '0-9', 'z9a'], ['ABC', '-ab', 'ab-', 'a_b', 'a.b', 'abc\n', ' abc']],
  [BUCKET_PATTERN, ['*', 'a', 'a-9', 'a-*'], ['', 'a*b', '*a', 'A', 'a_', 'a.b', '**']],
  [
    CONSUMER_NAME,
    ['a', 'Z', '0', 'a.b_c-D9', 'a'.repeat(64)],
    ['', '-a', '.a', '_a', 'a b', 'a/b', 'x:a', 'a'.repeat(65)],
  ],
])('%s accepts %j and not %j', (pattern, accepted, refused) => {
  expect([...accepted, ...refused].filter((name) => pattern.test(name))).toEqual(accepted);
});

test('a tier that the stack does not define has the rates of the default tier', () => {
  const fast = { ...DEFAULT_RATES, read: { rate: 5, burst: 5 } };
  const tiers = { default: DEFAULT_RATES, fast };
  expect(ratesOf(tiers, 'fast')).toBe(fast);
  for (const tier of [undefined, 'default', 'removed', 'toString']) {
    expect(ratesOf(tiers, tier)).toBe(DEFAULT_RATES);
  }
});
