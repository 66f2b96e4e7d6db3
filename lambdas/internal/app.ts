import { type Caller, PRINCIPAL } from '../../core/access/permissions';
import { WAITS_FREELY } from '../../core/channel/long-poll';
import { ServiceError } from '../../core/errors';
import { createApp, withErrorBoundary } from '../../service/http/app';
import type { OperationDeps } from '../../service/operations/deps';
import { type Resource, STORAGE_ROUTES } from '../../service/routes/routes';
import { storageOperations } from '../../service/storage-api';
import { withMetrics } from '../runtime/request-metrics';
import type { InvocationMeter } from '../runtime/telemetry/emf-meter';
import { aliasIn, type Grants } from './grants';
import { type InternalResponse, internalResponse, parseRequest } from './payload';

/** The fields of Lambda's context that are read. */
export interface Invocation {
  readonly invokedFunctionArn: string;
  readonly awsRequestId: string;
}

export type InternalDeps = OperationDeps & { readonly meter: InvocationMeter };

/**
 * Every route of the storage API for principals of the account. The alias by which the function is
 * invoked determines the caller's permissions; nothing in the payload does. AWS calls: those of the
 * operations; there is neither an API key to read nor a rate limit to count.
 */
export function createInternal(deps: InternalDeps, grants: Grants) {
  const operations = storageOperations(deps, () => WAITS_FREELY);
  const apps = new Map(
    [...grants].map(([alias, permissions]) => {
      const caller: Caller = { keyId: `${PRINCIPAL}${alias}`, permissions };
      const app = createApp<Resource, Caller>(deps, {
        routes: STORAGE_ROUTES,
        operations,
        admit: async () => ({ caller, headers: {} }),
      });
      return [alias, withMetrics(deps.meter, app, { caller: () => ({ principal: alias }) })];
    }),
  );
  return async (
    payload: unknown,
    { invokedFunctionArn, awsRequestId: requestId }: Invocation,
  ): Promise<InternalResponse> => {
    const started = deps.clock.now();
    const alias = aliasIn(invokedFunctionArn);
    const app = alias === undefined ? undefined : apps.get(alias);
    const envelope = { method: 'INVOKE', requestId };
    let logged: { readonly method?: string; readonly path?: string } = {};
    const response = await withErrorBoundary(deps, envelope, async () => {
      if (!app) throw noGrant();
      const request = parseRequest(payload, requestId);
      logged = { method: request.method, path: request.path };
      return app(request);
    });
    // Without the query, as in the access log of the REST API: page tokens are not logged.
    deps.log.info('request', {
      ...logged,
      principal: alias,
      requestId,
      status: response.status,
      milliseconds: deps.clock.now() - started,
    });
    return internalResponse(response);
  };
}

function noGrant(): ServiceError {
  return new ServiceError('forbidden', {
    message:
      'invoke the alias that grantRead, grantWrite or grantSync created for you, not another ARN of the function',
  });
}
