/**
 * The payloads of the request and of the response: docs/construct.md. Every value in a request is
 * untrusted until it is parsed.
 */

import { Readable } from 'node:stream';
import { invalid, missing } from '../../core/errors';
import { isJsonObject, onlyFields } from '../../core/http/json';
import type { IncomingRequest } from '../../service/http/request';
import type { HttpResponse } from '../../service/http/response';

/** A response of the HTTP interface as JSON. */
export interface InternalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent when the response has no body. */
  readonly body?: string;
  /** Tells whether `body` is the base64 of the bytes. */
  readonly isBase64: boolean;
}

const FIELDS = ['method', 'path', 'query', 'headers', 'body', 'isBase64'];

/** Percent-encoded ASCII as in a request line, without query and fragment. */
const PATH = /^\/[\x21\x22\x24-\x3e\x40-\x7e]*$/;
const PATH_LENGTH = 2048;
/** RFC 9110 §5.6.2: a token. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** RFC 9110 §5.5, without bytes outside ASCII, which clients should not send. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** API Gateway's limits: of the number of headers, and of all their bytes. */
const HEADERS_MAX = 200;
const HEADERS_LENGTH = 10_240;
/** API Gateway's limit of a URL. */
const QUERY_LENGTH = 10_240;
/** Has no group: a repeated group takes stack for each of millions of characters. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the request in a payload. Throws invalid_request. */
export function parseRequest(payload: unknown, requestId: string): IncomingRequest {
  if (!isJsonObject(payload)) throw invalid('payload', 'must be a JSON object');
  onlyFields(payload, FIELDS);
  const { method, path } = payload;
  if (method === undefined) throw missing('method');
  if (path === undefined) throw missing('path');
  if (typeof method !== 'string' || !/^[A-Z]{1,16}$/.test(method)) {
    throw invalid('method', 'must be an HTTP method such as GET');
  }
  if (typeof path !== 'string' || path.length > PATH_LENGTH || !PATH.test(path)) {
    throw invalid(
      'path',
      'must be percent-encoded, such as /api/v2/storage/objects/photos/a.jpg; put parameters into query',
    );
  }
  const query = Object.entries(textsIn(payload.query, 'query', QUERY_LENGTH));
  return {
    method,
    path,
    query: Object.fromEntries(query.map(([name, value]) => [name, [value]])),
    headers: headersIn(payload.headers),
    body: bodyIn(payload),
    requestId,
  };
}

function headersIn(value: unknown): IncomingRequest['headers'] {
  const entries = Object.entries(textsIn(value, 'headers', HEADERS_LENGTH));
  if (entries.length > HEADERS_MAX) throw invalid('headers', `must be at most ${HEADERS_MAX}`);
  const names = new Set<string>();
  const headers = entries.map(([name, text]) => {
    const at = `headers.${name}`;
    if (!HEADER_NAME.test(name)) throw invalid(at, 'is not a header name');
    if (!HEADER_VALUE.test(text)) throw invalid(at, 'must be visible ASCII');
    const lower = name.toLowerCase();
    if (names.has(lower)) throw invalid(at, 'must be given once');
    names.add(lower);
    // Only spaces and tabs: HEADER_VALUE has no other white space.
    return [lower, [text.trim()]];
  });
  // fromEntries, not assignment: a name may be __proto__.
  return Object.fromEntries(headers);
}

function bodyIn({ body, isBase64 = false }: Readonly<Record<string, unknown>>): Uint8Array {
  if (typeof isBase64 !== 'boolean') throw invalid('isBase64', 'must be true or false');
  if (body === undefined || body === null) return Buffer.of();
  if (typeof body !== 'string' || !body.isWellFormed()) {
    throw invalid('body', 'must be text; send bytes as base64, with isBase64');
  }
  if (isBase64 && (body.length % 4 !== 0 || !BASE64.test(body)))
    throw invalid('body', 'must be base64 with padding');
  return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
}

/**
 * An object whose values are all strings, of at most `max` characters with their names. An absent
 * one counts as empty.
 */
function textsIn(value: unknown, field: string, max: number): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw invalid(field, 'must be an object of texts');
  let length = 0;
  for (const [name, text] of Object.entries(value)) {
    length += name.length + (typeof text === 'string' ? text.length : 0);
    if (length > max) throw invalid(field, `must be at most ${max} characters in all`);
    if (typeof text !== 'string' || !text.isWellFormed() || !name.isWellFormed()) {
      throw invalid(`${field}.${name}`, 'must be text');
    }
  }
  return value as Readonly<Record<string, string>>;
}

/** From this length on, a text may take more bytes as a JSON string than in base64. */
const LONG_TEXT = 1024 * 1024;

/**
 * The response as a payload. It fits the 6 MB of an invocation, because the operations limit their
 * responses: see `bufferedJsonBytes` in core/limits.ts.
 */
export async function internalResponse({
  status,
  headers,
  body,
}: HttpResponse): Promise<InternalResponse> {
  const head = { status, headers };
  if (body === undefined) return { ...head, isBase64: false };
  if (typeof body === 'string' && !isLonger(body)) return { ...head, body, isBase64: false };
  const bytes = body instanceof Readable ? Buffer.concat(await body.toArray()) : Buffer.from(body);
  return { ...head, body: bytes.toString('base64'), isBase64: true };
}

/** Reports whether the text as a JSON string takes more bytes than in base64. */
function isLonger(text: string): boolean {
  if (text.length < LONG_TEXT) return false;
  return Buffer.byteLength(JSON.stringify(text)) > (Buffer.byteLength(text) * 4) / 3;
}
