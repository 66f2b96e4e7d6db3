/** The AWS_PROXY event (format 1.0 of REST APIs) and the events of authorizers. Pure. */
import { canSplit, isLarger, type Payload } from '../../lambda/payload';
import { QUOTAS } from '../limits';
import { isBinary } from '../media-types';
import type { RequestContext } from './context';
import type { EventHeaders } from './headers';
import type { Match } from './routing';
import type { Query } from './target';

export interface EventParts extends EventHeaders {
  readonly match: Match;
  readonly httpMethod: string;
  readonly path: string;
  readonly query: Query;
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly context: RequestContext;
}

/** What both kinds of events have; absent maps are null. */
function shared(parts: EventParts) {
  const { route, pathParameters } = parts.match;
  return {
    resource: route.resourcePath,
    path: parts.path,
    httpMethod: parts.httpMethod,
    headers: parts.headers,
    multiValueHeaders: parts.multiValueHeaders,
    queryStringParameters: parts.query.single,
    multiValueQueryStringParameters: parts.query.multi,
    pathParameters,
    stageVariables: parts.stageVariables,
  };
}

/** What the authorizer added to the request. */
export interface AuthorizerContext {
  readonly principalId: string;
  readonly integrationLatency: number;
  readonly [name: string]: string | number;
}

export function routedContext(parts: EventParts, authorizer: AuthorizerContext | undefined) {
  const { route } = parts.match;
  return {
    resourceId: route.resourceId,
    resourcePath: route.resourcePath,
    ...(route.operationName !== undefined && { operationName: route.operationName }),
    ...(authorizer && { authorizer }),
    ...parts.context,
  };
}

/**
 * The event; undefined: Lambda takes none of that size. A large body is left as bytes, a small one
 * is joined to the text: base64 needs no escaping.
 */
export function proxyEvent(
  parts: EventParts,
  authorizer: AuthorizerContext | undefined,
  body: Buffer,
  binaryMediaTypes: readonly string[],
  contentType: string | undefined,
): Payload | undefined {
  const event = { ...shared(parts), requestContext: routedContext(parts, authorizer) };
  const head = `${JSON.stringify(event).slice(0, -1)},"body":`;
  if (body.length === 0) return sized(`${head}null,"isBase64Encoded":false}`);
  if (body.length > QUOTAS.eventBytes) return undefined;
  if (!isBinary(binaryMediaTypes, contentType)) {
    return sized(`${head}${JSON.stringify(body.toString('utf8'))},"isBase64Encoded":false}`);
  }
  if (canSplit(body)) return sized({ text: `${head}null,"isBase64Encoded":true}`, body });
  return sized(`${head}"${body.toString('base64')}","isBase64Encoded":true}`);
}

function sized(payload: Payload): Payload | undefined {
  return isLarger(payload, QUOTAS.eventBytes - 1) ? undefined : payload;
}

export function tokenAuthorizerEvent(token: string, methodArn: string): string {
  return JSON.stringify({ type: 'TOKEN', authorizationToken: token, methodArn });
}

export function requestAuthorizerEvent(parts: EventParts, methodArn: string): string {
  const requestContext = routedContext(parts, undefined);
  return JSON.stringify({ type: 'REQUEST', methodArn, ...shared(parts), requestContext });
}
