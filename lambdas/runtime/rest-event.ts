/** Turns the REST events of API Gateway into requests of the service. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { KeyClaim } from '../../core/access/key-claim';
import { DEFAULT_TIER } from '../../core/limits';
import type { App } from '../../service/http/app';
import type { IncomingRequest } from '../../service/http/request';

/** Returns a function of REST events that answers with an app. */
export function ofEvents(app: App) {
  return (event: APIGatewayProxyEvent) => app(requestOf(event));
}

/** Returns the request of an event, with the claim of the authorizer if there is one. */
export function requestOf(event: APIGatewayProxyEvent): IncomingRequest {
  const lines = event.multiValueHeaders ?? {};
  const { authorizer } = event.requestContext;
  return {
    method: event.httpMethod,
    path: event.path,
    headers: Object.fromEntries(
      Object.entries(event.headers ?? {}).map(([name, value = '']) => [
        name,
        lines[name] ?? [value],
      ]),
    ),
    query: event.multiValueQueryStringParameters ?? {},
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    requestId: event.requestContext.requestId,
    ...(authorizer?.keyId !== undefined && { claim: claimIn(authorizer) }),
  };
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
