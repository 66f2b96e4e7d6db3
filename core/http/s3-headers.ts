/**
 * Headers with which a client of S3 requests a feature that this interface offers in another way or
 * not at all. They are refused, because the sender believes that they have an effect. Headers that
 * SDKs, signers and AWS's own hops add to any request, such as x-amz-date and x-amz-cf-id, are not
 * listed: they are ignored.
 */
import { invalid } from '../errors';

const DIGEST = 'send Content-Digest: sha-256=:<base64>: instead';
const PERMISSIONS = 'the permissions of API keys decide who has access; leave the header out';
const ENCRYPTION =
  'the deployment encrypts every object, by its own settings; leave the header out';
const LOCK = 'objects cannot be locked; older versions are kept for the retention';

/** Hints what to do instead, by the prefix of the header's name. */
const HINTS: readonly (readonly [start: string, hint: string])[] = [
  ['x-amz-meta-', 'send x-object-meta-<name> instead'],
  ['x-amz-tagging', 'send x-object-meta-<name> instead'],
  ['x-amz-copy-source', 'send a copy in POST /api/v2/storage/commits instead'],
  ['x-amz-rename-source', 'objects cannot be renamed; upload the object under its new key'],
  ['x-amz-checksum-', DIGEST],
  ['x-amz-sdk-checksum-algorithm', DIGEST],
  ['x-amz-content-sha256', DIGEST],
  ['x-amz-trailer', DIGEST],
  ['x-amz-decoded-content-length', 'send the bytes themselves, not in the encoding aws-chunked'],
  ['x-amz-write-offset-bytes', 'objects cannot be appended to; upload the whole object'],
  ['x-amz-if-match-', 'send If-Match instead'],
  ['x-amz-acl', PERMISSIONS],
  ['x-amz-grant-', PERMISSIONS],
  ['x-amz-expected-bucket-owner', PERMISSIONS],
  ['x-amz-server-side-encryption', ENCRYPTION],
  ['x-amz-storage-class', 'the deployment decides the storage class; leave the header out'],
  ['x-amz-object-lock-', LOCK],
  ['x-amz-bypass-governance-retention', LOCK],
  ['x-amz-mfa', LOCK],
  ['x-amz-website-redirect-location', 'objects are not served as a website; leave the header out'],
];

/**
 * Throws invalid_request with a hint. `names` are the names of the request's headers, in lower
 * case.
 */
export function refuseS3Headers(names: readonly string[]): void {
  for (const name of names) {
    const hint = HINTS.find(([start]) => name.startsWith(start))?.[1];
    if (hint !== undefined) throw invalid(name, `is a header of S3; ${hint}`);
  }
}
