/**
 * Runs the operation of each request.
 *
 *   createApp          finds the operation and runs it for an admitted caller
 *   withErrorBoundary  turns every error into the error response of the contract
 */
import type { FurtherTokens, TakenTokens } from '../../core/access/rate-limiter';
import { ERRORS, ServiceError } from '../../core/errors';
import type { Log } from '../../core/system';
import { knownError } from './known-error';
import { type ApiRequest, httpRequestOf, type IncomingRequest } from './request';
import { errorResponse, type HttpResponse, withoutBody } from './response';

export type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export type App = (request: IncomingRequest) => Promise<HttpResponse>;

interface AnyResource {
  readonly kind: string;
}

/** The paths of an interface and their methods, as data. */
export interface Routes<Resource extends AnyResource> {
  /** Returns undefined when the interface has no such path. */
  readonly resourceOf: (path: string) => Resource | undefined;
  readonly methods: Readonly<Record<Resource['kind'], readonly string[]>>;
  /** The path that was probably meant, for the message of a 404 or 405. */
  readonly meant?: (method: string, path: string) => string | undefined;
  /** Decodes the names in a resource. Throws invalid_request. Absent: they are used as they are. */
  readonly decode?: (resource: Resource) => Resource;
}

export type Operation<Resource, Caller> = (
  request: ApiRequest<Caller>,
  resource: Resource,
) => Promise<HttpResponse>;

/** The operation of each method of each path. GET serves HEAD too: the body is dropped later. */
export type Operations<Resource extends AnyResource, Caller> = {
  readonly [Kind in Resource['kind']]?: Partial<
    Record<Exclude<Method, 'HEAD'>, Operation<Resource & { readonly kind: Kind }, Caller>>
  >;
};

/** The caller of a request, and headers that every response to it has. Throws when refused. */
export type Admit<Resource, Caller> = (
  request: IncomingRequest,
  resource: Resource | undefined,
) => Promise<{
  readonly caller: Caller;
  readonly headers: HttpResponse['headers'];
  /** Takes further tokens. Absent: there is no limit. */
  readonly takeTokens?: (wanted: FurtherTokens) => Promise<TakenTokens>;
}>;

/**
 * An app that dispatches requests to operations. The caller is admitted before the path is checked,
 * so that a caller without access cannot probe for paths, and so that every response to an admitted
 * caller, also of an error, has the headers of the rate limit.
 */
export function createApp<Resource extends AnyResource, Caller>(
  deps: { readonly log: Log },
  api: {
    readonly routes: Routes<Resource>;
    readonly operations: Operations<Resource, Caller>;
    readonly admit: Admit<Resource, Caller>;
  },
): App {
  const { routes, operations, admit } = api;
  return async (incoming) => {
    let extraHeaders: HttpResponse['headers'] = {};
    const response = await withErrorBoundary(deps, incoming, async () => {
      const resource = routes.resourceOf(incoming.path);
      const admission = await admit(incoming, resource);
      const { caller } = admission;
      extraHeaders = admission.headers;
      const take = async (wanted: FurtherTokens) => {
        if (!admission.takeTokens || wanted.count === 0) return wanted.count;
        const taken = await admission.takeTokens(wanted);
        extraHeaders = taken.headers;
        return taken.tokens;
      };
      const request = {
        ...{ ...httpRequestOf(incoming), caller },
        takeTokens: async (count: number) => void (await take({ count })),
        takeTokensUpTo: (count: number) => take({ count, orFewer: true }),
      };
      if (!resource) throw refused('not_found', routes, incoming);
      const operation = operationOf(routes, operations, resource.kind, incoming);
      return operation(request, routes.decode ? routes.decode(resource) : resource);
    });
    return { ...response, headers: { ...response.headers, ...extraHeaders } };
  };
}

function operationOf<Resource extends AnyResource, Caller>(
  routes: Routes<Resource>,
  operations: Operations<Resource, Caller>,
  kind: Resource['kind'],
  incoming: IncomingRequest,
): Operation<Resource, Caller> {
  const { method } = incoming;
  const allowed = routes.methods[kind];
  const ofKind: Readonly<Record<string, unknown>> = operations[kind] ?? {};
  const operation = allowed.includes(method)
    ? ofKind[method === 'HEAD' ? 'GET' : method]
    : undefined;
  if (operation === undefined) {
    throw refused('method_not_allowed', routes, incoming, {
      details: { allow: allowed },
      headers: { Allow: allowed.join(', ') },
    });
  }
  return operation as Operation<Resource, Caller>;
}

/** The error, with the path that was probably meant in its message. */
function refused(
  code: 'not_found' | 'method_not_allowed',
  routes: Pick<Routes<AnyResource>, 'meant'>,
  { method, path }: IncomingRequest,
  options: ConstructorParameters<typeof ServiceError>[1] = {},
): ServiceError {
  const meant = routes.meant?.(method, path);
  const message = meant && `${ERRORS[code].message}; did you mean ${meant}?`;
  return new ServiceError(code, { ...options, message });
}

/**
 * The response of the operation, or the error response of the contract for every error that it
 * throws. The response to HEAD loses its body.
 */
export async function withErrorBoundary(
  deps: { readonly log: Log },
  { method, requestId }: Pick<IncomingRequest, 'method' | 'requestId'>,
  operation: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const response = await operation().catch((error: unknown) => {
    const known = knownError(error);
    if (known.status >= 500) {
      deps.log.error('request_failed', { requestId, method, error });
    }
    return errorResponse(known, requestId);
  });
  return method === 'HEAD' ? withoutBody(response) : response;
}
