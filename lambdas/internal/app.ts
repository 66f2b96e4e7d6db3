import type { Caller } from '../../core/access/permissions';
import { ServiceError } from '../../core/errors';
import { createApp } from '../shared/http/dispatch';
import { withErrorBoundary } from '../shared/http/error-boundary';
import { withMetrics } from '../shared/http/with-metrics';
import type { OperationDeps } from '../shared/operations/deps';
import { everyOperation } from '../shared/operations/every-operation';
import type { InvocationMeter } from '../shared/telemetry/emf-meter';
import { aliasIn, type Grants } from './grants';
import { type InternalAnswer, internalAnswer, requestIn } from './payload';

/** What Lambda says of an invocation. */
export interface Invocation {
  readonly invokedFunctionArn: string;
  readonly awsRequestId: string;
}

export type InternalDeps = OperationDeps & { readonly meter: InvocationMeter };

/**
 * Every route of the interface for principals of the account. What a caller may do is bound to the
 * alias by which the function is invoked; nothing in the payload has a say in it. AWS calls: those
 * of the operations; there is neither a key to read nor a limit to count.
 */
export function createInternal(deps: InternalDeps, grants: Grants) {
  const operations = everyOperation(deps);
  const apps = new Map(
    [...grants].map(([alias, permissions]) => {
      const caller: Caller = { keyId: `iam:${alias}`, permissions };
      const app = createApp(deps, operations, async () => ({ caller, headers: {} }));
      return [alias, withMetrics(deps.meter, app, undefined, () => ({ principal: alias }))];
    }),
  );
  return async (
    payload: unknown,
    { invokedFunctionArn, awsRequestId: requestId }: Invocation,
  ): Promise<InternalAnswer> => {
    const started = deps.clock.now();
    const alias = aliasIn(invokedFunctionArn);
    const app = alias === undefined ? undefined : apps.get(alias);
    const envelope = { httpMethod: 'INVOKE', requestContext: { requestId } };
    let told: { readonly method?: string; readonly path?: string } = {};
    const answer = await withErrorBoundary(deps, envelope, async () => {
      if (!app) throw withoutGrant();
      const request = requestIn(payload, requestId);
      told = { method: request.httpMethod, path: request.path };
      return app(request);
    });
    // Never the query, as in the access log of the REST API: a page token must not end up in a log.
    deps.log.info('request', {
      ...told,
      principal: alias,
      requestId,
      status: answer.status,
      milliseconds: deps.clock.now() - started,
    });
    return internalAnswer(answer);
  };
}

function withoutGrant(): ServiceError {
  return new ServiceError('forbidden', {
    message:
      'invoke the alias that grantRead, grantWrite or grantSync made for you, not another ARN of the function',
  });
}
