/**
 * The administration of keys, for people who have signed in. An API key opens nothing here: no key
 * can make another, and no cookie is ever read, so that no foreign page can act for its visitor.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bearerToken } from '../../core/access/authentication';
import { ServiceError } from '../../core/errors';
import { methodNotAllowed, withErrorBoundary } from '../shared/http/error-boundary';
import { httpRequestOf } from '../shared/http/request';
import { type HttpResponse, jsonResponse } from '../shared/http/response';
import type { App } from '../shared/http/response-transport';
import type { AdminDeps, AdminOperation } from './deps';
import {
  getOneKey,
  listAudit,
  listKeys,
  patchKey,
  postKey,
  postSession,
  revoke,
  rotate,
} from './keys';
import { ADMIN_METHODS, type AdminKind, type AdminMethod, adminTargetOf } from './routes';
import { getUsage } from './usage';

type Operations = {
  readonly [Kind in Exclude<AdminKind, 'config'>]: Partial<
    Record<Exclude<AdminMethod, 'HEAD'>, AdminOperation<Kind>>
  >;
};

export function createAdmin(deps: AdminDeps): App {
  const operations: Operations = {
    keys: { GET: listKeys(deps), POST: postKey(deps) },
    key: { GET: getOneKey(deps), PATCH: patchKey(deps) },
    revoke: { POST: revoke(deps) },
    rotate: { POST: rotate(deps) },
    session: { POST: postSession(deps) },
    audit: { GET: listAudit(deps) },
    usage: { GET: getUsage(deps) },
  };
  return (event) => withErrorBoundary(deps, event, () => dispatch(deps, operations, event));
}

/** Who is nobody here learns nothing, not even which paths there are. */
async function dispatch(
  deps: AdminDeps,
  operations: Operations,
  event: APIGatewayProxyEvent,
): Promise<HttpResponse> {
  const request = httpRequestOf(event);
  const target = adminTargetOf(event.path);
  if (target?.kind === 'config') {
    requireMethod('config', event.httpMethod);
    return jsonResponse(200, deps.config);
  }
  const actor = await deps.verify(bearerToken(request.header('authorization') ?? ''));
  if (!target) throw new ServiceError('not_found');
  requireMethod(target.kind, event.httpMethod);
  const method = event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod;
  const operation = operations[target.kind][method as 'GET'] as
    | AdminOperation<AdminKind>
    | undefined;
  if (!operation) throw methodNotAllowed(ADMIN_METHODS[target.kind]);
  return operation(request, target, actor);
}

function requireMethod(kind: AdminKind, method: string): void {
  const allowed: readonly string[] = ADMIN_METHODS[kind];
  if (!allowed.includes(method)) throw methodNotAllowed(allowed);
}
