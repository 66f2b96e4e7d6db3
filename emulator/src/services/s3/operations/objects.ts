/** PutObject, GetObject, HeadObject, DeleteObject. */

import { authorize, bucketArn, denialOf, objectArn } from '../calls/authorize';
import type { Call, Reply } from '../calls/call';
import { type ChecksumAlgorithm, checksumHeader } from '../payload/checksums';
import { MAX_UPLOAD_BYTES, type Payload, receivePayload } from '../payload/payload';
import { S3Error } from '../protocol/errors';
import { queryValue } from '../protocol/request';
import type { Content } from '../storage/data-files';
import type { StoredObject } from '../storage/records';
import { SMALL } from '../storage/store';
import { checkRead, checkWrite, rangeApplies } from './conditions';
import { propertyHeaders, readProperties } from './properties';
import { readRange } from './range';

/** S3 encrypts every object and says so in this header. */
export const ENCRYPTION = { 'x-amz-server-side-encryption': 'AES256' } as const;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export async function putObject(call: Call): Promise<Reply> {
  const { headers, key, store } = call;
  const properties = readProperties(headers);
  // Once before the body is received, and again in the turn that stores the object.
  checkWriteAllowed(call);
  const commit = ({ size, md5, checksum }: Payload, { segments, bytes }: Content): StoredObject => {
    checkWrite(headers, key, store.get(key));
    const stored: StoredObject = {
      key,
      size,
      etag: md5.toString('hex'),
      modified: Date.now(),
      ...properties,
      checksum: checksum && {
        algorithm: checksum.algorithm,
        value: checksum.value,
        type: 'FULL_OBJECT',
      },
      segments,
    };
    store.put(stored, 'ObjectCreated:Put', { bytes });
    return stored;
  };
  const object = await receiveToDisk(call, commit, { small: SMALL });
  return { headers: { ...ENCRYPTION, ...versionHeaders(object) } };
}

/**
 * Throws when the conditions of a write do not hold at present. If-Match reveals an ETag, so it
 * needs the permission of GetObject.
 */
export function checkWriteAllowed(call: Call): void {
  if (call.headers['if-match'] !== undefined) authorize(call, 's3:GetObject', objectArn(call));
  checkWrite(call.headers, call.key, call.store.get(call.key));
}

/**
 * Writes the body to a file, unless it has at most `small` bytes, verifies it and calls `commit`.
 * Deletes the file when the body is invalid or `commit` throws. `algorithm`: of the checksum to
 * compute when the client sends none.
 */
export async function receiveToDisk<T>(
  call: Call,
  commit: (payload: Payload, content: Content) => T,
  { small, algorithm }: { readonly small?: number; readonly algorithm?: ChecksumAlgorithm },
): Promise<T> {
  const sink = call.store.files.create(small);
  try {
    const limits = { maxBytes: MAX_UPLOAD_BYTES, checksums: true, algorithm };
    const payload = await receivePayload(call, (bytes) => sink.write(bytes), limits);
    return commit(payload, await sink.finish());
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export function getObject(call: Call): Reply {
  const object = findObject(call);
  const range = rangeApplies(call.headers, object)
    ? readRange(call.headers.range, object.size)
    : undefined;
  const { start, end } = range ?? { start: 0, end: object.size - 1 };
  const headers: Record<string, string> = {
    ...readHeaders(call, object, range === undefined),
    'content-length': String(end - start + 1),
  };
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${object.size}`;
  const status = range === undefined ? 200 : 206;
  // Node discards the body of a response to HEAD, but only after it has been read.
  if (call.request.method === 'HEAD') return { status, headers };
  return { status, headers, body: call.store.read(object, start, end) };
}

/** NoSuchKey for a caller that may list the bucket, else AccessDenied, as S3 does. */
export function noSuchKey(call: Call): S3Error {
  const denial = denialOf(call, 's3:ListBucket', bucketArn(call));
  if (denial !== undefined) return new S3Error('AccessDenied', { message: denial });
  return new S3Error('NoSuchKey', { details: { Key: call.key } });
}

/** Throws NoSuchKey, AccessDenied, NotModified and PreconditionFailed. */
function findObject(call: Call): StoredObject {
  const object = call.store.get(call.key);
  if (object === undefined) throw noSuchKey(call);
  if (queryValue(call.request, 'partNumber') !== undefined) {
    throw new S3Error('NotImplemented', { details: { Query: 'partNumber' } });
  }
  try {
    checkRead(call.headers, object);
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'NotModified') throw error;
    throw new S3Error('NotModified', { headers: readHeaders(call, object, false), cause: error });
  }
  return object;
}

const OVERRIDES = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
} as const;

function readHeaders(call: Call, object: StoredObject, whole: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    ...ENCRYPTION,
    ...propertyHeaders(object),
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  // The checksum covers the whole object, not a range of it.
  if (whole && call.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED') {
    Object.assign(headers, checksumHeaders(object));
  }
  for (const [parameter, name] of Object.entries(OVERRIDES)) {
    const value = queryValue(call.request, parameter);
    if (value === undefined) continue;
    if (!/^[\x20-\x7e\xa0-\xff]*$/.test(value)) {
      throw new S3Error('InvalidArgument', {
        message: 'Header value cannot be represented using ISO-8859-1.',
        details: { ArgumentName: parameter, ArgumentValue: value },
      });
    }
    headers[name] = value;
  }
  return headers;
}

/** The headers that identify the version that a write has created. */
export function versionHeaders(
  version: Pick<StoredObject, 'etag' | 'checksum'>,
): Record<string, string> {
  return { etag: `"${version.etag}"`, ...checksumHeaders(version) };
}

function checksumHeaders({ checksum }: Pick<StoredObject, 'checksum'>): Record<string, string> {
  if (checksum === undefined) return {};
  return {
    [checksumHeader(checksum.algorithm)]: checksum.value,
    'x-amz-checksum-type': checksum.type,
  };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html */
export function deleteObject(call: Call): Reply {
  const { headers, key, store } = call;
  if (headers['if-match'] !== undefined)
    checkWrite({ 'if-match': headers['if-match'] }, key, store.get(key));
  store.delete(key, Date.now());
  return { status: 204 };
}
