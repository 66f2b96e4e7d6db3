/**
 * From an API Gateway REST event to what the operations read. Everything in it is hostile until
 * parsed.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../../../core/access/permissions';
import { invalid, ServiceError } from '../../../core/errors';
import type { HeaderLookup } from '../../../core/http/conditions';
import { LIMITS } from '../../../core/limits';
import { singleQuery } from './query';

/** What is read of a REST event, so that others than API Gateway can make one. */
export type RestEvent = Pick<
  APIGatewayProxyEvent,
  | 'body'
  | 'headers'
  | 'httpMethod'
  | 'isBase64Encoded'
  | 'multiValueHeaders'
  | 'multiValueQueryStringParameters'
  | 'path'
> & { readonly requestContext: Pick<APIGatewayProxyEvent['requestContext'], 'requestId'> };

/** A request without regard to who sends it. */
export interface HttpRequest {
  readonly method: string;
  /** Percent-encoded, as the client sent it, without the stage. */
  readonly path: string;
  /** Case-insensitive. Repeated lines of a list are joined. */
  readonly header: HeaderLookup;
  readonly headerNames: readonly string[];
  /** Decoded. Throws invalid_request when the parameter is repeated. */
  readonly query: (name: string) => string | undefined;
  readonly body: Uint8Array;
  readonly requestId: string;
}

export interface ApiRequest extends HttpRequest {
  readonly caller: Caller;
}

export function httpRequestOf(event: RestEvent): HttpRequest {
  const headers = headersOf(event);
  return {
    method: event.httpMethod,
    path: event.path,
    header: (name) => headers.get(name),
    headerNames: [...headers.keys()],
    query: singleQuery(event.multiValueQueryStringParameters),
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    requestId: event.requestContext.requestId,
  };
}

/** Every header that an operation reads. */
export const RELEVANT =
  /^(content-(type|disposition|encoding|language|digest)|cache-control|range|idempotency-key|if-.*|x-object-meta-.*)$/;

/**
 * RFC 9110 §5.3: several lines of a field that is a list are one list; of any other field one line
 * is allowed.
 */
const LISTS = new Set(['if-match', 'if-none-match', 'content-digest']);

function headersOf(event: RestEvent): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const lines = event.multiValueHeaders ?? {};
  for (const [name, value = ''] of Object.entries(event.headers ?? {})) {
    const lower = name.toLowerCase();
    const values = lines[name] ?? [value];
    if (values.length > 1 && !LISTS.has(lower) && RELEVANT.test(lower)) {
      throw invalid(name, 'must be sent once');
    }
    headers.set(lower, LISTS.has(lower) ? values.join(', ') : value);
  }
  return headers;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body as a JSON object. Throws invalid_request. */
export function jsonBody(request: Pick<HttpRequest, 'body'>): Record<string, unknown> {
  if (request.body.length > LIMITS.jsonBodyBytes) {
    throw new ServiceError('payload_too_large', {
      message: `the JSON body exceeds ${LIMITS.jsonBodyBytes} bytes`,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(strictUtf8.decode(request.body));
  } catch (cause) {
    throw Object.assign(invalid('body', 'must be JSON in UTF-8'), { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('body', 'must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/**
 * Refuses fields that the operation does not know: a mistyped optional field must not be ignored.
 */
export function onlyFields(body: Record<string, unknown>, known: readonly string[], at = ''): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalid(`${at}${unknown}`, `is not a known field; known are ${known.join(', ')}`);
  }
}
