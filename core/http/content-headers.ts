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
/** A token of RFC 9110 §5.6.2, the syntax of a header name. */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Visible ASCII and inner spaces, which every HTTP hop and S3's user metadata carry unchanged. */
const VALUE = /^[\x20-\x7e]*$/;
/** The same syntax of a content header in JSON, where nothing removes spaces at the ends. */
export const FIELD_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** The same syntax of a metadata value, which may be empty, as the value of a header may. */
export const METADATA_VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
/** A media type of RFC 9110 §8.3.1, with parameters of any visible ASCII. */
export const MEDIA_TYPE =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+( *;[\x20-\x7e]*)?$/;
export const MEDIA_TYPE_LENGTH = 255;

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream';

export function isContentType(value: string): boolean {
  return value.length <= MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(value);
}

/** Reports whether the header may be stored with an object. */
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

/** Returns the CONTENT_HEADERS that were sent, with lower-case names. */
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

const contentField = (header: (typeof CONTENT_HEADERS)[number]) => header.replaceAll('-', '_');

/** The fields of a JSON body that `parseContentFields` reads. */
export const CONTENT_FIELDS = CONTENT_HEADERS.map(contentField);

/**
 * Returns the content headers in a JSON body: the field `cache_control` is the header
 * cache-control.
 */
export function parseContentFields(
  body: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of CONTENT_HEADERS) {
    const field = contentField(name);
    const value = body[field];
    if (value === undefined) continue;
    headers[name] = fieldValue(value, field);
    if (headers[name].length > LIMITS.contentHeaderBytes) {
      throw invalid(field, `must be at most ${LIMITS.contentHeaderBytes} bytes`);
    }
  }
  return headers;
}

/**
 * Returns the metadata in headers `x-object-meta-<name>`, with names in lower case as S3 stores
 * them.
 */
export function parseMetadata(
  header: HeaderLookup,
  names: readonly string[],
): Record<string, string> {
  const given = names.filter((full) => full.startsWith(METADATA_PREFIX));
  const metadata = given.map((full) => {
    const name = full.slice(METADATA_PREFIX.length);
    if (!TOKEN.test(name)) throw invalid(full, 'must have a name after x-object-meta-');
    return [name, metadataValue(header(full) ?? '', full)] as const;
  });
  return metadataOf(metadata, 'x-object-meta-*');
}

/** Returns the metadata in a JSON body: an object with string values. */
export function parseMetadataField(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('metadata', 'must be an object of strings');
  }
  const metadata = Object.entries(value).map(([name, text]) => {
    if (!TOKEN.test(name)) {
      throw invalid('metadata', 'must have names in lower case that may be those of headers');
    }
    return [name, metadataValue(text, `metadata.${name}`)] as const;
  });
  return metadataOf(metadata, 'metadata');
}

/**
 * Parses a value that HTTP carries unchanged: HTTP drops spaces around the value of a header, and
 * some clients drop empty headers.
 */
function fieldValue(value: unknown, field: string): string {
  if (typeof value === 'string' && FIELD_VALUE.test(value)) return value;
  throw invalid(field, 'must be visible ASCII, not empty, without a space at either end');
}

/** Parses a metadata value of a header or of a JSON body, so that one takes what the other does. */
function metadataValue(value: unknown, field: string): string {
  if (typeof value === 'string' && METADATA_VALUE.test(value)) return value;
  throw invalid(
    field,
    'must be visible ASCII without a space at either end; encode others, for example as base64',
  );
}

function metadataOf(
  metadata: readonly (readonly [string, string])[],
  field: string,
): Record<string, string> {
  const bytes = metadata.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > LIMITS.metadataBytes) {
    throw invalid(field, `must be at most ${LIMITS.metadataBytes} bytes in all`);
  }
  // `Object.fromEntries` in place of assignments, because a name may be __proto__.
  return Object.fromEntries(metadata);
}
