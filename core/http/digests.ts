/**
 * Integrity fields: RFC 9530 (Content-Digest, Repr-Digest), in the form of RFC 8941 dictionaries.
 */
import { createHash } from 'node:crypto';
import { invalid } from '../errors';

const MEMBER = /^\s*([a-z*][a-z0-9_\-.*]*)=:([A-Za-z0-9+/]*={0,2}):\s*(?:;.*)?$/;

/** Returns the SHA-256 in base64, as S3 and RFC 9530 write it. */
export function sha256Base64(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64');
}

/**
 * Checks a body against Content-Digest. sha-256 and sha-512 are verified; a field that has neither
 * is refused, because the sender believes that its upload is protected.
 */
export function verifyContentDigest(
  value: string | undefined,
  body: Uint8Array,
  sha256: string,
): void {
  if (value === undefined) return;
  const members = value.split(',');
  if (members.length > 10) throw invalid('Content-Digest', 'must have at most 10 members');
  let verified = false;
  for (const member of members) {
    const [, algorithm, digest] = MEMBER.exec(member) ?? [];
    if (algorithm === undefined)
      throw invalid('Content-Digest', 'must look like sha-256=:<base64>:');
    if (algorithm !== 'sha-256' && algorithm !== 'sha-512') continue;
    const actual =
      algorithm === 'sha-256' ? sha256 : createHash('sha512').update(body).digest('base64');
    if (digest !== actual) {
      throw invalid('Content-Digest', `${algorithm} does not match the body that arrived`);
    }
    verified = true;
  }
  if (!verified) throw invalid('Content-Digest', 'must contain sha-256 or sha-512');
}

/**
 * The header in which the edge passes Content-MD5 on, because API Gateway withholds Content-MD5
 * from functions: lib/gateway/edge-function.ts.
 */
export const PASSED_CONTENT_MD5 = 'x-object-content-md5';

/**
 * Checks a body against Content-MD5 (RFC 1864), which clients send although RFC 9110 dropped it.
 */
export function verifyContentMd5(value: string | undefined, body: Uint8Array): void {
  if (value === undefined) return;
  if (!/^[A-Za-z0-9+/]{22}==$/.test(value)) {
    throw invalid('Content-MD5', 'must be the base64 of an MD5 (24 characters)');
  }
  if (value !== createHash('md5').update(body).digest('base64')) {
    throw invalid('Content-MD5', 'does not match the body that arrived');
  }
}

/** Returns the value of Repr-Digest for a known SHA-256 (base64). */
export function reprDigest(checksumSha256: string): string {
  return `sha-256=:${checksumSha256}:`;
}

export const SHA256_BASE64 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Parses a field that holds the base64 of a SHA-256. */
export function parseSha256(value: unknown, field: string): string {
  if (typeof value !== 'string' || !SHA256_BASE64.test(value)) {
    throw invalid(field, 'must be the base64 of a SHA-256 (44 characters)');
  }
  return value;
}
