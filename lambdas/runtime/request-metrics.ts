import type { App } from '../../service/http/app';
import type { IncomingRequest } from '../../service/http/request';
import { type Route, routeOf } from '../../service/routes/routes';
import type { InvocationMeter } from './telemetry/emf-meter';

/** Names of an app's requests in metrics and log lines. */
interface Labels {
  /** Default: the operation of the storage API. */
  readonly route?: (request: IncomingRequest) => Route;
  /** Default: the id of the API key. */
  readonly caller?: (request: IncomingRequest) => Readonly<Record<string, unknown>>;
}

/**
 * Returns the app with one log line for each request: its caller, its route, its status, and how
 * long the response took to begin. The time to send a streamed body is not included: it depends on
 * the client.
 */
export function withMetrics(meter: InvocationMeter, app: App, labels: Labels = {}): App {
  const { route = routeOf, caller = ({ claim }) => ({ keyId: claim?.keyId }) } = labels;
  return async (request) => {
    const began = performance.now();
    const response = await app(request);
    const { status } = response;
    measure(meter, route(request), { status, milliseconds: performance.now() - began });
    meter.report({ requestId: request.requestId, ...caller(request), status });
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
