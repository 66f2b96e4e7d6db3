/** Requests for single objects, and lists of them. */
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import type {
  DeleteOptions,
  DescribeOptions,
  GetOptions,
  ListOptions,
  ObjectsOptions,
  PutOptions,
} from './options';
import { objectPath, objectsPath } from './paths';
import {
  type DeletedObject,
  isCursor,
  isListPage,
  isRecord,
  type ListPage,
  type ObjectDescriptor,
} from './resources';

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

export async function putObject(
  http: Http,
  { bucket, key }: ObjectName,
  body: NonNullable<RequestInit['body']>,
  options: PutOptions,
): Promise<ObjectDescriptor> {
  const { contentType, metadata = {}, checksumSha256, signal } = options;
  const { ifMatch, ifNoneMatch, idempotencyKey } = options;
  const type = body instanceof Blob ? body.type : '';
  const response = await http.json({
    method: 'PUT',
    path: objectPath(bucket, key),
    headers: {
      'content-type': contentType ?? (type || 'application/octet-stream'),
      'cache-control': options.cacheControl,
      'content-disposition': options.contentDisposition,
      'content-encoding': options.contentEncoding,
      'content-language': options.contentLanguage,
      'x-object-expires-at': options.expiresAt,
      'if-match': quoted(ifMatch),
      'if-none-match': ifNoneMatch,
      'content-digest': checksumSha256 && `sha-256=:${checksumSha256}:`,
      'idempotency-key': http.idempotencyKey(idempotencyKey),
      ...Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [`x-object-meta-${name}`, value]),
      ),
    },
    body,
    signal,
  });
  return requireObject(response, 'size');
}

export async function deleteObject(
  http: Http,
  { bucket, key }: ObjectName,
  options: DeleteOptions,
): Promise<DeletedObject> {
  const { ifMatch, idempotencyKey, signal } = options;
  const response = await http.json({
    ...{ method: 'DELETE', path: objectPath(bucket, key), signal, timeoutMs: REQUEST_MS },
    headers: {
      'if-match': quoted(ifMatch),
      'idempotency-key': http.idempotencyKey(idempotencyKey),
    },
  });
  return requireObject(response, 'cursor');
}

/** Requests an object by GET or HEAD. */
export async function readObject(
  http: Http,
  method: 'GET' | 'HEAD',
  { bucket, key }: ObjectName,
  { version, asOf, signal, ...conditions }: GetOptions,
): Promise<Response> {
  const { range, ifRange, ifMatch, ifNoneMatch, ifModifiedSince } = conditions;
  return http.request({
    ...{ method, path: objectPath(bucket, key), query: { version, as_of: asOf }, signal },
    headers: {
      range: range && `bytes=${range.from}-${range.to ?? ''}`,
      'if-range': quoted(ifRange),
      'if-match': quoted(ifMatch),
      'if-none-match': quoted(ifNoneMatch),
      'if-modified-since': ifModifiedSince?.toUTCString(),
    },
  });
}

/** Returns the descriptor of an object or of one of its versions. */
export async function describeObject(
  http: Http,
  { bucket, key }: ObjectName,
  { version, asOf, signal }: DescribeOptions,
): Promise<ObjectDescriptor> {
  const query = { view: 'descriptor', version, as_of: asOf };
  const path = objectPath(bucket, key);
  const response = await http.json({ path, query, signal, timeoutMs: REQUEST_MS });
  return requireObject(response, 'size');
}

export async function listPage(
  http: Http,
  bucket: string,
  options: ListOptions,
): Promise<ListPage> {
  const { prefix, delimiter, startAfter, limit, pageToken, asOf, signal } = options;
  const page = await http.json({
    path: objectsPath(bucket),
    query: {
      // An empty text means the same as an absent one, which every gateway forwards.
      prefix: prefix || undefined,
      delimiter: delimiter || undefined,
      start_after: startAfter || undefined,
      limit,
      page_token: pageToken,
      as_of: asOf,
    },
    signal,
    timeoutMs: REQUEST_MS,
  });
  if (isListPage(page)) return page;
  throw new StowageError('invalid_answer', 'the response of the service is not a list');
}

/** Iterates over the objects of all pages, and requests a page when it is needed. */
export async function* eachObject(
  http: Http,
  bucket: string,
  options: ObjectsOptions,
): AsyncGenerator<ObjectDescriptor, void, undefined> {
  let pageToken: string | undefined;
  do {
    const page = await listPage(http, bucket, { ...options, limit: 1000, pageToken });
    yield* page.objects;
    pageToken = page.next_page_token;
  } while (pageToken !== undefined);
}

/** Returns an etag in quotes, as headers have it. */
function quoted(etag: string | undefined): string | undefined {
  return etag === undefined || etag === '*' ? etag : `"${unquoted(etag)}"`;
}

/** Returns an etag without its quotes. */
export function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1');
}

/** Throws StowageError `invalid_answer` for what another server may say in place of the service. */
function requireObject<Of>(value: unknown, number: 'size' | 'cursor'): Of {
  if (isRecord(value) && typeof value.key === 'string' && isCursor(value[number])) {
    return value as Of;
  }
  throw new StowageError('invalid_answer', 'the response of the service is not an object');
}
