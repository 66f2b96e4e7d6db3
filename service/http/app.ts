/**
 * The HTTP side of a function, from the outside in:
 *
 *   createHandler      the Lambda handler: sends the response as a stream or buffered (carrier.ts)
 *   withMetrics        reports each request in one log line, if the metrics level says so
 *   createApp          finds the operation and runs it for an admitted caller
 *   withErrorBoundary  turns every error into the error response of the contract
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  type FurtherTokens,
  RateLimiter,
  type RateLimiterDeps,
  type TakenTokens,
} from '../../core/access/rate-limiter';
import { ERRORS, ServiceError } from '../../core/errors';
import type { Log } from '../../core/system';
import type { InvocationMeter } from '../../lambdas/runtime/telemetry/emf-meter';
import {
  METHODS,
  type Method,
  OPERATION_IDS,
  type Route,
  rateClassOf,
  resourceOf,
} from '../routes/routes';
import { knownError } from './known-error';
import { type ApiRequest, claimIn, httpRequestOf, type RestEvent } from './request';
import { errorResponse, type HttpResponse, withoutBody } from './response';

export type App<Event = APIGatewayProxyEvent> = (event: Event) => Promise<HttpResponse>;

/**
 * The app, with one log line for each request: its caller, its route, its status, and how long the
 * response took to begin. The time to send a streamed body is not included: it depends on the
 * client.
 */
export function withMetrics<Event extends RestEvent = APIGatewayProxyEvent>(
  meter: InvocationMeter,
  app: App<Event>,
  routeOf: (event: Event) => Route = storageRoute,
  callerOf: (event: Event) => Readonly<Record<string, unknown>> = apiKeyIn,
): App<Event> {
  return async (event) => {
    const began = performance.now();
    const response = await app(event);
    const { status } = response;
    measure(meter, routeOf(event), { status, milliseconds: performance.now() - began });
    const { requestId } = event.requestContext;
    meter.report({ requestId, ...callerOf(event), status });
    return response;
  };
}

/** Counts one request. */
export function measure(
  meter: InvocationMeter,
  route: Route,
  { status, milliseconds }: { readonly status: number; readonly milliseconds: number },
): void {
  meter.add('Latency', Math.round(milliseconds * 100) / 100, route);
  if (status >= 500) meter.add('Errors', 1, route);
  else if (status >= 400) meter.add('Refusals', 1, route);
}

function apiKeyIn({
  requestContext,
}: RestEvent & { requestContext: { authorizer?: { keyId?: unknown } | null } }) {
  return { keyId: requestContext.authorizer?.keyId };
}

export function storageRoute(event: RestEvent): Route {
  const { path, httpMethod } = event;
  const resource = resourceOf(path);
  const methods: readonly string[] = resource ? METHODS[resource.kind] : [];
  if (!resource || !methods.includes(httpMethod)) return 'other';
  // Long polls have a route of their own, so that they do not distort the latency of readChanges.
  if (resource.kind === 'sync' && asksToWait(event)) return 'waitForChanges';
  const ids: Partial<Record<Method, Route>> = OPERATION_IDS[resource.kind];
  return ids[httpMethod as Method] ?? ids.GET ?? 'other';
}

/** Whether the request has a `wait` other than 0, which need not be valid. */
function asksToWait({ multiValueQueryStringParameters: query }: RestEvent): boolean {
  return (query?.wait ?? []).some((wait) => wait !== '' && wait !== '0');
}

interface AnyResource {
  readonly kind: string;
}

/** The paths of an interface and their methods, as data. */
export interface Routes<Resource extends AnyResource> {
  /** undefined: the interface has no such path. */
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
    Record<Exclude<Method, 'HEAD'> | 'PATCH', Operation<Resource & { readonly kind: Kind }, Caller>>
  >;
};

/** The caller of a request, and headers that every response to it has. Throws when refused. */
export type Admit<Event, Resource, Caller> = (
  event: Event,
  resource: Resource | undefined,
) => Promise<{
  readonly caller: Caller;
  readonly headers: HttpResponse['headers'];
  /** Takes further tokens. Absent: there is no limit. */
  readonly takeTokens?: (wanted: FurtherTokens) => Promise<TakenTokens>;
}>;

/** A request with the context of the authorizer. */
export type KeyedEvent = RestEvent & {
  readonly requestContext: { readonly authorizer?: Readonly<Record<string, unknown>> | null };
};

/** Admits callers by their API keys, each within its rate limit. */
export function admitKeys(deps: RateLimiterDeps) {
  const limiter = new RateLimiter(deps);
  return async (event: KeyedEvent, resource: ReturnType<typeof resourceOf>) => {
    const claim = claimIn(event.requestContext.authorizer ?? {});
    const name = rateClassOf(event.httpMethod, resource, asksToWait(event));
    const { caller, headers } = await limiter.takeToken(claim, name);
    const takeTokens = (wanted: FurtherTokens) => limiter.takeFurther(claim, name, wanted);
    return { caller, headers, takeTokens };
  };
}

/**
 * An app that dispatches requests to operations. The caller is admitted before the path is checked,
 * so that a caller without access cannot probe for paths, and so that every response to an admitted
 * caller, also of an error, has the headers of the rate limit.
 */
export function createApp<Event extends RestEvent, Resource extends AnyResource, Caller>(
  deps: { readonly log: Log },
  api: {
    readonly routes: Routes<Resource>;
    readonly operations: Operations<Resource, Caller>;
    readonly admit: Admit<Event, Resource, Caller>;
  },
): App<Event> {
  const { routes, operations, admit } = api;
  return async (event) => {
    let extraHeaders: HttpResponse['headers'] = {};
    const response = await withErrorBoundary(deps, event, async () => {
      const resource = routes.resourceOf(event.path);
      const admission = await admit(event, resource);
      const { caller } = admission;
      extraHeaders = admission.headers;
      const take = async (wanted: FurtherTokens) => {
        if (!admission.takeTokens || wanted.count === 0) return wanted.count;
        const taken = await admission.takeTokens(wanted);
        extraHeaders = taken.headers;
        return taken.tokens;
      };
      const request = {
        ...{ ...httpRequestOf(event), caller },
        takeTokens: async (count: number) => void (await take({ count })),
        takeTokensUpTo: (count: number) => take({ count, orFewer: true }),
      };
      if (!resource) throw refused('not_found', routes, event);
      const operation = operationOf(routes, operations, resource.kind, event);
      return operation(request, routes.decode ? routes.decode(resource) : resource);
    });
    return { ...response, headers: { ...response.headers, ...extraHeaders } };
  };
}

function operationOf<Resource extends AnyResource, Caller>(
  routes: Routes<Resource>,
  operations: Operations<Resource, Caller>,
  kind: Resource['kind'],
  event: RestEvent,
): Operation<Resource, Caller> {
  const { httpMethod: method } = event;
  const allowed = routes.methods[kind];
  const ofKind: Readonly<Record<string, unknown>> = operations[kind] ?? {};
  const operation = allowed.includes(method)
    ? ofKind[method === 'HEAD' ? 'GET' : method]
    : undefined;
  if (operation === undefined) {
    throw refused('method_not_allowed', routes, event, {
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
  { httpMethod, path }: RestEvent,
  options: ConstructorParameters<typeof ServiceError>[1] = {},
): ServiceError {
  const meant = routes.meant?.(httpMethod, path);
  const message = meant && `${ERRORS[code].message}; did you mean ${meant}?`;
  return new ServiceError(code, { ...options, message });
}

/**
 * The response of the operation, or the error response of the contract for every error that it
 * throws. The response to HEAD loses its body.
 */
export async function withErrorBoundary(
  deps: { readonly log: Log },
  event: Pick<RestEvent, 'httpMethod' | 'requestContext'>,
  operation: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const response = await operation().catch((error: unknown) => {
    const { requestId } = event.requestContext;
    const known = knownError(error);
    if (known.status >= 500) {
      deps.log.error('request_failed', { requestId, method: event.httpMethod, error });
    }
    return errorResponse(known, requestId);
  });
  return event.httpMethod === 'HEAD' ? withoutBody(response) : response;
}
