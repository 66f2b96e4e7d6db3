/** Admits the requests of API keys, each within its rate limit. */
import type { Caller } from '../core/access/permissions';
import { type FurtherTokens, RateLimiter, type RateLimiterDeps } from '../core/access/rate-limiter';
import type { Admit } from './http/app';
import { type Resource, rateClassOf } from './routes/routes';

export function admitKeys(deps: RateLimiterDeps): Admit<Resource, Caller> {
  const limiter = new RateLimiter(deps);
  return async (request, resource) => {
    const { claim } = request;
    if (claim === undefined) throw new Error('the request has no claim of an API key');
    const name = rateClassOf(request, resource);
    const { caller, headers } = await limiter.takeToken(claim, name);
    const takeTokens = (wanted: FurtherTokens) => limiter.takeFurther(claim, name, wanted);
    return { caller, headers, takeTokens };
  };
}
