/** Signed URLs: creates them, and uses them as a client without a key. */

import { TIMESTAMP } from './descriptor';
import type { Call, HttpResponse } from './exchange';
import { call, callJson, send } from './http';
import { expectStatus, isJson, jsonOf } from './responses';
import { until } from './wait';

export const SIGNED_URL = '/api/v2/storage/signed-url';

export interface SignedUrl {
  readonly url: string;
  readonly method: string;
  /** Headers that the client must send. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expires_at: string;
  /** Id of the upload; only with method PUT. */
  readonly upload_id: string;
}

/** The state of an upload as soon as it has one of these. */
export function uploadState(
  id: string,
  ...states: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  return until(`upload ${id} to be ${states.join(' or ')}`, async () => {
    const upload = jsonOf(expectStatus(await call('GET', uploadPath(id)), 200));
    return states.includes(String(upload.state)) ? upload : undefined;
  });
}

export const uploadPath = (id: string) => `/api/v2/storage/uploads/${id}`;

function textsOf(value: unknown): Record<string, string> {
  if (!isJson(value)) throw new Error(`headers are no object: ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

/** Creates a signed URL, which must succeed. */
export async function signUrl(wish: object, how: Omit<Call, 'body'> = {}): Promise<SignedUrl> {
  const response = expectStatus(await callJson('POST', SIGNED_URL, wish, how), 201);
  const { url, method, headers, expires_at: expiresAt, upload_id: id = '' } = jsonOf(response);
  if (typeof url !== 'string' || typeof method !== 'string' || typeof expiresAt !== 'string') {
    throw new Error(`no signed URL: ${response.body}`);
  }
  if (!TIMESTAMP.test(expiresAt)) throw new Error(`expires_at is no timestamp: ${expiresAt}`);
  const sent = textsOf(headers);
  return { url, method, headers: sent, expires_at: expiresAt, upload_id: String(id) };
}

/** Uses a signed URL exactly as the response says, changed by `headers`. */
export function useUrl(
  signed: SignedUrl,
  body?: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  return send(signed.method, signed.url, { headers: { ...signed.headers, ...headers }, body });
}

export interface MultipartUpload {
  readonly upload_id: string;
  readonly part_size: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
  readonly complete: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly abort: { readonly url: string };
  readonly expires_at: string;
}

/** Creates a multipart upload, which must succeed. */
export async function mintMultipart(
  wish: object,
  how: Omit<Call, 'body'> = {},
): Promise<MultipartUpload> {
  const response = expectStatus(
    await callJson('POST', SIGNED_URL, { method: 'PUT', ...wish }, how),
    201,
  );
  const { upload_id, part_size, parts, complete, abort, expires_at } = jsonOf(response);
  const dated = typeof expires_at === 'string' && TIMESTAMP.test(expires_at);
  if (!Array.isArray(parts) || !isJson(complete) || !isJson(abort) || !dated) {
    throw new Error(`no multipart upload: ${response.body}`);
  }
  return {
    upload_id: String(upload_id),
    part_size: Number(part_size),
    parts: parts.map((part: { number: number; url: string }) => part),
    complete: { url: String(complete.url), headers: textsOf(complete.headers ?? {}) },
    abort: { url: String(abort.url) },
    expires_at,
  };
}

/** Uploads the body part by part; returns the etags that S3 gave. */
export async function uploadParts(upload: MultipartUpload, body: Uint8Array): Promise<string[]> {
  const etags: string[] = [];
  for (const { number, url } of upload.parts) {
    const start = (number - 1) * upload.part_size;
    const part = body.subarray(start, start + upload.part_size);
    const response = expectStatus(await send('PUT', url, { body: part }), 200);
    etags.push(String(response.headers.etag));
  }
  return etags;
}

/** S3's own CompleteMultipartUpload. */
export function completeParts(
  upload: MultipartUpload,
  etags: readonly string[],
): Promise<HttpResponse> {
  const parts = etags.map(
    (etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  return send('POST', upload.complete.url, {
    headers: upload.complete.headers,
    body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
  });
}
