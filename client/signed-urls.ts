import { StowageError } from './errors';
import type { Http } from './http';
import { unquoted } from './objects';
import type { SignedUrlOptions } from './options';
import { isRecord, type SignedUrl } from './resources';

/** Requests a signed URL. */
export async function requestSignedUrl(
  http: Http,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  options: SignedUrlOptions,
): Promise<SignedUrl> {
  const { method, expiresIn, contentType, contentLength, signal } = options;
  const body = {
    ...{ bucket, key, method },
    ...{ expires_in: expiresIn, content_type: contentType, content_length: contentLength },
    content_disposition: options.contentDisposition,
    cache_control: options.cacheControl,
    content_encoding: options.contentEncoding,
    content_language: options.contentLanguage,
    metadata: options.metadata,
    object_expires_at: options.objectExpiresAt,
    checksum_sha256: options.checksumSha256,
    if_match: options.ifMatch && unquoted(options.ifMatch),
    if_none_match: options.ifNoneMatch,
    commit: options.commit,
  };
  const response = await http.post('signed-url', body, { signal, isRepeatable: true });
  if (isSignedUrl(response)) return response;
  throw new StowageError('invalid_answer', 'the response of the service is not a signed URL');
}

function isSignedUrl(value: unknown): value is SignedUrl {
  return isRecord(value) && typeof value.url === 'string' && isRecord(value.headers);
}
