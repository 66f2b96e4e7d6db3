/** Names as they arrive in a path: percent-decoded exactly once, then parsed. */
import { parseBucketName, parseKey, percentDecode } from '../../../core/objects/names';

export function bucketOf(target: { readonly bucket: string }): string {
  return parseBucketName(percentDecode(target.bucket, 'bucket'));
}

export function keyOf(target: { readonly key: string }): string {
  return parseKey(percentDecode(target.key, 'key'));
}
