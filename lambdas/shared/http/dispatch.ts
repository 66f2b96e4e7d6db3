/** One HTTP app: dispatches a REST event to its operation. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  type RateAdmission,
  RateLimiter,
  type RateLimiterDeps,
} from '../../../core/access/rate-limiter';
import { ServiceError } from '../../../core/errors';
import type { RateClass } from '../../../core/limits';
import type { Log } from '../../../core/system';
import { METHODS, type Method, type Target, type TargetKind, targetOf } from '../routes';
import { claimIn } from './authorizer-context';
import { methodNotAllowed, withErrorBoundary } from './error-boundary';
import { type ApiRequest, httpRequestOf, type RestEvent } from './request';
import type { HttpResponse } from './response';

export type Operation<Kind extends TargetKind> = (
  request: ApiRequest,
  target: Extract<Target, { kind: Kind }>,
) => Promise<HttpResponse>;

/** HEAD is answered by GET's operation, without the body. */
export type Operations = {
  readonly [Kind in TargetKind]?: Partial<Record<Exclude<Method, 'HEAD'>, Operation<Kind>>>;
};

/**
 * Who asks, as whatever carried the request knows it, and what of a limit every answer is to tell.
 * Throws what refuses the request.
 */
export type Admit<Event> = (event: Event, name: RateClass) => Promise<RateAdmission>;

/** Callers by their API keys, each within its rate limit. */
export function admitKeys(deps: RateLimiterDeps): Admit<APIGatewayProxyEvent> {
  const limiter = new RateLimiter(deps);
  return (event, name) => limiter.takeToken(claimIn(event.requestContext.authorizer ?? {}), name);
}

/** The rate limit comes before everything else, so that each answer tells how it stands. */
export function createApp<Event extends RestEvent>(
  deps: { readonly log: Log },
  operations: Operations,
  admit: Admit<Event>,
): (event: Event) => Promise<HttpResponse> {
  return async (event) => {
    let limit: HttpResponse['headers'] = {};
    const answer = await withErrorBoundary(deps, event, async () => {
      const target = targetOf(event.path);
      const { caller, headers } = await admit(event, classOf(event.httpMethod, target));
      limit = headers;
      return dispatch(operations, { ...httpRequestOf(event), caller }, target);
    });
    return { ...answer, headers: { ...answer.headers, ...limit } };
  };
}

/**
 * docs/api.md, "Rate limits". What will be answered with 404 or 405 counts as its method does
 * elsewhere.
 */
function classOf(method: string, target: Target | undefined): RateClass {
  if (target?.kind === 'signed-url') return 'sign';
  if (method !== 'GET' && method !== 'HEAD') return 'write';
  return target?.kind === 'objects' || target?.kind === 'buckets' ? 'list' : 'read';
}

async function dispatch(
  operations: Operations,
  request: ApiRequest,
  target: Target | undefined,
): Promise<HttpResponse> {
  if (!target) throw new ServiceError('not_found');
  const allowed: readonly string[] = METHODS[target.kind];
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const operation = allowed.includes(request.method)
    ? (operations[target.kind]?.[method as 'GET'] as Operation<TargetKind> | undefined)
    : undefined;
  if (!operation) throw methodNotAllowed(allowed);
  return operation(request, target);
}
