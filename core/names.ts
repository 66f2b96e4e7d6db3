/**
 * Names of buckets, keys of objects, and their order. A key is stored byte for byte as it was sent,
 * without Unicode normalisation. A key that HTTP clients or proxies may change on its way (`.` and
 * `..` segments, control characters) is rejected.
 */
import { invalid, missing } from './errors';
import { BUCKET_NAME, LIMITS } from './limits';
import type { NameRange } from './pages';

export function parseBucketName(value: unknown, field = 'bucket'): string {
  if (value === undefined) throw missing(field);
  if (typeof value !== 'string' || !BUCKET_NAME.test(value)) {
    throw invalid(
      field,
      `must be ${LIMITS.bucketNameMin} to ${LIMITS.bucketNameMax} characters of a-z, 0-9 and -, beginning and ending with a letter or digit`,
    );
  }
  return value;
}

/** The id of an incarnation of a bucket, as responses have it. Throws invalid_request. */
export function parseBucketId(value: unknown): string {
  if (typeof value === 'string' && /^[0-9A-Za-z]{12}$/.test(value)) return value;
  throw invalid('bucket_id', 'must be the bucket_id of an earlier response');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

export function parseKey(value: unknown, field = 'key'): string {
  if (value === undefined) throw missing(field);
  if (typeof value !== 'string' || value === '') throw invalid(field, 'must not be empty');
  if (!value.isWellFormed()) throw invalid(field, 'must be well-formed Unicode');
  if (CONTROL.test(value)) throw invalid(field, 'must not contain control characters');
  if (Buffer.byteLength(value) > LIMITS.keyBytes) {
    throw invalid(field, `must be at most ${LIMITS.keyBytes} bytes of UTF-8`);
  }
  if (encodedLength(value) > LIMITS.encodedKeyLength) {
    throw invalid(field, `must be at most ${LIMITS.encodedKeyLength} characters percent-encoded`);
  }
  if (value.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw invalid(field, 'must not have a segment "." or ".."');
  }
  return value;
}

/** A prefix of keys; '' is the prefix of every key. Throws invalid_request. */
export function parsePrefix(value: unknown, field = 'prefix'): string {
  if (
    typeof value !== 'string' ||
    !value.isWellFormed() ||
    Buffer.byteLength(value) > LIMITS.keyBytes
  ) {
    throw invalid(
      field,
      `must be well-formed Unicode of at most ${LIMITS.keyBytes} bytes of UTF-8`,
    );
  }
  return value;
}

/** Returns the length as in a path, where segments are encoded and slashes are not. */
function encodedLength(key: string): number {
  return key.split('/').map(encodeURIComponent).join('/').length;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes percent-escapes exactly once (RFC 3986 §2.1). Throws invalid_request for a malformed
 * escape or UTF-8.
 */
export function percentDecode(raw: string, field: string): string {
  if (!raw.includes('%')) return raw;
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) throw invalid(field, 'has a malformed percent-escape');
  const hex = raw.replace(
    /%(..)|[^%]+/g,
    (text, escaped?: string) => escaped ?? Buffer.from(text).toString('hex'),
  );
  try {
    return strictUtf8.decode(Buffer.from(hex, 'hex'));
  } catch (cause) {
    throw Object.assign(invalid(field, 'must be percent-encoded UTF-8'), { cause });
  }
}

/**
 * Order of UTF-8 bytes, which is that of code points; JavaScript's own `<` compares UTF-16 units.
 */
export function compareNames(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The smallest name above every name that begins with `prefix`, or undefined when there is none.
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue;
    // U+D800-U+DFFF are no characters: the one after U+D7FF is U+E000.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}

/** The smallest name above `name`. */
export function afterName(name: string): string {
  return `${name}\u0000`;
}

export function prefixRange(prefix: string): NameRange {
  return { from: prefix, before: afterPrefix(prefix) };
}

/** The part of a range at or above `from`, or undefined when there is none. */
export function clipRange(range: NameRange, from: string): NameRange | undefined {
  if (range.before !== undefined && compareNames(range.before, from) <= 0) return undefined;
  return compareNames(range.from, from) >= 0 ? range : { from, before: range.before };
}

/** Reports whether the value has the form of `Ids.ulid()`. https://github.com/ulid/spec */
export function isUlid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(value);
}
