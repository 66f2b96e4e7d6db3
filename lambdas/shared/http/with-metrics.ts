import type { APIGatewayProxyEvent } from 'aws-lambda';
import { METHODS, type Method, OPERATION_IDS, type Route, targetOf } from '../routes';
import type { InvocationMeter } from '../telemetry/emf-meter';
import type { RestEvent } from './request';
import type { HttpResponse } from './response';

/**
 * The app, each of whose requests is reported in one line: who asked for what, how it ended, and
 * how long the answer took to begin. A body that is streamed is not waited for: how long that takes
 * is up to the client.
 */
export function withMetrics<Event extends RestEvent = APIGatewayProxyEvent>(
  meter: InvocationMeter,
  app: (event: Event) => Promise<HttpResponse>,
  routeOf: (event: Event) => Route = storageRoute,
  callerOf: (event: Event) => Readonly<Record<string, unknown>> = keyOf,
): (event: Event) => Promise<HttpResponse> {
  return async (event) => {
    const began = performance.now();
    const answer = await app(event);
    const { status } = answer;
    const route = routeOf(event);
    meter.add('Latency', Math.round((performance.now() - began) * 100) / 100, route);
    if (status >= 500) meter.add('Errors', 1, route);
    else if (status >= 400) meter.add('Refusals', 1, route);
    const { requestId } = event.requestContext;
    meter.report({ requestId, ...callerOf(event), status });
    return answer;
  };
}

function keyOf({
  requestContext,
}: RestEvent & { requestContext: { authorizer?: { keyId?: unknown } | null } }) {
  return { keyId: requestContext.authorizer?.keyId };
}

function storageRoute({ path, httpMethod, multiValueQueryStringParameters }: RestEvent) {
  const target = targetOf(path);
  const methods: readonly string[] = target ? METHODS[target.kind] : [];
  if (!target || !methods.includes(httpMethod)) return 'other';
  // Whoever waits for up to 20 seconds is not served slowly.
  if (target.kind === 'sync' && multiValueQueryStringParameters?.wait) return 'waitForChanges';
  const ids: Partial<Record<Method, Route>> = OPERATION_IDS[target.kind];
  return ids[httpMethod as Method] ?? ids.GET ?? 'other';
}
