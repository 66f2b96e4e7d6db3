/**
 * API Gateway between clients and functions: requests and responses that are lost, the timeout of
 * an integration (29 seconds,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html).
 */
import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { HttpResponse } from '../../../service/http/response';
import { isLink } from '../../../service/links/links';
import { resourceOf } from '../../../service/routes/routes';
import type { SeededRandom } from '../machine/random';
import type { GatewayAuthorizer } from './authorizer';
import type { LambdaFunction, Outcome } from './lambda-function';
import type { Simulation } from './simulation';

export const ORIGIN = 'https://files.example';

const INTEGRATION_TIMEOUT_MS = 29_000;
const LATENCY_MS = [5, 40] as const;

export type HttpFunction = LambdaFunction<APIGatewayProxyEvent, HttpResponse>;

export interface HttpFunctions {
  readonly api: HttpFunction;
  readonly changes: HttpFunction;
  readonly download: HttpFunction;
  readonly authorizer: GatewayAuthorizer;
}

/** What a client calls in place of `fetch`. */
export function fetchThroughGateway(
  simulation: Simulation,
  functions: HttpFunctions,
  random: SeededRandom,
) {
  const { time, faults } = simulation;
  return (address: string, init: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const abort = () => reject(new DOMException('aborted', 'AbortError'));
      init.signal?.addEventListener('abort', abort, { once: true });
      if (init.signal?.aborted) abort();
      const broken = () =>
        time.after(random.between(10, 5_000), () => reject(new TypeError('fetch failed')));
      const fault = faults.draw(['client request lost', 'client response lost'], random);
      if (fault === 'client request lost') {
        broken();
        return;
      }
      const answer = (response: HttpResponse) => {
        if (fault === 'client response lost') broken();
        else time.after(random.between(...LATENCY_MS), () => resolve(responseOf(response)));
      };
      time.after(random.between(...LATENCY_MS), () => {
        if (simulation.limits?.admitRequest() === false) {
          answer(refusal(429));
          return;
        }
        const event = eventOf(address, init);
        const called = functionOf(functions, event);
        if (isLink(event)) {
          integrate(simulation, called, { event, answer });
          return;
        }
        functions.authorizer.authorize(authorizationIn(init), (decision) => {
          if ('status' in decision) {
            answer(refusal(decision.status));
            return;
          }
          event.requestContext.authorizer = decision.context;
          integrate(simulation, called, { event, answer });
        });
      });
    });
}

/** As lib/gateway routes requests. */
function functionOf(functions: HttpFunctions, event: APIGatewayProxyEvent): HttpFunction {
  if (isLink(event)) return functions.download;
  if (event.httpMethod !== 'GET' && event.httpMethod !== 'HEAD') return functions.api;
  const kind = resourceOf(event.path)?.kind;
  if (kind === 'object') return functions.download;
  return kind === 'sync' && event.httpMethod === 'GET' ? functions.changes : functions.api;
}

function authorizationIn({ headers }: RequestInit): string {
  const { authorization = '' } = Object(headers) as Readonly<Record<string, string>>;
  return authorization;
}

interface Integration {
  readonly event: APIGatewayProxyEvent;
  readonly answer: (response: HttpResponse) => void;
}

function integrate(
  simulation: Simulation,
  called: HttpFunction,
  { event, answer }: Integration,
): void {
  const { time, anomalies } = simulation;
  let isAnswered = false;
  const once = (response: HttpResponse) => {
    time.cancel(limit);
    if (!isAnswered) answer(response);
    isAnswered = true;
  };
  const limit = time.after(INTEGRATION_TIMEOUT_MS, () => once(refusal(504)));
  called.invoke(event, (outcome: Outcome<HttpResponse>) => {
    if ('failure' in outcome) {
      // API Gateway does not pass on that Lambda has throttled.
      once(refusal(outcome.failure === 'throttled' ? 500 : 502));
      return;
    }
    const { status, body } = outcome.result;
    const what = () =>
      `${event.httpMethod} ${event.path}: ${status} ${String(body)}: ${String(simulation.lastError)}`;
    anomalies.require('no request meets an unexpected error', status !== 500, what);
    once(outcome.result);
  });
}

function refusal(status: number): HttpResponse {
  return { status, headers: { 'Retry-After': '0' }, body: '{}' };
}

function eventOf(address: string, init: RequestInit): APIGatewayProxyEvent {
  const { pathname, searchParams } = new URL(address);
  const query: Record<string, string[]> = {};
  for (const [name, value] of searchParams) query[name] = [...(query[name] ?? []), value];
  const { body } = init;
  const event = {
    httpMethod: init.method ?? 'GET',
    path: pathname,
    headers: Object(init.headers),
    multiValueQueryStringParameters: query,
    body: body == null ? null : Buffer.from(body as string).toString('base64'),
    isBase64Encoded: body != null,
    requestContext: { requestId: 'request' },
  };
  return event as unknown as APIGatewayProxyEvent;
}

/** The part of a Response that the client reads; the real one takes a tenth of a simulation. */
function responseOf({ status, headers, body }: HttpResponse): Response {
  const byName = new Map(Object.entries(headers).map(([n, value]) => [n.toLowerCase(), value]));
  const text = async () => {
    if (body instanceof Readable) return Buffer.concat(await body.toArray()).toString();
    return body === undefined ? '' : Buffer.from(body as Uint8Array).toString();
  };
  const response = {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => byName.get(name.toLowerCase()) ?? null },
    body: null,
    text,
  };
  return response as unknown as Response;
}
