/**
 * What clients say about an object in headers, on the way in and out.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
import { S3Error } from '../errors';
import type { ObjectProperties } from '../storage/records';

type Headers = Readonly<Record<string, string>>;

const STORED = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
] as const;
const META = 'x-amz-meta-';
/** Bytes of names and values together. */
const MAX_METADATA = 2048;

/** Headers that mean something we do not do, and the values of them that change nothing. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'x-amz-acl': ['private', 'bucket-owner-full-control'],
  'x-amz-copy-source': [],
  'x-amz-grant-full-control': [],
  'x-amz-grant-read': [],
  'x-amz-grant-read-acp': [],
  'x-amz-grant-write-acp': [],
  'x-amz-object-lock-legal-hold': ['OFF'],
  'x-amz-object-lock-mode': [],
  'x-amz-object-lock-retain-until-date': [],
  'x-amz-server-side-encryption': ['AES256'],
  'x-amz-server-side-encryption-aws-kms-key-id': [],
  'x-amz-server-side-encryption-customer-algorithm': [],
  'x-amz-server-side-encryption-customer-key': [],
  'x-amz-storage-class': ['STANDARD'],
  'x-amz-tagging': [],
  'x-amz-website-redirect-location': [],
  'x-amz-write-offset-bytes': [],
};

/** Throws NotImplemented, in S3's own words and with the header's name. */
export function screenHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!Object.hasOwn(REFUSED, name) || REFUSED[name]?.includes(value)) continue;
    throw new S3Error('NotImplemented', {
      message: 'A header you provided implies functionality that is not implemented',
      details: { Header: name },
    });
  }
}

/** Throws MetadataTooLarge; InvalidArgument for a name or a value that cannot be given back. */
export function readProperties(headers: Headers): ObjectProperties {
  const stored: Record<string, string> = {};
  for (const name of STORED) {
    const value = name === 'content-encoding' ? contentEncoding(headers[name]) : headers[name];
    if (value === undefined || value === '') continue;
    // S3 gives back what is no ASCII in one form or another, none of which is documented.
    if (!/^[\t\x20-\x7e]*$/.test(value)) {
      throw new S3Error('InvalidArgument', {
        message: `The value of ${name} must be ASCII.`,
        details: { ArgumentName: name },
      });
    }
    stored[name] = value;
  }
  stored['content-type'] ??= 'binary/octet-stream';
  // Without a prototype: `__proto__` is a name like any other.
  const metadata: Record<string, string> = Object.create(null);
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(META)) continue;
    // In a header it is a token already; in the query of a presigned URL it may be anything.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new S3Error('InvalidArgument', { details: { ArgumentName: name } });
    }
    metadata[name.slice(META.length)] = value;
    // Header text is Latin-1 here: a character is a byte.
    bytes += name.length - META.length + value.length;
  }
  if (bytes > MAX_METADATA) {
    throw new S3Error('MetadataTooLarge', {
      details: { Size: String(bytes), MaxSizeAllowed: String(MAX_METADATA) },
    });
  }
  return { headers: stored, metadata };
}

/** `aws-chunked` is how the body travelled, not what it is. */
function contentEncoding(header: string | undefined): string | undefined {
  return header
    ?.split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding.toLowerCase() !== 'aws-chunked')
    .join(',');
}

export function propertyHeaders(properties: ObjectProperties): Record<string, string> {
  const headers: Record<string, string> = { ...properties.headers };
  for (const [name, value] of Object.entries(properties.metadata)) {
    headers[META + name] = mailSafe(value);
  }
  return headers;
}

/**
 * S3 answers metadata that is not ASCII in the form of RFC 2047; each byte was read as one Latin-1
 * character.
 */
function mailSafe(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  return `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`;
}
