/**
 * Conditional requests.
 * Reads: RFC 9110, 13.2.2 (the order of precedence) and 13.1.5 (If-Range).
 * Writes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
import { S3Error } from '../protocol/errors';
import type { S3Request } from '../protocol/request';
import type { StoredObject } from '../storage/records';

type Headers = S3Request['headers'];

/** Throws PreconditionFailed or NotModified. */
export function checkRead(headers: Headers, object: StoredObject): void {
  const ifMatch = headers['if-match'];
  const unmodifiedSince = readDate(headers['if-unmodified-since']);
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, object)) throw failed('If-Match');
  } else if (unmodifiedSince !== undefined && seconds(object) > unmodifiedSince) {
    throw failed('If-Unmodified-Since');
  }
  const ifNoneMatch = headers['if-none-match'];
  const modifiedSince = readDate(headers['if-modified-since']);
  const unchanged =
    ifNoneMatch !== undefined
      ? matches(ifNoneMatch, object)
      : modifiedSince !== undefined && seconds(object) <= modifiedSince;
  if (unchanged) throw new S3Error('NotModified');
}

/** Reports whether a Range applies: If-Range is absent or names the stored object. */
export function rangeApplies(headers: Headers, object: StoredObject): boolean {
  const ifRange = headers['if-range'];
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return ifRange === `"${object.etag}"`;
  return readDate(ifRange) === seconds(object);
}

/**
 * Checks the conditions of a write against the stored object. Call it in the same turn of the event
 * loop as the write, so that of two concurrent writes one is refused. Throws PreconditionFailed,
 * NoSuchKey (If-Match without an object) and NotImplemented.
 */
export function checkWrite(headers: Headers, key: string, current: StoredObject | undefined): void {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch !== '*') {
      throw new S3Error('NotImplemented', {
        message: 'A header you provided implies functionality that is not implemented',
        details: { Header: 'If-None-Match' },
      });
    }
    if (current !== undefined) throw failed('If-None-Match');
  }
  const ifMatch = headers['if-match'];
  if (ifMatch === undefined) return;
  if (current === undefined) throw new S3Error('NoSuchKey', { details: { Key: key } });
  if (!matches(ifMatch, current)) throw failed('If-Match');
}

function failed(condition: string): S3Error {
  return new S3Error('PreconditionFailed', { details: { Condition: condition } });
}

/** Accepts entity tags with or without quotes, as S3 does. */
function matches(list: string, object: StoredObject): boolean {
  return list.split(',').some((item) => {
    const tag = item.trim();
    return tag === '*' || tag.replace(/^(?:W\/)?"(.*)"$/, '$1') === object.etag;
  });
}

/** Epoch seconds; undefined when absent or not a date, which RFC 9110 requires to be ignored. */
function readDate(header: string | undefined): number | undefined {
  const time = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** Last-Modified has no fractions of a second. */
function seconds(object: StoredObject): number {
  return Math.floor(object.modified / 1000);
}
