/**
 * Requests: as a server receives them, and as operations read them. Every value of an incoming
 * request is untrusted until it is parsed.
 */
import type { KeyClaim } from '../../core/access/key-claim';
import { invalid, missing, ServiceError } from '../../core/errors';
import type { HeaderLookup } from '../../core/http/conditions';
import { isJsonObject, parseJson } from '../../core/http/json';
import { LIMITS, METHOD_OVERRIDE } from '../../core/limits';
import { singleQuery } from './query';

/** A request as a server receives it. */
export interface IncomingRequest {
  readonly method: string;
  /** Percent-encoded, as the client sent it. */
  readonly path: string;
  /** The values of each header in the order of its lines. Names keep the client's case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Decoded values by name. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Uint8Array;
  readonly requestId: string;
  /** The permissions of the API key that the server has authenticated. */
  readonly claim?: KeyClaim;
}

/** A request as operations read it. */
export interface HttpRequest {
  readonly method: string;
  /** Percent-encoded, as the client sent it. */
  readonly path: string;
  /** Case-insensitive. Repeated lines of a header that is a list are joined. */
  readonly header: HeaderLookup;
  readonly headerNames: readonly string[];
  /** Decoded. Throws invalid_request when the parameter is repeated. */
  readonly query: (name: string) => string | undefined;
  readonly body: Uint8Array;
  readonly requestId: string;
}

/** A request of an admitted caller. */
export interface ApiRequest<Caller> extends HttpRequest {
  readonly caller: Caller;
  /**
   * Takes further tokens of the request's rate class, for one that does as much as several. Throws
   * rate_limited.
   */
  readonly takeTokens: (count: number) => Promise<void>;
  /** Takes the available tokens, up to `count`. Returns their number, which may be 0. */
  readonly takeTokensUpTo: (count: number) => Promise<number>;
}

/** Returns the request for operations. Throws invalid_request for its headers. */
export function httpRequestOf(incoming: IncomingRequest): HttpRequest {
  const { method, path, query, body, requestId } = incoming;
  const headers = headersOf(incoming);
  return {
    method,
    path,
    header: (name) => headers.get(name),
    headerNames: [...headers.keys()],
    query: singleQuery(query),
    body,
    requestId,
  };
}

/** The headers that operations read. */
export const RELEVANT =
  /^(content-(type|disposition|encoding|language|digest|md5)|x-object-content-md5|cache-control|range|idempotency-key|if-.*|x-object-expires-at|x-object-meta-.*)$/;

/** Headers that are lists, and so may be repeated (RFC 9110 §5.3). */
const LISTS = new Set(['if-match', 'if-none-match', 'content-digest']);

/**
 * The headers by lower-case name. Throws invalid_request when a header that operations read is too
 * long, or is repeated and is not a list, and for one that changes the method. A Range that is too
 * long is ignored.
 */
export function headersOf({
  headers: lines,
}: Pick<IncomingRequest, 'headers'>): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, values] of Object.entries(lines)) {
    const lower = name.toLowerCase();
    // API Gateway obeys it, past proxies and filters that trust a GET by its method.
    if (lower === METHOD_OVERRIDE.header) {
      throw invalid(METHOD_OVERRIDE.header, METHOD_OVERRIDE.rule);
    }
    if (values.length > 1 && !LISTS.has(lower) && RELEVANT.test(lower)) {
      throw invalid(name, 'must be sent once');
    }
    const text = LISTS.has(lower) ? values.join(', ') : (values.at(-1) ?? '');
    if (text.length > LIMITS.headerLength && RELEVANT.test(lower)) {
      // RFC 9110 §14.2: a server may ignore the Range header field.
      if (lower === 'range') continue;
      throw invalid(name, `must be at most ${LIMITS.headerLength} characters`);
    }
    headers.set(lower, text);
  }
  return headers;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body as a JSON object. Throws invalid_request, and payload_too_large above `most` bytes. */
export function jsonBody(
  request: Pick<HttpRequest, 'body'>,
  most: number = LIMITS.jsonBodyBytes,
): Record<string, unknown> {
  if (request.body.length > most) {
    throw new ServiceError('payload_too_large', {
      message: `the JSON body exceeds ${most} bytes`,
    });
  }
  if (request.body.length === 0) throw missing('body');
  let value: unknown;
  try {
    value = parseJson(strictUtf8.decode(request.body));
  } catch (cause) {
    const rule = `must be JSON in UTF-8 of at most ${LIMITS.jsonLevels} levels`;
    throw Object.assign(invalid('body', rule), { cause });
  }
  if (!isJsonObject(value)) throw invalid('body', 'must be a JSON object');
  return value;
}
