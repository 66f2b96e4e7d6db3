/** One HTTP app: dispatches a REST event to its operation. */
import { ServiceError } from '../../core/errors';
import type { RateClass } from '../../core/limits';
import type { Log } from '../../core/ports';
import { RateLimiter, type RateLimiterDeps } from '../../core/rate-limiter';
import { METHODS, type Method, type Target, type TargetKind, targetOf } from '../routes';
import type { Answer } from './answer';
import { answered, methodNotAllowed } from './answered';
import type { App } from './carrier';
import { claimIn } from './context';
import { type ApiRequest, httpRequestOf } from './request';

export type Operation<Kind extends TargetKind> = (
  request: ApiRequest,
  target: Extract<Target, { kind: Kind }>,
) => Promise<Answer>;

/** HEAD is answered by GET's operation, without the body. */
export type Operations = {
  readonly [Kind in TargetKind]?: Partial<Record<Exclude<Method, 'HEAD'>, Operation<Kind>>>;
};

export interface AppDeps extends RateLimiterDeps {
  readonly log: Log;
}

/** The rate limit comes before everything else, so that each answer tells how it stands. */
export function createApp(deps: AppDeps, operations: Operations): App {
  const limiter = new RateLimiter(deps);
  return async (event) => {
    let limit: Answer['headers'] = {};
    const answer = await answered(deps, event, async () => {
      const target = targetOf(event.path);
      const claim = claimIn(event.requestContext.authorizer ?? {});
      const { caller, headers } = await limiter.admit(claim, classOf(event.httpMethod, target));
      limit = headers;
      return dispatch(operations, { ...httpRequestOf(event), caller }, target);
    });
    return { ...answer, headers: { ...answer.headers, ...limit } };
  };
}

/** docs/api.md, "Rate limits". What will be answered with 404 or 405 counts as its method does elsewhere. */
function classOf(method: string, target: Target | undefined): RateClass {
  if (target?.kind === 'signed-url') return 'sign';
  if (method !== 'GET' && method !== 'HEAD') return 'write';
  return target?.kind === 'objects' || target?.kind === 'buckets' ? 'list' : 'read';
}

async function dispatch(
  operations: Operations,
  request: ApiRequest,
  target: Target | undefined,
): Promise<Answer> {
  if (!target) throw new ServiceError('not_found');
  const allowed: readonly string[] = METHODS[target.kind];
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const operation = allowed.includes(request.method)
    ? (operations[target.kind]?.[method as 'GET'] as Operation<TargetKind> | undefined)
    : undefined;
  if (!operation) throw methodNotAllowed(allowed);
  return operation(request, target);
}
