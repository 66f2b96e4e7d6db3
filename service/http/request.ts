/**
 * Reads API Gateway's REST events: the request for the operations, and the claim of the authorizer.
 * Every value in the request is untrusted until it is parsed.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { KeyClaim } from '../../core/access/key-claim';
import { invalid, missing, ServiceError } from '../../core/errors';
import type { HeaderLookup } from '../../core/http/conditions';
import { isJsonObject, parseJson } from '../../core/http/json';
import { DEFAULT_TIER, LIMITS } from '../../core/limits';
import { singleQuery } from './query';

/** The fields of a REST event that are read, so that the internal function can make one too. */
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

export interface HttpRequest {
  readonly method: string;
  /** Percent-encoded, as the client sent it, without the stage. */
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
  /** The same with as many as there are, up to `count`. Returns how many, 0 included. */
  readonly takeTokensUpTo: (count: number) => Promise<number>;
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

/** The headers that operations read. */
export const RELEVANT =
  /^(content-(type|disposition|encoding|language|digest|md5)|x-object-content-md5|cache-control|range|idempotency-key|if-.*|x-object-expires-at|x-object-meta-.*)$/;

/** Headers that are lists, and so may be repeated (RFC 9110 §5.3). */
const LISTS = new Set(['if-match', 'if-none-match', 'content-digest']);

/**
 * The headers by lower-case name. Throws invalid_request when a header that operations read is too
 * long, or is repeated and is not a list. A Range that is too long is ignored.
 */
export function headersOf(event: RestEvent): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const lines = event.multiValueHeaders ?? {};
  for (const [name, value = ''] of Object.entries(event.headers ?? {})) {
    const lower = name.toLowerCase();
    const values = lines[name] ?? [value];
    if (values.length > 1 && !LISTS.has(lower) && RELEVANT.test(lower)) {
      throw invalid(name, 'must be sent once');
    }
    const text = LISTS.has(lower) ? values.join(', ') : value;
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

/**
 * The authorizer's context for a key. API Gateway passes every value on as a string, and caches the
 * context for minutes.
 */
export function contextOf(claim: KeyClaim): Record<string, string> {
  const { keyId, permissions, tier, generation, readAt, expiresAt, restriction } = claim;
  return {
    keyId,
    permissions: JSON.stringify(permissions),
    tier,
    generation: String(generation),
    readAt: String(readAt),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(restriction !== undefined && { restriction: JSON.stringify(restriction) }),
  };
}

/**
 * The inverse of `contextOf`. A context that an earlier version of the authorizer made has no tier,
 * generation or time: it counts as read at the epoch, so that any change of the key supersedes it.
 */
export function claimIn(context: Readonly<Record<string, unknown>>): KeyClaim {
  const { keyId, permissions, tier, generation, readAt, expiresAt, restriction } = context;
  if (typeof keyId !== 'string' || typeof permissions !== 'string') {
    throw new Error('the event has no context of the authorizer');
  }
  return {
    keyId,
    permissions: JSON.parse(permissions),
    tier: typeof tier === 'string' ? tier : DEFAULT_TIER,
    generation: Number(generation ?? 0),
    readAt: Number(readAt ?? 0),
    ...(typeof expiresAt === 'string' && { expiresAt }),
    ...(typeof restriction === 'string' && { restriction: JSON.parse(restriction) }),
  };
}
