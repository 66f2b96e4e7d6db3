/** Invokes the route's function and sends its response. */
import {
  FunctionError,
  type Invoker,
  LambdaServiceError,
  type StreamResult,
} from '../lambda/invoker';
import type { Payload } from '../lambda/payload';
import { badGateway, GatewayError, internalError } from './gateway-responses/gateway-responses';
import { DeadlineExceeded, within } from './limits/deadline';
import type { Bounds } from './limits/limits';
import type { Route } from './model/methods';
import { headerValue } from './request/headers';
import { type Exchange, isBodiless, sendComplete, writeHead } from './response/exchange';
import { bufferedResponse, streamedHead } from './response/response';
import { discard, type Outcome, readPrelude, relayPayload } from './response/streaming';

export interface Integration {
  readonly invoker: Invoker;
  readonly binaryMediaTypes: readonly string[];
  readonly bounds: Bounds;
}

/** What an invocation needs of a route. */
export type InvokedRoute = Pick<Route, 'functionArn' | 'permitted' | 'streaming' | 'timeoutMs'>;

/**
 * Resolves when the response was written to the connection. Throws GatewayError if nothing was sent
 * yet.
 */
export async function integrate(
  integration: Integration,
  exchange: Exchange,
  route: InvokedRoute,
  payload: Payload,
): Promise<Outcome> {
  if (!route.permitted.has(exchange.method)) {
    throw internalError(`no AWS::Lambda::Permission lets API Gateway invoke ${route.functionArn}`);
  }
  const started = performance.now();
  try {
    return route.streaming
      ? await stream(integration, exchange, route, payload)
      : await buffer(integration, exchange, route, payload);
  } catch (error) {
    recordLatency(exchange, started);
    throw asGatewayError(error);
  }
}

function recordLatency(exchange: Exchange, started: number): void {
  exchange.integrationLatency ??= Math.round(performance.now() - started);
}

async function buffer(
  { invoker, binaryMediaTypes }: Integration,
  exchange: Exchange,
  route: InvokedRoute,
  payload: Payload,
): Promise<Outcome> {
  const started = performance.now();
  const result = await within(invoker.invoke(route.functionArn, payload), route.timeoutMs);
  recordLatency(exchange, started);
  if (result.functionError !== undefined)
    throw badGateway(`the function failed: ${result.payload}`);
  const accept = headerValue(exchange.fields, 'accept');
  const response = bufferedResponse(result.payload, binaryMediaTypes, accept);
  sendComplete(exchange, response, response.body);
  return 'complete';
}

async function stream(
  { invoker, bounds }: Integration,
  exchange: Exchange,
  route: InvokedRoute,
  payload: Payload,
): Promise<Outcome> {
  const started = performance.now();
  const deadline = started + route.timeoutMs;
  const left = () => Math.max(0, deadline - performance.now());
  const invocation = invoker.invokeStream(route.functionArn, payload);
  const abandon = ({ body }: StreamResult) => discard(body);
  const { body } = await within(invocation, route.timeoutMs, abandon);
  recordLatency(exchange, started);
  const prelude = await readPrelude(body, left());
  let head: ReturnType<typeof streamedHead>;
  try {
    head = streamedHead(prelude.metadata);
  } catch (error) {
    discard(body);
    throw error;
  }
  const silent = isBodiless(exchange, head.status);
  // The function's Content-Length does not survive: the body is chunked, and HEAD has no length.
  writeHead(exchange, head, isHeadByOverride(exchange) ? 0 : undefined);
  // Sends the head at once, because the first byte of payload may take minutes. When payload is
  // there already, both go in one write.
  if (silent || prelude.rest.length === 0) exchange.response.flushHeaders();
  const { outcome, bytes } = await relayPayload(body, exchange.response, {
    rest: prelude.rest,
    idleMs: bounds.idleStreamMs,
    deadlineMs: left(),
    silent,
  });
  exchange.responseLength = bytes;
  return outcome;
}

/** The client's parser expects a body, so it gets an empty one. */
function isHeadByOverride({ request, method }: Exchange): boolean {
  return request.method !== 'HEAD' && method === 'HEAD';
}

function asGatewayError(error: unknown): unknown {
  if (error instanceof DeadlineExceeded) {
    return new GatewayError('INTEGRATION_TIMEOUT', 'Endpoint request timed out');
  }
  if (error instanceof FunctionError) return badGateway(error.message);
  if (error instanceof LambdaServiceError) {
    if (error.code === 'RequestTooLargeException') return eventTooLarge();
    return internalError(`Lambda refused: ${error.code}: ${error.message}`);
  }
  return error;
}

/** The error for an event above Lambda's limit. */
export function eventTooLarge(): GatewayError {
  return new GatewayError('REQUEST_TOO_LARGE', 'Request Too Long');
}
