/**
 * Parses a request as S3 does: path-style, with the key decoded exactly once from the raw request
 * target and never normalised (`a//b`, `..`, NFC and NFD are different keys).
 */
import type { IncomingMessage } from 'node:http';
import { encodeSegment } from '../../../iam/sigv4';
import { S3Error } from './errors';

/** Bytes of UTF-8. https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html */
const MAX_KEY_BYTES = 1024;

export interface S3Request {
  readonly method: string;
  /** Empty when the request is for the service itself. */
  readonly bucket: string;
  /** Empty when the request is for the bucket. */
  readonly key: string;
  /** The path as S3 canonicalises it: decoded once, then encoded by AWS's rules except slashes. */
  readonly canonicalPath: string;
  /** Decoded names and values. Without a prototype, because clients choose the names. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Lower-case names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly message: IncomingMessage;
}

export function readRequest(message: IncomingMessage): S3Request {
  const target = message.url ?? '';
  // Absolute-form targets are for proxies (RFC 9112, 3.2.2), and a URI has no other characters than
  // these (RFC 3986, 2).
  if (!/^\/[\x21-\x7e]*$/.test(target)) throw new S3Error('InvalidURI');
  const mark = target.indexOf('?');
  const path = decode(mark === -1 ? target : target.slice(0, mark));
  const slash = path.indexOf('/', 1);
  const key = slash === -1 ? '' : path.slice(slash + 1);
  checkKey(key);
  return {
    method: message.method ?? '',
    bucket: slash === -1 ? path.slice(1) : path.slice(1, slash),
    key,
    canonicalPath: path.split('/').map(encodeSegment).join('/'),
    query: readQuery(mark === -1 ? '' : target.slice(mark + 1)),
    headers: readHeaders(message),
    message,
  };
}

/** Returns the first value of a query parameter; undefined when it is absent. */
export function queryValue(request: S3Request, name: string): string | undefined {
  return request.query[name]?.[0];
}

/** Throws KeyTooLongError, and InvalidURI for `../` beyond the bucket's root. */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new S3Error('KeyTooLongError', {
      details: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(MAX_KEY_BYTES) },
    });
  }
  let depth = 0;
  for (const segment of key.split('/')) {
    depth += segment === '..' ? -1 : 1;
    if (depth < 0) throw new S3Error('InvalidURI');
  }
}

function decode(text: string): string {
  try {
    // Throws for malformed escapes and for bytes that are not UTF-8.
    return decodeURIComponent(text);
  } catch (cause) {
    throw new S3Error('InvalidURI', { cause });
  }
}

function readQuery(text: string): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.replaceAll('+', '%20').split('=');
    const list = query[decode(name)] ?? [];
    query[decode(name)] = list;
    list.push(decode(value.join('=')));
  }
  return query;
}

function readHeaders(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (values !== undefined) headers[name] = values.join(',');
  }
  return headers;
}
