/** The request headers that are stored with an object and returned with it. */

import { invalid } from '../errors';
import { LIMITS } from '../limits';
import type { HeaderLookup } from './conditions';

export const CONTENT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
] as const;

const METADATA_PREFIX = 'x-object-meta-';
/** RFC 9110 §5.6.2 token: what may be a header name. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Visible ASCII and inner spaces: what every HTTP hop and S3's user metadata carry unchanged. */
const VALUE = /^[\x20-\x7e]*$/;
/** RFC 9110 §8.3.1, parameters of any visible ASCII. */
export const MEDIA_TYPE =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+( *;[\x20-\x7e]*)?$/;
export const MEDIA_TYPE_LENGTH = 255;

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream';

export function isContentType(value: string): boolean {
  return value.length <= MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(value);
}

/** Whether the header may be stored with an object. */
export function isContentHeader(name: string, value: string): boolean {
  const known: readonly string[] = CONTENT_HEADERS;
  return known.includes(name) && value.length <= LIMITS.contentHeaderBytes && VALUE.test(value);
}

export function parseContentType(value: string | undefined, field = 'Content-Type'): string {
  if (value === undefined || value === '') return DEFAULT_CONTENT_TYPE;
  if (!isContentType(value)) {
    throw invalid(field, 'must be a media type such as text/plain; charset=utf-8');
  }
  return value;
}

/** Those of CONTENT_HEADERS that were sent, lower-case names. */
export function parseContentHeaders(header: HeaderLookup): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of CONTENT_HEADERS) {
    const value = header(name);
    if (value === undefined || value === '') continue;
    if (!isContentHeader(name, value)) {
      throw invalid(name, `must be visible ASCII of at most ${LIMITS.contentHeaderBytes} bytes`);
    }
    headers[name] = value;
  }
  return headers;
}

/** `x-object-meta-<name>` -> name, in lower case as S3 stores user metadata. */
export function parseMetadata(
  header: HeaderLookup,
  names: readonly string[],
): Record<string, string> {
  const metadata: [string, string][] = [];
  let bytes = 0;
  for (const full of names) {
    if (!full.startsWith(METADATA_PREFIX)) continue;
    const name = full.slice(METADATA_PREFIX.length);
    const value = header(full) ?? '';
    if (!TOKEN.test(name)) throw invalid(full, 'must have a name after x-object-meta-');
    if (!VALUE.test(value)) {
      throw invalid(full, 'must be visible ASCII; encode anything else, for example as base64');
    }
    metadata.push([name, value]);
    bytes += name.length + value.length;
  }
  if (bytes > LIMITS.metadataBytes) {
    throw invalid('x-object-meta-*', `must be at most ${LIMITS.metadataBytes} bytes in all`);
  }
  // Not by assignment: a name may be __proto__.
  return Object.fromEntries(metadata);
}
