/** Objects through the HTTP interface: paths, uploads, and the headers of every response. */

import { type Descriptor, readDescriptor, sha256 } from './descriptor';
import type { Call, HttpResponse } from './exchange';
import { call } from './http';
import { demand, expectStatus, headerOf, integerHeader, jsonOf } from './responses';

/** The key percent-encoded per segment, as clients send it. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

export function objectPath(bucket: string, key: string): string {
  return `/api/v2/storage/objects/${bucket}/${encodeKey(key)}`;
}

/** Returns the descriptor in the response; fails unless the headers agree with it. */
export function descriptorOf(response: HttpResponse): Descriptor {
  return readDescriptor(jsonOf(response));
}

/** PUT that must succeed: 201 for a new key, 200 for a replaced one. */
export async function put(
  bucket: string,
  key: string,
  body: Uint8Array | string = 'content',
  options: Omit<Call, 'body'> = {},
): Promise<Descriptor> {
  const response = expectStatus(
    await call('PUT', objectPath(bucket, key), { ...options, body }),
    200,
    201,
  );
  const descriptor = descriptorOf(response);
  demand(descriptor.bucket === bucket && descriptor.key === key, `the name ${key}`, response);
  demand(descriptor.size === Buffer.byteLength(body), `size ${Buffer.byteLength(body)}`, response);
  demand(integerHeader(response, 'x-object-cursor') === descriptor.cursor, 'its cursor', response);
  return descriptor;
}

export function get(bucket: string, key: string, options: Call = {}): Promise<HttpResponse> {
  return call('GET', objectPath(bucket, key), options);
}

export function head(bucket: string, key: string, options: Call = {}): Promise<HttpResponse> {
  return call('HEAD', objectPath(bucket, key), options);
}

export function remove(bucket: string, key: string, options: Call = {}): Promise<HttpResponse> {
  return call('DELETE', objectPath(bucket, key), options);
}

/** The descriptor as JSON. */
export async function describeObject(
  bucket: string,
  key: string,
  query = 'view=descriptor',
): Promise<Descriptor> {
  const response = await call('GET', `${objectPath(bucket, key)}?${query}`);
  return descriptorOf(expectStatus(response, 200));
}

/**
 * `ETag`, `Last-Modified`, `Accept-Ranges`, `Content-Type`, `x-object-size`, `x-object-version`,
 * `x-object-cursor`: always there.
 */
export function expectObjectHeaders(response: HttpResponse, descriptor: Descriptor): void {
  demand(headerOf(response, 'etag') === `"${descriptor.etag}"`, 'the etag in quotes', response);
  // RFC 9110 §5.6.7: an IMF-fixdate has whole seconds.
  const modified = new Date(Math.floor(Date.parse(descriptor.updated_at) / 1000) * 1000);
  demand(
    headerOf(response, 'last-modified') === modified.toUTCString(),
    `${modified.toUTCString()}`,
    response,
  );
  demand(headerOf(response, 'accept-ranges') === 'bytes', 'Accept-Ranges: bytes', response);
  demand(
    headerOf(response, 'content-type') === descriptor.content_type,
    'its content type',
    response,
  );
  demand(integerHeader(response, 'x-object-size') === descriptor.size, 'its size', response);
  demand(
    integerHeader(response, 'x-object-version') === descriptor.version,
    'its version',
    response,
  );
  demand(integerHeader(response, 'x-object-cursor') === descriptor.cursor, 'its cursor', response);
}

/** Sends GET, which must return exactly these bytes. */
export async function expectBytes(
  bucket: string,
  key: string,
  bytes: Uint8Array | string,
): Promise<HttpResponse> {
  const response = expectStatus(await get(bucket, key), 200);
  demand(response.body.length === Buffer.byteLength(bytes), 'the same length', response);
  demand(sha256(response.body) === sha256(bytes), 'the same bytes', response);
  return response;
}
