/**
 * From an HTTP request to its answer, in API Gateway's order: limits, route, authorizer, body,
 * function.
 */
import type { Invoker } from '../lambda/invoker';
import { type Authorizer, createAuthorizer } from './authorizer/authorizer';
import {
  type Exchange,
  isWellFormed,
  sendComplete,
  sendPlain,
  sendPlainAndClose,
} from './exchange';
import { type Integration, integrate, tooLarge } from './integration';
import { type Bounds, QUOTAS } from './limits';
import type { AuthorizerModel } from './model/authorizer-model';
import type { RestApiModel } from './model/model';
import { ClientGone, hasBody, PayloadTooLarge, readBody } from './request/body';
import { domainName, requestContext } from './request/context';
import { type EventParts, proxyEvent, routedContext } from './request/event';
import { eventHeaders, headerBytes, headerValue } from './request/headers';
import { LargeBodies } from './request/large-bodies';
import { createRouter, type Match } from './request/routing';
import { parseTarget, type Target } from './request/target';
import { createAccessLog, type Progress } from './response/access-log';
import { GatewayError, internalError, renderGatewayResponse } from './response/gateway-responses';

export interface GatewayOptions {
  readonly invoker: Invoker;
  readonly bounds: Bounds;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly accessLog?: (line: string) => void;
  readonly executionLog?: (line: string) => void;
}

export interface Gateway {
  /**
   * Never rejects. Resolves once the answer was handed to the connection, or nobody is left to take
   * it.
   */
  handle(exchange: Exchange): Promise<void>;
  flushAuthorizerCache(): void;
}

export function createGateway(model: RestApiModel, options: GatewayOptions): Gateway {
  const route = createRouter(model.routes);
  const authorizers = createAuthorizers(model, options);
  const integration: Integration = { ...options, binaryMediaTypes: model.binaryMediaTypes };
  const largeBodies = new LargeBodies(options.bounds);
  const logAccess = createAccessLog(model, options.accessLog);
  const log = (exchange: Exchange, text: string) =>
    options.executionLog?.(`(${exchange.requestId}) ${text}`);

  const execute = async (exchange: Exchange, progress: Progress) => {
    const target = admit(exchange, model, options.bounds);
    if (target === undefined) return;
    const context = contextOf(model, exchange, target);
    progress.context = context;
    const match = route(exchange.method, target.path);
    if (match === undefined) {
      throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', 'Missing Authentication Token');
    }
    const parts = partsOf(model, exchange, { target, match, context });
    progress.context = routedContext(parts, undefined);
    const authorizer = match.route.authorizer && authorizers.get(match.route.authorizer);
    const methodArn = methodArnOf(model, exchange.method, target.path);
    if (authorizer && methodArn.length > QUOTAS.methodArnBytes) {
      return sendPlain(exchange, 414, 'Request-URI Too Long');
    }
    const { fields } = exchange;
    const authorization = await authorizer?.authorize({ methodArn, fields, parts });
    progress.context = routedContext(parts, authorization);
    const leave = await largeBodies.enter(exchange.request);
    try {
      const body = await receive(exchange);
      const contentType = headerValue(fields, 'content-type');
      const event = proxyEvent(parts, authorization, body, model.binaryMediaTypes, contentType);
      if (event === undefined) throw tooLarge();
      const outcome = await integrate(integration, exchange, match.route, event);
      if (outcome !== 'complete') log(exchange, outcome);
    } finally {
      leave();
    }
  };

  const refuse = (exchange: Exchange, error: GatewayError, progress: Progress) => {
    progress.error = error;
    if (error.status >= 500) log(exchange, error.message);
    if (exchange.response.headersSent || exchange.response.destroyed) return;
    const variables = { context: progress.context, stageVariables: model.stageVariables };
    const { body, ...head } = renderGatewayResponse(model.gatewayResponses, error, variables);
    sendComplete(exchange, head, Buffer.from(body, 'utf8'));
  };

  return {
    handle: async (exchange) => {
      const progress: Progress = { context: {} };
      try {
        await execute(exchange, progress);
      } catch (error) {
        if (error instanceof PayloadTooLarge) refusePayload(exchange, options.bounds);
        else if (error instanceof GatewayError) refuse(exchange, error, progress);
        else if (!(error instanceof ClientGone)) {
          // A defect of this emulator or of the invoker: shown as AWS shows its own, with the stack
          // in the log.
          const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
          refuse(exchange, internalError(reason), progress);
          if (!exchange.response.writableEnded) exchange.response.destroy();
        }
      }
      if (logAccess) whenClosed(exchange, () => logAccess(exchange, progress, options.now()));
    },
    flushAuthorizerCache: () => {
      for (const authorizer of authorizers.values()) authorizer.flush();
    },
  };
}

function createAuthorizers(
  { routes }: RestApiModel,
  options: GatewayOptions,
): ReadonlyMap<AuthorizerModel, Authorizer> {
  const models = new Set(routes.map(({ authorizer }) => authorizer).filter((a) => a !== undefined));
  return new Map([...models].map((model) => [model, createAuthorizer(model, options)]));
}

/** What never reaches the API and no gateway response changes. undefined: it has been answered. */
function admit(exchange: Exchange, model: RestApiModel, bounds: Bounds): Target | undefined {
  const { request } = exchange;
  if (!isWellFormed(exchange)) return sendPlain(exchange, 400, 'Bad Request');
  const url = request.url ?? '';
  if (url.length > QUOTAS.urlLength) return sendPlain(exchange, 414, 'Request-URI Too Long');
  if (headerBytes(request.rawHeaders) > QUOTAS.headerBytes) {
    return sendPlain(exchange, 431, `HTTP header is larger than ${QUOTAS.headerBytes} bytes.`);
  }
  if (Number(request.headers['content-length'] ?? 0) > QUOTAS.payloadBytes) {
    return refusePayload(exchange, bounds);
  }
  return parseTarget(url, model.stage) ?? sendPlain(exchange, 400, 'Bad Request');
}

function refusePayload(exchange: Exchange, { lingerMs }: Bounds): undefined {
  const text = `HTTP content length exceeded ${QUOTAS.payloadBytes} bytes.`;
  return sendPlainAndClose(exchange, { status: 413, text, lingerMs });
}

function contextOf(model: RestApiModel, exchange: Exchange, target: Target) {
  return requestContext(model, {
    requestId: exchange.requestId,
    extendedRequestId: exchange.extendedRequestId,
    httpMethod: exchange.method,
    path: target.requestPath,
    time: exchange.time,
    identity: {
      sourceIp: exchange.sourceIp,
      userAgent: headerValue(exchange.fields, 'user-agent') ?? null,
    },
  });
}

function partsOf(
  model: RestApiModel,
  exchange: Exchange,
  found: { target: Target; match: Match; context: EventParts['context'] },
): EventParts {
  const { fields, sourceIp } = exchange;
  const forwarded = headerValue(fields, 'x-forwarded-for');
  // What API Gateway sets, whoever asks: functions see TLS on its own host.
  const own = new Map([
    ['host', domainName(model)],
    ['x-amzn-trace-id', exchange.traceId],
    ['x-forwarded-for', forwarded ? `${forwarded}, ${sourceIp}` : sourceIp],
    ['x-forwarded-port', '443'],
    ['x-forwarded-proto', 'https'],
  ]);
  return {
    ...eventHeaders(fields, own),
    match: found.match,
    httpMethod: exchange.method,
    path: found.target.path,
    query: found.target.query,
    stageVariables: model.stageVariables,
    context: found.context,
  };
}

function methodArnOf(model: RestApiModel, method: string, path: string): string {
  const api = `arn:aws:execute-api:${model.region}:${model.accountId}:${model.apiId}`;
  return `${api}/${model.stage}/${method}${path}`;
}

const NO_BODY = Buffer.alloc(0);

/** `100 Continue` is given only now, so a refused client need not send its body. */
async function receive(exchange: Exchange): Promise<Buffer> {
  if (!hasBody(exchange.request)) return NO_BODY;
  if (exchange.expectsContinue) exchange.response.writeContinue();
  return readBody(exchange.request, QUOTAS.payloadBytes);
}

/** Runs once the answer has left or its connection has gone. */
export function whenClosed({ response }: Exchange, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
