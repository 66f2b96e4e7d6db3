/** Values of S3's API, from and to those of the Blobs port. */
import type { UploadContent } from '../../core/store/blobs';

/** The content headers that S3 stores, and their names in the inputs and outputs of the SDK. */
export const CONTENT_HEADERS = {
  'cache-control': 'CacheControl',
  'content-disposition': 'ContentDisposition',
  'content-encoding': 'ContentEncoding',
  'content-language': 'ContentLanguage',
} as const;

type ContentInput = {
  readonly ContentType?: string;
  readonly Metadata?: Record<string, string>;
} & {
  readonly [Name in (typeof CONTENT_HEADERS)[keyof typeof CONTENT_HEADERS]]?: string;
};

/** Returns the input fields of a call that store properties with the content. */
export function contentInput({ contentType, headers = {}, metadata = {} }: UploadContent) {
  const given = Object.entries(CONTENT_HEADERS).map(([header, name]) => [name, headers[header]]);
  return {
    ContentType: contentType,
    Metadata: metadata,
    ...Object.fromEntries(given),
  } as ContentInput;
}

/** The key as a path, percent-encoded as RFC 3986 demands. */
export function encodedKey(key: string): string {
  return key.split('/').map(encode).join('/');
}

/** encodeURIComponent leaves five characters of RFC 3986 as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The etag without its quotes. */
export function unquoted(etag: string | undefined): string {
  return (etag ?? '').replace(/^"(.*)"$/, '$1');
}

/** Reports whether S3 refused the call with an error of one of these names. */
export function isError(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name);
}
