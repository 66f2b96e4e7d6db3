/**
 * Downloads past API Gateway: the edge sends them to the URL of this function, which does what
 * gateway and authorizer do for the others. Only the distribution may invoke the URL, so the
 * headers that it sets can be trusted; all others are those of the client.
 */
import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { ServiceError } from '../../core/errors';
import { KnownClaims } from '../../service/authentication';
import { type App, withErrorBoundary } from '../../service/http/app';
import type { IncomingRequest } from '../../service/http/request';
import type { HttpResponse } from '../../service/http/response';
import type { DownloadDeps } from '../../service/operations/deps';
import { DIRECT_HEADERS, NO_VALID_KEY, routeOf } from '../../service/routes/routes';
import { measure } from '../runtime/request-metrics';
import type { InvocationMeter } from '../runtime/telemetry/emf-meter';

/** Reports whether the event is of the function's URL. API Gateway sends events of version 1.0. */
export function isDirect(
  event: APIGatewayProxyEvent | LambdaFunctionURLEvent,
): event is LambdaFunctionURLEvent {
  return 'version' in event && event.version === '2.0';
}

export interface DirectDeps extends Pick<DownloadDeps, 'apiKeys' | 'clock' | 'log'> {
  readonly meter: InvocationMeter;
}

/**
 * Authenticates the key, then passes the request on to the app as API Gateway does, and logs it in
 * one line: that of its metrics, if there are any. AWS calls: those of the app, and 1 GetItem for a
 * key that this instance has not seen for five minutes.
 */
export function createDirectDownload(deps: DirectDeps, app: App) {
  const claims = new KnownClaims(deps);
  return async (event: LambdaFunctionURLEvent): Promise<HttpResponse> => {
    const started = performance.now();
    const request = requestOf(event);
    let keyId: string | undefined;
    const response = await withErrorBoundary(deps, request, async () => {
      const claim = await claims.of(event.headers[DIRECT_HEADERS.authorization] ?? '');
      if (claim === undefined) throw new ServiceError('unauthorized', { message: NO_VALID_KEY });
      keyId = claim.keyId;
      return app({ ...request, claim });
    });
    const { status } = response;
    const milliseconds = performance.now() - started;
    // Of strangers, the gateway counts no route either.
    if (keyId !== undefined) measure(deps.meter, routeOf(request), { status, milliseconds });
    // As in the access log of the REST API: never the query, which may hold a page token.
    const line = {
      method: request.method,
      path: request.path,
      keyId,
      sourceIp: event.requestContext.http.sourceIp,
      requestId: request.requestId,
      status,
    };
    if (!deps.meter.report(line)) {
      deps.log.info('request', { ...line, milliseconds: Math.round(milliseconds) });
    }
    return response;
  };
}

/**
 * Headers that CloudFront's signature and this function's URL add, or that only they read. A client
 * cannot ask for anything by them.
 */
const OF_THE_EDGE = new Set([
  'authorization',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-source-account',
  'x-amz-source-arn',
  DIRECT_HEADERS.authorization,
  DIRECT_HEADERS.path,
]);

/** Returns the request of an event. Lambda joins repeated headers to one. */
function requestOf({
  headers,
  rawQueryString,
  requestContext,
}: LambdaFunctionURLEvent): IncomingRequest {
  const path = headers[DIRECT_HEADERS.path];
  if (path === undefined) throw new Error('the request did not come through the edge');
  const query = new URLSearchParams(rawQueryString);
  return {
    method: requestContext.http.method,
    path,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !OF_THE_EDGE.has(name.toLowerCase()))
        .map(([name, value = '']) => [name, [value]]),
    ),
    query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
    // CloudFront refuses a GET with a body.
    body: Buffer.of(),
    requestId: requestContext.requestId,
  };
}
