/** Objects through the interface: paths, uploads, and what every object answer must carry. */
import { demand, expectStatus, headerOf, integerHeader, jsonOf } from './answers';
import { type Descriptor, readDescriptor, sha256 } from './descriptor';
import type { Answer, Call } from './exchange';
import { call } from './http';

/** The key percent-encoded per segment, as clients send it. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

export function objectPath(bucket: string, key: string): string {
  return `/api/v2/storage/objects/${bucket}/${encodeKey(key)}`;
}

/** A descriptor answer, whose headers agree with it. */
export function descriptorOf(answer: Answer): Descriptor {
  return readDescriptor(jsonOf(answer));
}

/** PUT that must succeed: 201 for a new key, 200 for a replaced one. */
export async function put(
  bucket: string,
  key: string,
  body: Uint8Array | string = 'content',
  options: Omit<Call, 'body'> = {},
): Promise<Descriptor> {
  const answer = expectStatus(
    await call('PUT', objectPath(bucket, key), { ...options, body }),
    200,
    201,
  );
  const descriptor = descriptorOf(answer);
  demand(descriptor.bucket === bucket && descriptor.key === key, `the name ${key}`, answer);
  demand(descriptor.size === Buffer.byteLength(body), `size ${Buffer.byteLength(body)}`, answer);
  demand(integerHeader(answer, 'x-object-cursor') === descriptor.cursor, 'its cursor', answer);
  return descriptor;
}

export function get(bucket: string, key: string, options: Call = {}): Promise<Answer> {
  return call('GET', objectPath(bucket, key), options);
}

export function head(bucket: string, key: string, options: Call = {}): Promise<Answer> {
  return call('HEAD', objectPath(bucket, key), options);
}

export function remove(bucket: string, key: string, options: Call = {}): Promise<Answer> {
  return call('DELETE', objectPath(bucket, key), options);
}

/** The descriptor as JSON. */
export async function describeObject(
  bucket: string,
  key: string,
  query = 'view=descriptor',
): Promise<Descriptor> {
  const answer = await call('GET', `${objectPath(bucket, key)}?${query}`);
  return descriptorOf(expectStatus(answer, 200));
}

/**
 * `ETag`, `Last-Modified`, `Accept-Ranges`, `Content-Type`, `x-object-version`, `x-object-cursor`:
 * always there.
 */
export function expectObjectHeaders(answer: Answer, descriptor: Descriptor): void {
  demand(headerOf(answer, 'etag') === `"${descriptor.etag}"`, 'the etag in quotes', answer);
  // RFC 9110 §5.6.7: an IMF-fixdate has whole seconds.
  const modified = new Date(Math.floor(Date.parse(descriptor.updated_at) / 1000) * 1000);
  demand(
    headerOf(answer, 'last-modified') === modified.toUTCString(),
    `${modified.toUTCString()}`,
    answer,
  );
  demand(headerOf(answer, 'accept-ranges') === 'bytes', 'Accept-Ranges: bytes', answer);
  demand(headerOf(answer, 'content-type') === descriptor.content_type, 'its content type', answer);
  demand(integerHeader(answer, 'x-object-version') === descriptor.version, 'its version', answer);
  demand(integerHeader(answer, 'x-object-cursor') === descriptor.cursor, 'its cursor', answer);
}

/** GET that must answer exactly these bytes. */
export async function expectBytes(
  bucket: string,
  key: string,
  bytes: Uint8Array | string,
): Promise<Answer> {
  const answer = expectStatus(await get(bucket, key), 200);
  demand(answer.body.length === Buffer.byteLength(bytes), 'the same length', answer);
  demand(sha256(answer.body) === sha256(bytes), 'the same bytes', answer);
  return answer;
}
