/**
 * Handles an HTTP request in API Gateway's order: limits, route, resource policy, authorizer, body,
 * function.
 */
import type { PolicyDocument } from '../../iam/iam';
import { anonymousVerdict } from '../../iam/policies';
import type { Invoker } from '../lambda/invoker';
import { type Authorizer, createAuthorizer } from './authorizer/authorizer';
import {
  GatewayError,
  internalError,
  renderGatewayResponse,
} from './gateway-responses/gateway-responses';
import { eventTooLarge, type Integration, integrate } from './integration';
import { type Bounds, QUOTAS } from './limits/limits';
import type { AuthorizerModel } from './model/authorizer-model';
import type { RestApiModel } from './model/model';
import { ClientGone, hasBody, PayloadTooLarge, readBody } from './request/body';
import { domainName, requestContext } from './request/context';
import {
  type AuthorizerContext,
  type EventParts,
  proxyEvent,
  routedContext,
} from './request/event';
import { eventHeaders, headerBytes, headerValue } from './request/headers';
import { LargeBodies } from './request/large-bodies';
import { createRouter, type Match, type Router } from './request/routing';
import { parseTarget, type Target } from './request/target';
import { type AccessLog, createAccessLog, type Progress } from './response/access-log';
import {
  type Exchange,
  isWellFormed,
  sendComplete,
  sendPlain,
  sendPlainAndClose,
} from './response/exchange';
import { isBinary } from './response/media-types';

export interface GatewayOptions {
  readonly invoker: Invoker;
  readonly bounds: Bounds;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly accessLog?: (line: string) => void;
  readonly executionLog?: (line: string) => void;
}

export interface Gateway {
  /** Resolves when the response was written, or the client has gone. Never rejects. */
  handle(exchange: Exchange): Promise<void>;
  flushAuthorizerCache(): void;
}

/**
 * What stands in front of a gateway. Returns a gateway that responds to some requests itself, and
 * passes the others on.
 */
export type Front = (gateway: Gateway, context: FrontContext) => Gateway;

export interface FrontContext {
  /** The address of the gateway's stage in AWS. */
  readonly url: string;
  /** Milliseconds for which the rest of a refused body is read. */
  readonly lingerMs: number;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

export function createGateway(model: RestApiModel, options: GatewayOptions): Gateway {
  const gateway = new RestGateway(model, options);
  return {
    handle: (exchange) => gateway.handle(exchange),
    flushAuthorizerCache: () => gateway.flushAuthorizerCache(),
  };
}

class RestGateway implements Gateway {
  private readonly route: Router;
  private readonly authorizers: ReadonlyMap<AuthorizerModel, Authorizer>;
  private readonly integration: Integration;
  private readonly largeBodies: LargeBodies;
  private readonly logAccess: AccessLog | undefined;

  constructor(
    private readonly model: RestApiModel,
    private readonly options: GatewayOptions,
  ) {
    this.route = createRouter(model.routes);
    this.authorizers = createAuthorizers(model, options);
    this.integration = { ...options, binaryMediaTypes: model.binaryMediaTypes };
    this.largeBodies = new LargeBodies(options.bounds);
    this.logAccess = createAccessLog(model, options.accessLog);
  }

  async handle(exchange: Exchange): Promise<void> {
    const progress: Progress = { context: {} };
    try {
      await this.execute(exchange, progress);
    } catch (error) {
      if (error instanceof PayloadTooLarge) refusePayload(exchange, this.options.bounds);
      else if (error instanceof GatewayError) this.refuse(exchange, error, progress);
      else if (!(error instanceof ClientGone)) {
        // A defect of the emulator or of the invoker: the client gets AWS's 500, the log the stack.
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.refuse(exchange, internalError(reason), progress);
        if (!exchange.response.writableEnded) exchange.response.destroy();
      }
    }
    const { logAccess } = this;
    if (logAccess) whenClosed(exchange, () => logAccess(exchange, progress, this.options.now()));
  }

  flushAuthorizerCache(): void {
    for (const authorizer of this.authorizers.values()) authorizer.flush();
  }

  private async execute(exchange: Exchange, progress: Progress): Promise<void> {
    const { model } = this;
    const target = admit(exchange, model, this.options.bounds);
    if (target === undefined) return;
    const context = contextOf(model, exchange, target);
    progress.context = context;
    const match = this.route(exchange.method, target.path);
    if (match === undefined) {
      throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', 'Missing Authentication Token');
    }
    const parts = partsOf(model, exchange, { target, match, context });
    progress.context = routedContext(parts, undefined);
    const authorizer = match.route.authorizer && this.authorizers.get(match.route.authorizer);
    const methodArn = methodArnOf(model, exchange.method, target.path);
    if (authorizer && methodArn.length > QUOTAS.methodArnBytes) {
      return sendPlain(exchange, 414, 'Request-URI Too Long');
    }
    const { fields } = exchange;
    if (model.policy) enforce(model.policy, exchange, methodArn, authorizer !== undefined);
    const authorization = await authorizer?.authorize({ methodArn, fields, parts });
    progress.context = routedContext(parts, authorization);
    await this.invoke(exchange, parts, authorization);
  }

  private async invoke(
    exchange: Exchange,
    parts: EventParts,
    authorizer: AuthorizerContext | undefined,
  ): Promise<void> {
    const { binaryMediaTypes } = this.model;
    const release = await this.largeBodies.acquire(exchange.request);
    try {
      const body = await receive(exchange);
      const isBinaryBody = isBinary(binaryMediaTypes, headerValue(exchange.fields, 'content-type'));
      const event = proxyEvent({ parts, authorizer, body, isBinaryBody });
      if (event === undefined) throw eventTooLarge();
      const outcome = await integrate(this.integration, exchange, parts.match.route, event);
      if (outcome !== 'complete') this.log(exchange, outcome);
    } finally {
      release();
    }
  }

  private refuse(exchange: Exchange, error: GatewayError, progress: Progress): void {
    const { model } = this;
    progress.error = error;
    if (error.status >= 500) this.log(exchange, error.message);
    if (exchange.response.headersSent || exchange.response.destroyed) return;
    const variables = { context: progress.context, stageVariables: model.stageVariables };
    const { body, ...head } = renderGatewayResponse(model.gatewayResponses, error, variables);
    sendComplete(exchange, head, Buffer.from(body, 'utf8'));
  }

  private log(exchange: Exchange, text: string): void {
    this.options.executionLog?.(`(${exchange.requestId}) ${text}`);
  }
}

function createAuthorizers(
  { routes }: RestApiModel,
  options: GatewayOptions,
): ReadonlyMap<AuthorizerModel, Authorizer> {
  const models = new Set(routes.map(({ authorizer }) => authorizer).filter((a) => a !== undefined));
  return new Map([...models].map((model) => [model, createAuthorizer(model, options)]));
}

/**
 * Checks the limits that apply before routing. Returns undefined after it has refused the request,
 * with a response that gateway responses do not change.
 */
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
  // API Gateway sets these headers itself: functions see TLS and the host of AWS.
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

/**
 * Throws ACCESS_DENIED when the API's policy denies the request, or when it does not allow it and
 * no authorizer decides.
 */
function enforce(
  policy: PolicyDocument,
  { fields, sourceIp }: Exchange,
  methodArn: string,
  hasAuthorizer: boolean,
): void {
  const referer = headerValue(fields, 'referer');
  const userAgent = headerValue(fields, 'user-agent');
  const context = {
    'aws:sourceip': sourceIp,
    ...(referer !== undefined && { 'aws:referer': referer }),
    ...(userAgent !== undefined && { 'aws:useragent': userAgent }),
  };
  const request = { action: 'execute-api:Invoke', resource: methodArn, context };
  const verdict = anonymousVerdict(policy, request);
  if (verdict === 'allow' || (verdict === 'silent' && hasAuthorizer)) return;
  const reason = verdict === 'deny' ? ' with an explicit deny' : '';
  const who = 'User: anonymous is not authorized to perform: execute-api:Invoke on resource';
  throw new GatewayError('ACCESS_DENIED', `${who}: ${methodArn}${reason}`);
}

const NO_BODY = Buffer.alloc(0);

/** Sends `100 Continue` only now, so that a refused client need not send its body. */
async function receive(exchange: Exchange): Promise<Buffer> {
  if (!hasBody(exchange.request)) return NO_BODY;
  if (exchange.expectsContinue) exchange.response.writeContinue();
  return readBody(exchange.request, QUOTAS.payloadBytes);
}

/** Calls `then` when the response was sent or its connection has closed. */
export function whenClosed({ response }: Exchange, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
