import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { InvocationMeter } from '../meter';
import { METHODS, type Method, OPERATION_IDS, type Route, targetOf } from '../routes';
import type { App } from './carrier';

/**
 * The app, each of whose requests is reported in one line: who asked for what, how it ended, and how long the answer took to begin. A body
 * that is streamed is not waited for: how long that takes is up to the client.
 */
export function measured(
  meter: InvocationMeter,
  app: App,
  routeOf: (event: APIGatewayProxyEvent) => Route = storageRoute,
): App {
  return async (event) => {
    const began = performance.now();
    const answer = await app(event);
    const { status } = answer;
    const route = routeOf(event);
    meter.add('Latency', Math.round((performance.now() - began) * 100) / 100, route);
    if (status >= 500) meter.add('Errors', 1, route);
    else if (status >= 400) meter.add('Refusals', 1, route);
    const { requestId, authorizer } = event.requestContext;
    meter.report({ requestId, keyId: authorizer?.keyId, status });
    return answer;
  };
}

function storageRoute({ path, httpMethod, multiValueQueryStringParameters }: APIGatewayProxyEvent) {
  const target = targetOf(path);
  const methods: readonly string[] = target ? METHODS[target.kind] : [];
  if (!target || !methods.includes(httpMethod)) return 'other';
  // Whoever waits for up to 20 seconds is not served slowly.
  if (target.kind === 'sync' && multiValueQueryStringParameters?.wait) return 'waitForChanges';
  const ids: Partial<Record<Method, Route>> = OPERATION_IDS[target.kind];
  return ids[httpMethod as Method] ?? ids.GET ?? 'other';
}
