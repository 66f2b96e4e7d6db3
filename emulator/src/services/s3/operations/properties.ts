/**
 * The headers and the metadata of an object, in requests and responses.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
import { S3Error } from '../protocol/errors';
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
/** Bytes of all names and values. */
const MAX_METADATA = 2048;

/** Headers for features that are not emulated, with those values that have no effect. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'x-amz-acl': ['private', 'bucket-owner-full-control'],
  'x-amz-copy-source-server-side-encryption-customer-algorithm': [],
  'x-amz-copy-source-server-side-encryption-customer-key': [],
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
  'x-amz-tagging-directive': ['COPY'],
  'x-amz-website-redirect-location': [],
  'x-amz-write-offset-bytes': [],
};

/** Throws NotImplemented with S3's message and the name of the header. */
export function screenHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!Object.hasOwn(REFUSED, name) || REFUSED[name]?.includes(value)) continue;
    throw new S3Error('NotImplemented', {
      message: 'A header you provided implies functionality that is not implemented',
      details: { Header: name },
    });
  }
}

/** Throws MetadataTooLarge, and InvalidArgument for a name or value that no response can carry. */
export function readProperties(headers: Headers): ObjectProperties {
  const stored: Record<string, string> = {};
  for (const name of STORED) {
    const value = name === 'content-encoding' ? contentEncoding(headers[name]) : headers[name];
    if (value === undefined || value === '') continue;
    // S3 returns other characters in forms that are not documented.
    if (!/^[\t\x20-\x7e]*$/.test(value)) {
      throw new S3Error('InvalidArgument', {
        message: `The value of ${name} must be ASCII.`,
        details: { ArgumentName: name },
      });
    }
    stored[name] = value;
  }
  stored['content-type'] ??= 'binary/octet-stream';
  // Without a prototype, so that `__proto__` is a name like any other.
  const metadata: Record<string, string> = Object.create(null);
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(META)) continue;
    // The name of a header is always a token, a query parameter of a presigned URL may not be.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new S3Error('InvalidArgument', { details: { ArgumentName: name } });
    }
    metadata[name.slice(META.length)] = value;
    // Node decodes headers as Latin-1: one character is one byte.
    bytes += name.length - META.length + value.length;
  }
  if (bytes > MAX_METADATA) {
    throw new S3Error('MetadataTooLarge', {
      details: { Size: String(bytes), MaxSizeAllowed: String(MAX_METADATA) },
    });
  }
  return { headers: stored, metadata };
}

/** Removes `aws-chunked`: it describes the transfer, not the object. */
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
    headers[META + name] = encodeNonAscii(value);
  }
  return headers;
}

/**
 * S3 returns metadata that is not ASCII in the form of RFC 2047; each byte was read as one Latin-1
 * character.
 */
function encodeNonAscii(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  return `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`;
}
