/** Builds the AWS_PROXY event (format 1.0 of REST APIs) and the events of authorizers. */
import { canSplit, isLarger, type Payload } from '../../lambda/payload';
import { QUOTAS } from '../limits/limits';
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

/** The fields of both kinds of events. Absent maps are null. */
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

/** The context that the authorizer returned. */
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

export interface ProxyRequest {
  readonly parts: EventParts;
  readonly authorizer: AuthorizerContext | undefined;
  readonly body: Buffer;
  /** Whether the function receives the body in base64. */
  readonly isBinaryBody: boolean;
}

/**
 * Returns undefined when the event exceeds Lambda's limit. A large binary body stays separate from
 * the text of the event; a small one is inserted, for base64 needs no escaping.
 */
export function proxyEvent(request: ProxyRequest): Payload | undefined {
  const { parts, authorizer, body, isBinaryBody } = request;
  const event = { ...shared(parts), requestContext: routedContext(parts, authorizer) };
  const head = `${JSON.stringify(event).slice(0, -1)},"body":`;
  if (body.length === 0) return sized(`${head}null,"isBase64Encoded":false}`);
  if (body.length > QUOTAS.eventBytes) return undefined;
  if (!isBinaryBody) {
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
