import { type Caller, forbidden, mayOnObject } from '../../core/access/permissions';
import { invalid } from '../../core/errors';
import { conditionFailed, evaluateConditions, rangeApplies } from '../../core/http/conditions';
import { parseRange } from '../../core/http/ranges';
import { refuseS3Headers } from '../../core/http/s3-headers';
import { LIMITS } from '../../core/limits';
import { findVersion } from '../../core/log/history';
import { objectNotFound, versionNotFound } from '../../core/not-found';
import { reportIfCurrent } from '../../core/objects/missing-blob';
import {
  cacheHeaders,
  objectHeaders,
  servedAs,
  signedDownload,
  validatorHeaders,
} from '../../core/objects/object-headers';
import type { ObjectName } from '../../core/objects/objects';
import type { ByteRange, PresignedRequest } from '../../core/store/blobs';
import type { LiveObject } from '../../core/store/objects';
import { liveOf } from '../../core/store/objects';
import { getAsOf, parseAsOf } from '../../core/versions/as-of';
import { descriptorOf } from '../../core/views';
import type { ApiRequest } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { ReadDeps, StorageOperation } from './deps';
import { versionsResponse } from './list-versions';

/**
 * GET and HEAD of an object. AWS calls: HEAD, 304, 307, ?view=descriptor and ?redirect=false 1
 * GetItem; 200 and 206 1 GetItem and 1 GetObject (none for an empty object); +1 GetItem when the
 * bucket's id is not cached or nothing is found; ?version=N adds 1 GetItem and about
 * 2·log2(versions between); ?as_of=C adds 3, and when the key changed since about as many, and 1.
 */
export const handleGetObject =
  (deps: ReadDeps): StorageOperation<'object'> =>
  async (request, { bucket, key }) => {
    if (!mayOnObject(request.caller, 'read', bucket, key)) throw forbidden('read', { bucket, key });
    refuseS3Headers(request.headerNames);
    const version = parseVersion(request.query('version'));
    const asOf = parseAsOf(request.query('as_of'));
    if (version !== undefined && asOf !== undefined)
      throw invalid('as_of', 'excludes version: send one of them');
    const view = request.query('view');
    if (view !== undefined && view !== 'descriptor' && view !== 'versions')
      throw invalid('view', 'must be descriptor or versions');
    const redirects = request.query('redirect');
    if (redirects !== undefined && redirects !== 'false')
      throw invalid('redirect', 'must be false');
    if (view === 'versions') {
      if (version !== undefined) throw invalid('version', 'excludes view=versions');
      if (asOf !== undefined) throw invalid('as_of', 'excludes view=versions');
      return versionsResponse(deps, request, { bucket, key });
    }
    const object = await findObject(deps, { bucket, key }, { version, asOf });
    if (!object) throw objectNotFound(bucket, key);
    const outcome = evaluateConditions(request.header, object, true);
    if (outcome === 'not_modified') return notModified(object);
    if (outcome !== 'proceed') throw conditionFailed(outcome, object);
    if (view === 'descriptor')
      return jsonResponse(200, descriptorOf(object), validatorHeaders(object));
    if (redirects === 'false') return addressResponse(deps, object);
    return contentResponse(deps, request, object);
  };

/** Which state of the object is wanted: at most one is given. */
interface Wanted {
  readonly version: number | undefined;
  readonly asOf: number | undefined;
}

async function findObject(
  deps: ReadDeps,
  { bucket, key }: ObjectName,
  { version, asOf }: Wanted,
): Promise<LiveObject | undefined> {
  if (asOf !== undefined) return liveOf(await getAsOf(deps, bucket, key, asOf));
  if (version !== undefined) return olderVersion(deps, bucket, key, version);
  return deps.bucketIds.runRead(bucket, async ({ id }) => liveOf(await deps.objects.get(id, key)));
}

/**
 * The change log of a deleted bucket stays readable until it is trimmed, so the bucket's id must be
 * the current one, not a cached one.
 */
async function olderVersion(deps: ReadDeps, bucket: string, key: string, version: number) {
  const { id } = await deps.bucketIds.refresh(bucket);
  const newest = await deps.objects.get(id, key);
  if (!newest) throw objectNotFound(bucket, key);
  const found = await findVersion(deps.changeLog, id, newest, version);
  if (!found) throw versionNotFound(newest, version);
  return found;
}

function parseVersion(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(value)) throw invalid('version', 'must be a whole number from 1 on');
  return Number(value);
}

/** Has the headers of a 200 that RFC 9110 §15.4.5 requires, such as ETag and Cache-Control. */
function notModified(object: LiveObject): HttpResponse {
  return { status: 304, headers: { ...validatorHeaders(object), ...cacheHeaders(object) } };
}

async function contentResponse(
  deps: ReadDeps,
  request: ApiRequest<Caller>,
  object: LiveObject,
): Promise<HttpResponse> {
  // RFC 9110 §14.2: Range is defined for GET only.
  const mayHaveRange = request.method === 'GET' && rangeApplies(request.header, object);
  const range = mayHaveRange ? parseRange(request.header('range'), object.size) : undefined;
  const length = range ? range.end - range.start + 1 : object.size;
  const headers: Record<string, string> = {
    ...objectHeaders(object),
    'Content-Length': String(length),
  };
  if (request.method === 'HEAD') return { status: 200, headers };
  const maxBodyBytes =
    deps.responseMode === 'stream' ? LIMITS.streamedDownloadBytes : LIMITS.bufferedDownloadBytes;
  if (length > maxBodyBytes) return redirect(deps, object);
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${object.size}`;
  return { status: range ? 206 : 200, headers, body: await bytesOf(deps, object, range) };
}

async function bytesOf(deps: ReadDeps, object: LiveObject, range: ByteRange | undefined) {
  if (object.size === 0) return '';
  const body = await deps.blobs.get(object.blob, range);
  if (body) return body;
  await reportIfCurrent(deps, object);
  throw objectNotFound(object.bucket, object.key);
}

/**
 * For content that is too large for the function's response: the client fetches it from S3. A 307
 * keeps the method, and with it the header Range.
 */
async function redirect(deps: ReadDeps, object: LiveObject): Promise<HttpResponse> {
  const { url } = await signedAddress(deps, object);
  return {
    status: 307,
    headers: { ...validatorHeaders(object), Location: url, 'Cache-Control': 'no-store' },
  };
}

/**
 * For clients that would send Authorization to the address of a redirect, where S3 refuses it: the
 * address in the body, whatever the size, so that the response never depends on it.
 */
async function addressResponse(deps: ReadDeps, object: LiveObject): Promise<HttpResponse> {
  const signed = await signedAddress(deps, object);
  return jsonResponse(200, signedDownload(object, signed), validatorHeaders(object));
}

function signedAddress(deps: ReadDeps, object: LiveObject): Promise<PresignedRequest> {
  const options = { expiresIn: LIMITS.redirectSeconds, ...servedAs(object) };
  return deps.blobs.presignGet(object.blob, options);
}
