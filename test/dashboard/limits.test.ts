import { BUCKET_PATTERN, LIMITS, PERMISSIONS_MAX } from '../../core/limits';
import { LIMITS as COPIES } from '../../dashboard/src/api/limits';

test('the limits of the dashboard equal those of the service', () => {
  expect(COPIES).toMatchObject({
    bucketPattern: BUCKET_PATTERN,
    permissionEntries: PERMISSIONS_MAX,
    keyBytes: LIMITS.keyBytes,
    encodedKeyLength: LIMITS.encodedKeyLength,
    inlineUploadBytes: LIMITS.inlineUploadBytes,
  });
});
