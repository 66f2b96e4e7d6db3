/**
 * What the function is invoked with, and what it answers: docs/construct.md. Everything in a
 * payload is hostile until parsed.
 */
import { Readable } from 'node:stream';
import { invalid } from '../../core/errors';
import { onlyFields, type RestEvent } from '../shared/http/request';
import type { HttpResponse } from '../shared/http/response';

/** An answer of the HTTP interface as JSON. */
export interface InternalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: there is none. */
  readonly body?: string;
  /** Whether `body` is base64 of the bytes. */
  readonly isBase64: boolean;
}

const FIELDS = ['method', 'path', 'query', 'headers', 'body', 'isBase64'];

/** Percent-encoded ASCII, as it would stand in a request line: no query, no fragment. */
const PATH = /^\/[\x21\x22\x24-\x3e\x40-\x7e]*$/;
const PATH_LENGTH = 2048;
/** RFC 9110 §5.6.2: a token. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** RFC 9110 §5.5, without what no client of HTTP should send: bytes outside ASCII. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** As many as API Gateway lets through. */
const HEADERS_MAX = 200;
/**
 * Without groups, whose repetitions would pile up on the stack for each of millions of characters.
 */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The request in a payload. Throws invalid_request. */
export function requestIn(payload: unknown, requestId: string): RestEvent {
  if (!isRecord(payload)) throw invalid('payload', 'must be a JSON object');
  onlyFields(payload, FIELDS);
  const { method, path } = payload;
  if (typeof method !== 'string' || !/^[A-Z]{1,16}$/.test(method)) {
    throw invalid('method', 'must be a method of HTTP such as GET');
  }
  if (typeof path !== 'string' || path.length > PATH_LENGTH || !PATH.test(path)) {
    throw invalid(
      'path',
      'must be percent-encoded, such as /api/v2/storage/objects/photos/a.jpg; what follows a question mark goes into query',
    );
  }
  const query = Object.entries(textsIn(payload.query, 'query'));
  return {
    httpMethod: method,
    path,
    multiValueQueryStringParameters: Object.fromEntries(
      query.map(([name, value]) => [name, [value]]),
    ),
    headers: headersIn(payload.headers),
    multiValueHeaders: {},
    ...bodyIn(payload),
    requestContext: { requestId },
  };
}

function headersIn(value: unknown): Record<string, string> {
  const entries = Object.entries(textsIn(value, 'headers'));
  if (entries.length > HEADERS_MAX) throw invalid('headers', `must be at most ${HEADERS_MAX}`);
  const names = new Set<string>();
  const headers = entries.map(([name, text]) => {
    const at = `headers.${name}`;
    if (!HEADER_NAME.test(name)) throw invalid(at, 'is not a name of a header');
    if (!HEADER_VALUE.test(text)) throw invalid(at, 'must be visible ASCII');
    const lower = name.toLowerCase();
    if (names.has(lower)) throw invalid(at, 'must be given once');
    names.add(lower);
    return [lower, text.replace(/^[\t ]+|[\t ]+$/g, '')];
  });
  // Not by assignment: a name may be __proto__.
  return Object.fromEntries(headers);
}

function bodyIn({ body, isBase64 = false }: Readonly<Record<string, unknown>>) {
  if (typeof isBase64 !== 'boolean') throw invalid('isBase64', 'must be true or false');
  if (body === undefined || body === null) return { body: null, isBase64Encoded: false };
  if (typeof body !== 'string' || !body.isWellFormed()) {
    throw invalid('body', 'must be text; bytes go as base64, with isBase64');
  }
  if (isBase64 && (body.length % 4 !== 0 || !BASE64.test(body)))
    throw invalid('body', 'must be base64 with padding');
  return { body, isBase64Encoded: isBase64 };
}

/** An object whose values are all texts. Absent: empty. */
function textsIn(value: unknown, field: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw invalid(field, 'must be an object of texts');
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !text.isWellFormed() || !name.isWellFormed()) {
      throw invalid(`${field}.${name}`, 'must be text');
    }
  }
  return value as Readonly<Record<string, string>>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Texts from which on their escapes within JSON may take more than base64 does. */
const LONG_TEXT = 1024 * 1024;

/**
 * The operations bound what they answer, so that all of it fits the 6 MB of an invocation: see
 * `bufferedJsonBytes` in core/limits.
 */
export async function internalAnswer({
  status,
  headers,
  body,
}: HttpResponse): Promise<InternalAnswer> {
  const head = { status, headers };
  if (body === undefined) return { ...head, isBase64: false };
  if (typeof body === 'string' && !isLonger(body)) return { ...head, body, isBase64: false };
  const bytes = body instanceof Readable ? Buffer.concat(await body.toArray()) : Buffer.from(body);
  return { ...head, body: bytes.toString('base64'), isBase64: true };
}

/** Whether the text as a JSON string takes more bytes than in base64. */
function isLonger(text: string): boolean {
  if (text.length < LONG_TEXT) return false;
  return Buffer.byteLength(JSON.stringify(text)) > (Buffer.byteLength(text) * 4) / 3;
}
