/** The headers of responses that describe an object, and its signed URLs. */

import { privateCacheControl } from '../http/cache-control';
import { reprDigest } from '../http/digests';
import { UNTRUSTED_CONTENT_HEADERS } from '../http/inert';
import type { PresignedRequest } from '../store/blobs';
import type { LiveObject } from '../store/objects';
import { EXPIRES_AT_HEADER } from './expiry';

/** A signed URL of an object, as POST /signed-url and GET with `redirect=false` return it. */
export function signedDownload(object: LiveObject, { url, headers, expiresAt }: PresignedRequest) {
  const { bucket, key, version, size, etag } = object;
  return { url, method: 'GET', headers, expires_at: expiresAt, bucket, key, version, size, etag };
}

/**
 * Returns how a signed URL serves an object with other content headers than S3 has: S3 can replace
 * a header and not leave it out, so a header that is absent gets a value that says nothing.
 */
export function servedAs({ isPatched, contentType, headers }: LiveObject) {
  if (!isPatched) return {};
  return {
    contentType,
    cacheControl: headers['cache-control'] ?? privateCacheControl(undefined),
    contentDisposition: headers['content-disposition'] ?? 'inline',
    contentEncoding: headers['content-encoding'] ?? 'identity',
    // "Undetermined" (RFC 5646 §2.2.1).
    contentLanguage: headers['content-language'] ?? 'und',
  };
}

/** Validators and cursor: on 200, 206, 304 and on the response to a write. */
export function validatorHeaders(object: LiveObject): Record<string, string> {
  return {
    ETag: `"${object.etag}"`,
    'Last-Modified': new Date(object.updatedAt).toUTCString(),
    'x-object-version': String(object.version),
    'x-object-cursor': String(object.cursor),
  };
}

/** What caches need of a 200, a 206 and a 304: the response is for the caller of this key only. */
export function cacheHeaders({ headers }: LiveObject): Record<string, string> {
  return {
    'Cache-Control': privateCacheControl(headers['cache-control']),
    // A page of another origin needs the headers of its own request (fetch.spec.whatwg.org, CORS).
    Vary: 'Authorization, Origin',
  };
}

/** All headers of GET and HEAD about an object, except the length of the body. */
export function objectHeaders(object: LiveObject): Record<string, string> {
  const { 'cache-control': _, ...stored } = object.headers;
  const headers: Record<string, string> = {
    ...validatorHeaders(object),
    ...cacheHeaders(object),
    'Accept-Ranges': 'bytes',
    'Content-Type': object.contentType,
    // API Gateway need not return Content-Length, least of all to HEAD.
    'x-object-size': String(object.size),
    // The bytes come from any writer.
    ...UNTRUSTED_CONTENT_HEADERS,
    ...stored,
  };
  for (const [name, value] of Object.entries(object.metadata))
    headers[`x-object-meta-${name}`] = value;
  if (object.expiresAt !== undefined) headers[EXPIRES_AT_HEADER] = object.expiresAt;
  if (object.checksumSha256 !== undefined)
    headers['Repr-Digest'] = reprDigest(object.checksumSha256);
  return headers;
}
