/** The responses of operations. */
import type { Readable } from 'node:stream';
import type { ServiceError } from '../../core/errors';
import { UNTRUSTED_CONTENT_HEADERS } from '../../core/http/inert';

/** How a body reaches the client: as a stream, or whole in one buffer of the server. */
export type ResponseMode = 'stream' | 'buffered';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: no body (204, 304, HEAD). */
  readonly body?: string | Uint8Array | Readable;
}

const JSON_HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  ...UNTRUSTED_CONTENT_HEADERS,
};

/** Ends with a newline, so that the prompt of a shell stands on a line of its own. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return jsonText(status, JSON.stringify(value), headers);
}

/** As `jsonResponse`, for a serialized value. */
export function jsonText(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: `${text}\n` };
}

/** The contract's error shape: `{"error": {code, message, request_id, details?}}`. */
export function errorResponse(error: ServiceError, requestId: string): HttpResponse {
  const { code, message, details } = error;
  return jsonResponse(
    error.status,
    { error: { code, message, request_id: requestId, ...(details && { details }) } },
    error.headers,
  );
}

/** The response to HEAD: that of GET without its body. */
export function withoutBody(response: HttpResponse): HttpResponse {
  const { body, ...rest } = response;
  if (body === undefined || typeof body === 'object') return rest;
  const length = String(Buffer.byteLength(body));
  return { ...rest, headers: { 'Content-Length': length, ...rest.headers } };
}
